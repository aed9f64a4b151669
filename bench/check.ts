// Bench: checks before measuring that all contestants give the same answers.
import { nextPage } from './connection.ts';
import type { DataSet } from './data.ts';
import type { Expectation, PreparedRequest } from './generator.ts';
import type { Running } from './processes.ts';
import type { Target, Work } from './works.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** A prime, so that the sample covers all kinds of clients, which alternate. */
const SAMPLES = 13;

export async function ask(origin: string, { method, path, headers, body }: PreparedRequest): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Targets spread over the round. */
const sample = (targets: Target[]): Target[] =>
  Array.from({ length: SAMPLES }, (_, n) => targets[Math.floor((n * targets.length) / SAMPLES)] as Target);

/** The answers to a sample of the work's targets, the same for every contestant. Throws for an unexpected status. */
export async function answersOf(work: Work, targets: Target[], data: DataSet, running: Running): Promise<Answer[]> {
  const { contestant, origin } = running;
  if (work.mayAdmit !== undefined) await useUp(work, targets, data, running);
  // A conditional request has no tag yet.
  const expected = work.conditional ? 200 : work.status;
  const answers: Answer[] = [];
  // A walk is compared completely.
  for (const target of work.follow ? targets.slice(0, 1) : sample(targets)) {
    let request: PreparedRequest | null = contestant.dialect.request(target, data);
    while (request !== null) {
      const answer: Answer = await ask(origin, request);
      if (answer.status !== expected)
        throw new Error(
          `${work.name}: ${contestant.name} answers ${answer.status} instead of ${expected}: ${answer.body.slice(0, 500)}`,
        );
      answers.push(answer);
      const path: string | null = work.follow ? nextPage(answer.headers.get('link') ?? '') : null;
      request = path === null ? null : { ...request, path };
    }
  }
  return answers;
}

/**
 * Compares a contestant's answers with the reference's. Throws at the first difference. Returns the expectation for the
 * load generator.
 */
export function compare(work: Work, { contestant }: Running, answers: Answer[], reference: Answer[]): Expectation {
  const where = `${work.name}: ${contestant.name}`;
  if (answers.length !== reference.length)
    throw new Error(`${where} has ${answers.length} pages, not ${reference.length}`);
  answers.forEach((theirs, number) => {
    const ours = reference[number] as Answer;
    if (contestant.dialect.idsIn === null) requireSameAnswer(where, theirs, ours);
    else requireSameIds(where, contestant.dialect.idsIn(theirs.body), idsOf(ours.body));
  });
  const lengths = answers.map(({ body }) => Buffer.byteLength(body));
  const empty = work.status === 304;
  return {
    status: work.status,
    least: empty ? 0 : Math.floor(Math.min(...lengths) / 2),
    most: empty ? 0 : Math.max(...lengths) * 2,
    mayAdmit: work.mayAdmit ?? 0,
  };
}

/** Sends requests until the limit is reached. */
async function useUp(work: Work, targets: Target[], data: DataSet, { contestant, origin }: Running): Promise<void> {
  for (const target of targets) {
    const { status } = await ask(origin, contestant.dialect.request(target, data));
    if (status === work.status) return;
  }
}

const STAMPS = /"(as_of|request_id)":"[^"]*"/g;
const withoutStamps = (text: string) => text.replace(STAMPS, '"$1":""');

function requireSameAnswer(where: string, theirs: Answer, ours: Answer): void {
  const [one, other] = [withoutStamps(theirs.body), withoutStamps(ours.body)];
  if (one !== other) throw new Error(`${where} differs from the reference:\n${firstDifference(one, other)}`);
  const [names, wanted] = [headerNames(theirs.headers), headerNames(ours.headers)];
  if (names !== wanted) throw new Error(`${where} has other headers than the reference:\n  ${names}\n  ${wanted}`);
  for (const name of ['link', 'content-type', 'cache-control', 'x-ratelimit-limit', 'x-service-version'])
    if (theirs.headers.get(name) !== ours.headers.get(name))
      throw new Error(`${where}: ${name} is ${theirs.headers.get(name)}, not ${ours.headers.get(name)}`);
}

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const around = (text: string) => `  …${text.slice(Math.max(0, at - 80), at + 120)}…`;
  return `${around(one)}\n${around(other)}`;
}

const headerNames = (headers: Headers): string => [...headers.keys()].sort().join(', ');

function requireSameIds(where: string, ids: string[], wanted: string[]): void {
  if (wanted.length === 0 || JSON.stringify(ids) !== JSON.stringify(wanted))
    throw new Error(
      `${where} gives other assets than the reference: ${ids.slice(0, 3)} … instead of ${wanted.slice(0, 3)}`,
    );
}

function idsOf(body: string): string[] {
  const { data } = JSON.parse(body) as { data: { id: string } | { id: string }[] };
  return [data].flat().map(({ id }) => id);
}
