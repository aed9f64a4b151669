// Repositories: saves batches of access records and counts them by day; saving one twice changes nothing.
import { createHash, randomUUID } from 'node:crypto';
import {
  type AccessBatch,
  type AccessEvent,
  type AttemptEvent,
  type CallCount,
  type CallEvent,
  dayOf,
  type StrangerCount,
} from '#core/events.ts';
import { callText } from '#core/ledger/entry-text.ts';
import type { Database, Sql } from '#database/database.ts';
import { tellingUses, touchLastUsed } from '../keys/key-use.ts';
import { queueing } from '../ledger/pending.ts';
import { ALREADY_SAVED, type Attempt, type Before, claim, claimAhead, claimQueued } from './claims.ts';
import { CALLS, DAYS, type DayRow, inserting, insertTogether, QUEUED, REFUSALS, STRANGERS } from './insertions.ts';
import { FoundNumbers, KnownNumbers } from './numbers.ts';
import { addMonths } from './partitions.ts';

/** Characters that are kept of a caller's text. */
const MAX_TEXT = 200;
const PATIENCE_MS = 5_000;

export type SaveBatch = (batch: AccessBatch) => Promise<void>;

/** Of batches those that nobody has saved yet, which nobody else saves from then on until the transaction ends. */
type Choose = (sql: Sql, before: Before) => Promise<readonly AccessBatch[]>;

/** Saves batches of one writer, each in a transaction of its own. */
export function openAccessWriter(database: Database): SaveBatch {
  const write = openWriter(database);
  return (batch) => write(batch, [batch], async (_, before) => (before === ALREADY_SAVED ? [] : [batch]));
}

/**
 * Saves batches of any writers together, as they come out of a queue: those of one writer in the order of their numbers. What was
 * saved before is left out, also where it was saved ahead of the queue.
 */
export function openQueueWriter(database: Database): (batches: readonly AccessBatch[]) => Promise<void> {
  const write = openWriter(database);
  const attempts = attemptsOfOwn();
  return (batches) => write(attempts(), batches, (sql) => claimQueued(sql, batches));
}

/**
 * Saves a batch ahead of what its writer has in the queue, and perhaps of its own copy there: those before it can be saved still, its
 * copy is not saved again.
 */
export function openAheadWriter(database: Database): SaveBatch {
  const write = openWriter(database);
  const attempts = attemptsOfOwn();
  return (batch) => write(attempts(), [batch], (sql) => claimAhead(sql, batch));
}

function attemptsOfOwn(): () => Attempt {
  const writer = randomUUID();
  let number = 0;
  return () => ({ writer, number: ++number });
}

/**
 * Saves batches in one transaction. Months that nobody made before are made. What the database numbered is remembered for as
 * long as it knows of the last attempt: one that was restored to an earlier state does not.
 */
function openWriter(database: Database) {
  const known = new KnownNumbers();
  const tellUses = tellingUses();
  let last: number | null = null;
  const save = (attempt: Attempt, choose: Choose) =>
    database.connection(async ({ query }) => {
      const sql: Sql = { query: (statement) => query({ patienceMs: PATIENCE_MS, ...statement }) };
      await sql.query({ text: 'begin' });
      try {
        const before = await claim(sql, attempt);
        if (before !== last) known.forget();
        const found = new FoundNumbers(known);
        const chosen = await choose(sql, before);
        if (chosen.length > 0) await saveWithin(sql, together(chosen), found);
        await sql.query({ text: 'commit' });
        found.keep();
        last = attempt.number;
      } catch (error) {
        await sql.query({ text: 'rollback' }).catch(() => {});
        throw error;
      }
    });
  return async (attempt: Attempt, batches: readonly AccessBatch[], choose: Choose): Promise<void> => {
    const batch = together(batches);
    try {
      await save(attempt, choose);
    } catch (error) {
      if (!isMonthMissing(error)) throw error;
      await addMonths(database, monthsOf(batch));
      await save(attempt, choose);
    }
    await tellUses(database, usesOf(batch));
  };
}

type Content = Omit<AccessBatch, 'writer' | 'number'>;

function together(batches: readonly AccessBatch[]): Content {
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) return first;
  return {
    calls: batches.flatMap(({ calls }) => calls),
    attempts: batches.flatMap(({ attempts }) => attempts),
    counts: batches.flatMap(({ counts }) => counts),
    strangers: batches.flatMap(({ strangers }) => strangers),
  };
}

/** Calls, all of them listed, within a transaction that others end. */
export async function saveAccessRecords(sql: Sql, events: readonly AccessEvent[]): Promise<void> {
  const calls = events.map((event) => ({ event, listed: true }));
  const batch = { calls, attempts: [], counts: [], strangers: [] };
  await addMonths(sql, monthsOf(batch));
  await saveWithin(sql, batch, new FoundNumbers(new KnownNumbers()));
  await touchLastUsed(sql, usesOf(batch));
}

const isMonthMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '23514' && /no partition of relation/.test((error as Error).message);

const monthsOf = ({ calls, attempts }: Content): string[] => [
  ...new Set([...calls.map(({ event }) => event), ...attempts].map(({ at }) => `${at.slice(0, 7)}-01`)),
];

/** Also where no client was found: whether a key counts as used must not tell who is one. */
const usesOf = ({ calls }: Content): AccessEvent[] =>
  calls.map(({ event }) => event).filter(({ toolId }) => toolId === undefined);

async function saveWithin(sql: Sql, batch: Content, found: FoundNumbers): Promise<void> {
  const { keys, strangers } = await findAttempted(sql, batch);
  const parties = await readParties(sql, batch);
  const own = batch.calls.map(({ event }) => event).filter((event) => parties.of(event) !== null);
  const refusals = [
    ...batch.calls.flatMap(({ event, listed }) =>
      listed && !isRelated(event, parties) && event.toolId === undefined ? [refusedCall(event)] : [],
    ),
    ...batch.attempts.flatMap((attempt) => {
      const key = keys.get(nameOf(attempt.keyHash));
      return key === undefined ? [] : [refusedAttempt(attempt, key)];
    }),
  ];
  const events: RecordedCall[] = [...own, ...refusals.map(({ event }) => event)];
  const callers: Caller[] = [...own, ...refusals.map(({ key }) => key)];
  const shapeRows = events.map(shapeOf);
  const originRows = events.map(originOf);
  const shapes = await found.find(sql, 'shapes', shapeRows.map(textOf), (at) => withHash(shapeRows[at]));
  const origins = await found.find(sql, 'origins', originRows.map(textOf), (at) => withHash(originRows[at]));
  const keyNumbers = await found.find(
    sql,
    'keys',
    callers.map(({ keyId }) => keyId),
    (at) => [callers[at]?.keyId, callers[at]?.firmId],
  );
  const pairs = await found.find(sql, 'pairs', own.map(pairOf), (at) => [own[at]?.clientId, own[at]?.keyId]);
  const texts = own.map((event) => ledgerCall(event, parties.of(event) ?? ''));
  const calls = own.map((event, at) => ({
    event,
    shape: shapes[at],
    origin: origins[at],
    key: keyNumbers[at],
    pair: pairs[at],
    related: isRelated(event, parties),
  }));
  const refused = refusals.map(({ event, clientId, path }, nth) => {
    const at = own.length + nth;
    return { event, shape: shapes[at], origin: origins[at], key: keyNumbers[at], clientId, path };
  });
  await insertTogether(sql, [
    ...(texts.length === 0 ? [] : [{ name: QUEUED, ...queueing(texts) }]),
    ...inserting(CALLS, calls),
    ...inserting(REFUSALS, refused),
    ...inserting(DAYS, dayRows(batch, keys, parties)),
    ...inserting(STRANGERS, [...batch.strangers, ...strangers]),
  ]);
}

/** A call as the ledger commits to it: what its row will say. */
function ledgerCall(event: AccessEvent, clientId: string): { clientId: string; text: string } {
  const { requestId, at, firmId, keyId, endpoint, registryId, scopes, status, errorCode } = event;
  const { disclosure, version = null, toolRole = null, toolId = null } = event;
  const items = disclosure?.items ?? null;
  const removed = disclosure?.removed ?? null;
  const disclosed = disclosure?.scopes ?? null;
  const includes = disclosure?.includes ?? null;
  // biome-ignore format: in the order of the text
  const text = callText({
    requestId, at, clientId, firmId, keyId, endpoint, registryId, scopes, status, errorCode, toolRole, toolId, items, removed,
    disclosed, includes, version,
  });
  return { clientId, text };
}

interface Caller {
  firmId: string;
  keyId: string;
}

const nameOf = (keyHash: Buffer): string => keyHash.toString('hex');

/** Whose keys were tried, by the hash of the secret, and how often with secrets that are nobody's. */
async function findAttempted(
  sql: Sql,
  { attempts, counts }: Content,
): Promise<{ keys: Map<string, Caller>; strangers: StrangerCount[] }> {
  const tried = [
    ...attempts.map((attempt) => ({ ...attempt, day: dayOf(attempt.at), calls: 1 })),
    ...counts.flatMap(({ caller, ...count }) => ('keyHash' in caller ? [{ ...count, ...caller }] : [])),
  ];
  if (tried.length === 0) return { keys: new Map(), strangers: [] };
  const rows = await sql.query<Caller & { hash: Buffer }>({
    text: `select id as "keyId", firm_id as "firmId", secret_hash as hash from api_keys where secret_hash = any($1::bytea[])`,
    values: [tried.map(({ keyHash }) => keyHash)],
    prepare: true,
  });
  const keys = new Map(rows.map(({ hash, ...key }) => [nameOf(hash), key]));
  const strangers = tried
    .filter(({ keyHash }) => !keys.has(nameOf(keyHash)))
    .map(({ day, errorCode, calls }) => ({ day, errorCode: errorCode ?? '', calls }));
  return { keys, strangers };
}

interface Parties {
  /** The call's client, null where there is none. */
  of(event: AccessEvent): string | null;
  /** Whether a grant has ever joined key and client. */
  joined(event: AccessEvent): boolean;
}

const pairOf = ({ clientId, keyId }: AccessEvent): string => `${clientId} ${keyId}`;

/**
 * A call with scopes had a living grant; of others it is looked up. A request that nobody has approved joins nobody. Of a call
 * that the limit refused without the database it is not known whether its client exists.
 */
async function readParties(sql: Sql, { calls }: Content): Promise<Parties> {
  const doubtful = new Map<string, AccessEvent>();
  for (const { event } of calls) if (event.scopes === 0 && event.clientId !== null) doubtful.set(pairOf(event), event);
  const asked = [...doubtful.values()];
  const found =
    asked.length === 0
      ? []
      : await sql.query<{ client_id: string; key_id: string; exists: boolean; joined: boolean }>({
          // Limited, so that each is looked up: else all grants there are would be read and hashed.
          text: `select client_id, key_id, exists (select from users u where u.id = client_id and u.role = 'client') as exists,
              coalesce((select true from api_keys k join grants g on g.lineage_id = k.lineage_id
                where k.id = key_id and g.client_id = r.client_id and g.activated_at is not null limit 1), false) as joined
            from unnest($1::text[], $2::text[]) as r (client_id, key_id)`,
          values: [asked.map(({ clientId }) => clientId), asked.map(({ keyId }) => keyId)],
          prepare: true,
        });
  const known = new Map(found.map(({ client_id, key_id, ...rest }) => [`${client_id} ${key_id}`, rest]));
  return {
    of: (event) => (event.scopes !== 0 || known.get(pairOf(event))?.exists === true ? event.clientId : null),
    joined: (event) => event.scopes !== 0 || known.get(pairOf(event))?.joined === true,
  };
}

const isRelated = (event: AccessEvent, parties: Parties): boolean =>
  event.toolId === undefined && parties.of(event) !== null && parties.joined(event);

/** A refused call as its firm sees it: what it sent, and nothing that the database knows of the client. */
interface FirmRefusal {
  event: RecordedCall;
  key: Caller;
  clientId: string | null;
  path: string | null;
}

const refusedCall = (event: AccessEvent): FirmRefusal => ({
  event,
  key: event,
  clientId: event.namedClientId ?? event.clientId,
  path: null,
});

const refusedAttempt = (event: AttemptEvent, key: Caller): FirmRefusal => ({
  ...{ event, key, clientId: null },
  path: event.path === undefined ? null : storable(event.path),
});

/** PostgreSQL has no text with NUL, and none that is not well formed. */
const storable = (text: string): string => text.slice(0, MAX_TEXT).replaceAll('\0', '').toWellFormed();
const orNull = (text: string | undefined): string | null => (text === undefined ? null : storable(text));

type RecordedCall = CallEvent & Partial<AccessEvent>;

/** The columns of a shape, in their order. */
function shapeOf(event: RecordedCall): unknown[] {
  const { endpoint, scopes = 0, errorCode, disclosure, version = null, toolRole = null, toolId = null } = event;
  const { param, message } = event;
  const disclosed = disclosure?.scopes ?? null;
  const includes = disclosure?.includes ?? null;
  // biome-ignore format: one row
  return [endpoint, scopes, errorCode, orNull(param), orNull(message), disclosed, includes, version, toolRole, toolId];
}

const originOf = ({ address, userAgent }: CallEvent): unknown[] => [address ?? null, orNull(userAgent)];

const textOf = (row: unknown[]): string => JSON.stringify(row);

const withHash = (row: unknown[] = []): unknown[] => [createHash('md5').update(textOf(row)).digest('hex'), ...row];

/** Calls by day, each group once: of the firm's own calls with valid keys, of attempts with its keys, and of those not kept. */
function dayRows({ calls, attempts, counts }: Content, keys: ReadonlyMap<string, Caller>, parties: Parties): DayRow[] {
  const groups = new Map<string, DayRow>();
  const add = (caller: Caller | undefined, call: Omit<CallCount, 'caller'>, unlisted: number) => {
    if (caller === undefined) return;
    const errorCode = call.errorCode ?? '';
    const name = `${caller.firmId} ${call.day} ${caller.keyId} ${call.endpoint} ${call.status} ${errorCode}`;
    const group = groups.get(name);
    if (group === undefined) {
      const { day, endpoint, status, calls } = call;
      groups.set(name, {
        firmId: caller.firmId,
        day,
        keyId: caller.keyId,
        endpoint,
        status,
        errorCode,
        calls,
        unlisted,
      });
    } else {
      group.calls += call.calls;
      group.unlisted += unlisted;
    }
  };
  const oneOf = ({ at, endpoint, status, errorCode }: CallEvent) => ({
    ...{ endpoint, status, errorCode, day: dayOf(at), calls: 1 },
  });
  for (const { event, listed } of calls)
    if (event.toolId === undefined) add(event, oneOf(event), listed || isRelated(event, parties) ? 0 : 1);
  for (const attempt of attempts) add(keys.get(nameOf(attempt.keyHash)), oneOf(attempt), 0);
  for (const { caller, ...count } of counts)
    add('keyHash' in caller ? keys.get(nameOf(caller.keyHash)) : caller, count, count.calls);
  return [...groups.values()];
}
