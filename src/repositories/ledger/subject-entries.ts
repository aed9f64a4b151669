// Repositories: a subject's recorded calls and steps, with their places in the ledger.
import { requestIdOf, requestUuid } from '#core/ids.ts';
import { callText, type RecordedStep, type StepSource, stepText } from '#core/ledger/entry-text.ts';
import type { Sql } from '#database/database.ts';
import { CALL_COLUMNS, CALL_NAMES } from '../access-record/call-sql.ts';
import { listMonths } from '../access-record/partitions.ts';
import { timeOfCalls } from '../access-record/spans.ts';
import { inPortions, NUMBER_BYTES } from './ledger.ts';
import { batchSql, placeSql } from './pending.ts';

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

/** All calls, oldest first, in portions, within a transaction. Sorted month by month, as no index is by time. */
export async function* readAllCalls(sql: Sql): AsyncGenerator<AnyEntry[]> {
  for (const { table, from, until } of await listMonths(sql)) {
    if (table !== 'access_calls') continue;
    const select = `select ${CALL} from access_calls r ${NAMED}
      where r.at >= '${from}' and r.at < '${until}' order by r.at, r.id`;
    for await (const rows of inPortions<CallRow>(sql, 'calls', select))
      yield rows.map((row) => ({ ...callEntry(row), subject: row.clientId, batch: row.batch }));
  }
}

function callEntry({ id, first, place, batch: _, packed, ...call }: CallRow): SubjectEntry {
  const requestId = requestIdOf(id);
  const text = callText({ ...call, requestId });
  return { at: call.at, id: requestId, text, place: entryPlace(packed, (first ?? 0) + place) };
}

type StepRow = RecordedStep & { leaf: number | null; number: number | null };

const STEPS: Record<StepSource, string> = {
  grant_events: `select 'grant_events' as source, e.id::text as id, e.at, g.client_id as "clientId",
      k.firm_id as "firmId", g.lineage_id as "keyId", g.id as "grantId", e.actor, e.action, e.details, s.leaf, s.number
    from grant_events e join grants g on g.id = e.grant_id join api_keys k on k.id = g.lineage_id
    left join ledger_steps s on s.source = 'grant_events' and s.event = e.id`,
  key_events: `select 'key_events' as source, e.id::text as id, e.at, null as "clientId",
      k.firm_id as "firmId", e.key_id as "keyId", null as "grantId", e.actor, e.action, e.details, s.leaf, s.number
    from key_events e join api_keys k on k.id = e.key_id
    left join ledger_steps s on s.source = 'key_events' and s.event = e.id`,
};

const OWN_STEPS = {
  client: `${STEPS.grant_events} where g.client_id = $1`,
  firm: `${STEPS.key_events} where k.firm_id = $1`,
  grant: `${STEPS.grant_events} where e.grant_id = $1 and g.client_id is null`,
} as const;

/** Steps of a client's grants, of a firm's keys, or of a request that reached no client; newest first. */
export async function readSubjectSteps(sql: Sql, subject: string): Promise<SubjectEntry[]> {
  const kind = subject.startsWith('usr_') ? 'client' : subject.startsWith('frm_') ? 'firm' : 'grant';
  const rows = await sql.query<StepRow>({ text: `${OWN_STEPS[kind]} order by e.id desc`, values: [subject] });
  return rows.map(stepEntry);
}

/** Every step since the ledger began, oldest first, in portions, within a transaction. */
export async function* readAllSteps(sql: Sql, source: StepSource): AsyncGenerator<AnyEntry[]> {
  const select = `${STEPS[source]}
    where e.id > all (select event from ledger_begin where source = '${source}') order by e.id`;
  for await (const rows of inPortions<StepRow>(sql, 'steps', select)) yield rows.map(stepEntry);
}

/** Steps by id; deleted ones are left out. */
export async function readSteps(sql: Sql, source: StepSource, ids: readonly string[]): Promise<RecordedStep[]> {
  if (ids.length === 0) return [];
  return sql.query<StepRow>({ text: `${STEPS[source]} where e.id = any($1::bigint[])`, values: [ids] });
}

/** The subject of a step: the client, for keys the firm, and for requests that reached no client the grant. */
export const subjectOfStep = ({ source, clientId, firmId, grantId }: RecordedStep): string =>
  source === 'key_events' ? firmId : (clientId ?? grantId ?? firmId);

const stepEntry = (step: StepRow): AnyEntry => ({
  ...{ at: step.at, id: step.id, text: stepText(step), subject: subjectOfStep(step), batch: 0 },
  place: step.leaf === null || step.number === null ? null : { number: step.number, index: step.leaf },
});

export interface Subject {
  entries: number;
  secret: Buffer;
}

/** Those of the subjects that have entries. */
export async function readSubjects(sql: Sql, subjects: readonly string[]): Promise<Map<string, Subject>> {
  const text = 'select subject, entries, secret from ledger_subjects where subject = any($1)';
  const rows = await sql.query<Subject & { subject: string }>({ text, values: [subjects] });
  return new Map(rows.map(({ subject, ...rest }) => [subject, rest]));
}

/** Null if it has no entry. */
export const readSubject = async (sql: Sql, subject: string): Promise<Subject | null> =>
  (await readSubjects(sql, [subject])).get(subject) ?? null;
