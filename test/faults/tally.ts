// What became of the requests of a fault: counted for the table of `npm run chaos`, and checked.

import { expect, TestRunner } from 'vitest';
import { until } from '#test/support/ports.ts';
import type { Load, Sent } from './load.ts';
import { lastingPart, type Portfolio } from './portfolio.ts';

/** What is asked of a portfolio here. */
type Recorded = Pick<Portfolio, 'records'>;

/** A row of the table. */
export interface Tally {
  fault: string;
  sent: number;
  served: number;
  /** 503 with its code and Retry-After. */
  refused: number;
  /** The connection ended first: the gateway itself was killed, or what led to it. */
  unanswered: number;
  /** Other data than before, another status (429 too: none asks for more than it may), or a refusal that is not whole. */
  wrong: number;
  /** Seconds: the longest time in which nothing was served. */
  outage: number;
  /** Of admitted requests that were answered, those that the access record lacks. */
  missing: number;
}

declare module 'vitest' {
  interface TaskMeta {
    chaos?: Tally[];
  }
}

interface Expected {
  /** Whether connections may end without an answer. */
  unanswered?: boolean;
  /** Records that may be missing; a restore to an earlier time loses what came later. */
  missing?: (one: Sent) => boolean;
}

/** Counts, puts the row into the table, and expects that nothing was wrong and that no record is missing. */
export async function expectTally(
  fault: string,
  sent: readonly Sent[],
  portfolio: Recorded,
  { unanswered = false, missing: mayMiss = () => false }: Expected = {},
): Promise<Tally> {
  const bodies = new Map<string, string>();
  const fates = sent.map((one) => fateOf(one, bodies));
  const count = (fate: string) => fates.filter((each) => each === fate).length;
  const lacking = await recordsMissing(sent, portfolio, mayMiss);
  const tally: Tally = {
    fault,
    sent: sent.length,
    served: count('served'),
    refused: count('refused'),
    unanswered: count('unanswered'),
    wrong: fates.filter((fate) => fate.startsWith('wrong')).length,
    outage: longestOutage(sent),
    missing: lacking.length,
  };
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.chaos = [...(test.meta.chaos ?? []), tally];
  expect(fates.filter((fate) => fate.startsWith('wrong'))).toEqual([]);
  expect(lacking.filter((one) => !mayMiss(one)).map(({ headers }) => headers['x-request-id'])).toEqual([]);
  if (!unanswered) expect(tally.unanswered).toBe(0);
  expect(tally.served).toBeGreaterThan(0);
  return tally;
}

/**
 * Waits until all that has ended by now is on the record, so that a backup which begins then has it, however late records are
 * written on a busy machine. Gives `performance.now()` as it was before.
 */
export async function recordedUntil({ sent }: Load, portfolio: Recorded): Promise<number> {
  const now = performance.now();
  expect(await recordsMissing([...sent], portfolio, () => false)).toEqual([]);
  return now;
}

function fateOf({ url, status, headers, text, error }: Sent, bodies: Map<string, string>): string {
  if (error !== null || status === 0) return 'unanswered';
  if (status === 200) {
    const lasting = lastingPart(text);
    const known = bodies.get(url) ?? lasting;
    bodies.set(url, known);
    return known === lasting ? 'served' : `wrong: ${url} gave other data than before`;
  }
  const code = (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  const whole = /^\d+$/.test(String(headers['retry-after'])) && /^req_/.test(String(headers['x-request-id']));
  const proper = status === 503 && code === 'service_unavailable';
  return whole && proper ? 'refused' : `wrong: ${status} ${text}`;
}

function longestOutage(sent: readonly Sent[]): number {
  const ends = sent.filter(({ status }) => status === 200).map(({ ended }) => ended);
  ends.sort((one, other) => one - other);
  const gaps = ends.slice(1).map((end, at) => end - (ends[at] ?? end));
  return Math.max(0, ...gaps) / 1000;
}

/** Whoever was counted against the key was admitted, and has a record with the status that it saw. */
async function recordsMissing(
  sent: readonly Sent[],
  portfolio: Recorded,
  mayMiss: (one: Sent) => boolean,
): Promise<Sent[]> {
  const admitted = sent.filter(({ headers }) => String(headers['ratelimit-policy']).startsWith('"key"'));
  let lacking: Sent[] = [];
  const look = async () => {
    const records = await portfolio.records();
    lacking = admitted.filter(({ headers, status }) => records.get(String(headers['x-request-id'])) !== status);
    return lacking.every(mayMiss);
  };
  // The test says which are missing.
  await until(look, 60_000, () => new Error()).catch(() => {});
  return lacking;
}
