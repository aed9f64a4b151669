// Repositories: a subject's recorded calls and steps, with their places in the ledger.
import { requestIdOf, requestUuid } from '#core/ids.ts';
import { callText, type StepSource, stepText } from '#core/ledger/entry-text.ts';
import type { Sql } from '#database/database.ts';
import { CALL_COLUMNS, CALL_NAMES } from '../access-record/call-sql.ts';
import { timeOfCalls } from '../access-record/spans.ts';
import { NUMBER_BYTES } from './ledger.ts';
import { batchSql, placeSql, readSteps, subjectOfStep } from './pending.ts';

/** A call or a step. */
export interface SubjectEntry {
  at: string;
  /** Request id of a call, or event id of a step. */
  id: string;
  text: string;
  /** Null if not appended yet, or recorded by a release without the ledger. */
  place: { number: number; index: number } | null;
}

/** An entry of any subject, with that subject and the call's row of ledger_pending (0 for none). */
export interface AnyEntry extends SubjectEntry {
  subject: string;
  batch: number;
}

type CallRow = Omit<Parameters<typeof callText>[0], 'requestId'> & {
  id: string;
  first: number | null;
  place: number;
  batch: number;
  packed: Buffer | null;
};

/** SQL for the packed number of an entry among those of its subject, where `b` is its row of ledger_batches. */
export const numberSql = (entry: string): string =>
  `substring(b.numbers from ${placeSql(entry)} * ${NUMBER_BYTES} + 1 for ${NUMBER_BYTES})`;

/** Null if no row of ledger_batches has the entry. */
export const entryPlace = (packed: Buffer | null | undefined, index: number): SubjectEntry['place'] =>
  packed?.length === NUMBER_BYTES ? { number: packed.readUIntBE(0, NUMBER_BYTES), index } : null;

const CALL = `r.id, ${CALL_COLUMNS}, r.items, nullif(r.removed, '') as removed,
  b.first, ${batchSql('r.entry')} as batch, ${placeSql('r.entry')} as place, ${numberSql('r.entry')} as packed`;
const NAMED = `${CALL_NAMES} left join ledger_batches b on b.number = ${batchSql('r.entry')} and r.entry > 0`;

/** Calls about a client, newest first, after the time and request id of a call. */
export async function readClientCalls(
  sql: Sql,
  clientId: string,
  { size, after }: { size: number; after: readonly [at: string, requestId: string] | null },
): Promise<SubjectEntry[]> {
  const [at, requestId] = after ?? [null, null];
  const before = at === null ? '' : 'and (minute_of(r.at), r.at, r.id) < (minute_of($3), $3::timestamptz, $4::uuid)';
  const rows = await sql.query<CallRow>({
    text: `select ${CALL} from (
        select r.* from access_pairs p cross join lateral (
          select r.* from access_calls r where r.pair = p.number ${before}
          order by minute_of(r.at) desc, r.at desc, r.id desc limit $2) r
        where p.client_id = $1 order by r.at desc, r.id desc limit $2) r
      ${NAMED} order by r.at desc, r.id desc`,
    values: [clientId, size, ...(at === null ? [] : [timeOfCalls(at), requestUuid(requestId ?? '')])],
  });
  return rows.map(callEntry);
}

/** All calls, oldest first. */
export async function* readAllCalls(sql: Sql): AsyncGenerator<AnyEntry[]> {
  let after: [string, string] | null = null;
  for (;;) {
    const rows: CallRow[] = await sql.query<CallRow>({
      text: `select ${CALL} from (
          select r.* from access_calls r ${after === null ? '' : 'where (r.at, r.id) > ($2::timestamptz, $3::uuid)'}
          order by r.at, r.id limit $1) r
        ${NAMED} order by r.at, r.id`,
      values: [ALL_PAGE, ...(after ?? [])],
    });
    if (rows.length === 0) return;
    yield rows.map((row) => ({ ...callEntry(row), subject: row.clientId, batch: row.batch }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ALL_PAGE) return;
    after = [last.at, last.id];
  }
}

const ALL_PAGE = 20_000;

function callEntry({ id, first, place, batch: _, packed, ...call }: CallRow): SubjectEntry {
  const requestId = requestIdOf(id);
  const text = callText({ ...call, requestId });
  return { at: call.at, id: requestId, text, place: entryPlace(packed, (first ?? 0) + place) };
}

const OWN_STEPS = {
  client: `select e.id::text as event from grant_events e join grants g on g.id = e.grant_id
    where g.client_id = $1`,
  firm: `select e.id::text as event from key_events e join api_keys k on k.id = e.key_id
    where k.firm_id = $1`,
  grant: `select e.id::text as event from grant_events e join grants g on g.id = e.grant_id
    where e.grant_id = $1 and g.client_id is null`,
} as const;

/** Steps of a client's grants, of a firm's keys, or of a request that reached no client; newest first. */
export async function readSubjectSteps(sql: Sql, subject: string): Promise<SubjectEntry[]> {
  const kind = subject.startsWith('usr_') ? 'client' : subject.startsWith('frm_') ? 'firm' : 'grant';
  const rows = await sql.query<{ event: string }>({
    text: OWN_STEPS[kind],
    values: [subject],
  });
  const events = rows.map(({ event }) => event);
  return (await readPlacedSteps(sql, kind === 'firm' ? 'key_events' : 'grant_events', events)).reverse();
}

/** By the ids of events, in the order of ids. */
async function readPlacedSteps(sql: Sql, source: StepSource, events: readonly string[]): Promise<AnyEntry[]> {
  const steps = await readSteps(sql, source, events);
  const places = await sql.query<{ event: string; leaf: number; number: number }>({
    text: 'select event::text as event, leaf, number from ledger_steps where source = $1 and event = any($2::bigint[])',
    values: [source, events],
  });
  const placed = new Map(places.map(({ event, leaf, number }) => [event, { number, index: leaf }]));
  return steps.map((step) => ({
    ...{ at: step.at, id: step.id, text: stepText(step), place: placed.get(step.id) ?? null },
    ...{ subject: subjectOfStep(step), batch: 0 },
  }));
}

/** Every step since the ledger began, oldest first. */
export async function* readAllSteps(sql: Sql, source: StepSource): AsyncGenerator<AnyEntry[]> {
  let after = (
    await sql.query<{ event: string }>({
      text: 'select event::text as event from ledger_begin where source = $1',
      values: [source],
    })
  )[0]?.event;
  if (after === undefined) throw new Error(`ledger_begin has no row for ${source}`);
  for (;;) {
    const rows: { id: string }[] = await sql.query<{ id: string }>({
      // Ordered as a number: as text, 10 comes before 9.
      text: `select e.id::text as id from ${source} e where e.id > $1::bigint order by e.id limit $2`,
      values: [after, ALL_PAGE],
    });
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    yield await readPlacedSteps(sql, source, ids);
    after = ids.at(-1) ?? after;
  }
}

export interface Subject {
  entries: number;
  secret: Buffer;
}

/** Null if it has no entry. */
export async function readSubject(sql: Sql, subject: string): Promise<Subject | null> {
  const [row] = await sql.query<Subject>({
    text: 'select entries, secret from ledger_subjects where subject = $1',
    values: [subject],
  });
  return row ?? null;
}

/** Those of the subjects that have entries. */
export async function readSubjects(sql: Sql, subjects: readonly string[]): Promise<Map<string, Subject>> {
  const rows = await sql.query<Subject & { subject: string }>({
    text: 'select subject, entries, secret from ledger_subjects where subject = any($1)',
    values: [subjects],
  });
  return new Map(rows.map(({ subject, ...rest }) => [subject, rest]));
}
