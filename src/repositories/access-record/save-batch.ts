// Repositories: saves the calls of a batch within a transaction: to the record, the firms' view, the daily counts and
// the ledger.
import { hash } from 'node:crypto';
import type { AccessEvent, AttemptEvent, CallEvent } from '#core/events.ts';
import { callText } from '#core/ledger/entry-text.ts';
import type { Sql } from '#database/database.ts';
import { queueing, queueingWithoutSubject } from '../ledger/pending.ts';
import {
  type Caller,
  type Content,
  findAttempted,
  isRelated,
  nameOf,
  type Parties,
  pairOf,
  readParties,
} from './callers.ts';
import { dayRows } from './day-rows.ts';
import { CALLS, DAYS, insertBatched, inserting, QUEUED, REFUSALS, UNAUTHENTICATED } from './insertions.ts';
import type { FoundNumbers } from './numbers.ts';

/** Maximum length of a text from the caller. */
const MAX_TEXT = 200;

export async function saveInTransaction(sql: Sql, batch: Content, found: FoundNumbers): Promise<void> {
  const { keys, unauthenticated } = await findAttempted(sql, batch);
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
  const withoutClient = countWithoutClient(batch, parties);
  await insertBatched(sql, [
    ...(texts.length === 0 ? [] : [{ name: QUEUED, ...queueing(texts) }]),
    ...(withoutClient === 0 ? [] : [queueingWithoutSubject(withoutClient)]),
    ...inserting(CALLS, calls),
    ...inserting(REFUSALS, refused),
    ...inserting(DAYS, dayRows(batch, keys, parties)),
    ...inserting(UNAUTHENTICATED, [...batch.strangers, ...unauthenticated]),
  ]);
}

/** How many calls with valid keys concern no client. Each gets an entry in the ledger, like a call that concerns one. */
function countWithoutClient({ calls, counts }: Content, parties: Parties): number {
  const listed = calls.filter(({ event }) => parties.of(event) === null).length;
  return counts.reduce((sum, { caller, calls }) => ('keyId' in caller ? sum + calls : sum), listed);
}

/** A call as the ledger commits to it: the content of its row. */
function ledgerCall(event: AccessEvent, clientId: string): { clientId: string; text: string } {
  const { disclosure, version = null, toolRole = null, toolId = null } = event;
  const { items = null, removed = null, scopes: disclosed = null, includes = null } = disclosure ?? {};
  const carried = { items, removed, disclosed, includes };
  return { clientId, text: callText({ ...event, clientId, toolRole, toolId, version, ...carried }) };
}

/** A refused call as its firm sees it: the content of its request, and nothing that the database knows of the client. */
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

/** PostgreSQL accepts neither NUL nor malformed UTF-16 in text. */
const storable = (text: string): string => text.slice(0, MAX_TEXT).replaceAll('\0', '').toWellFormed();
const orNull = (text: string | undefined): string | null => (text === undefined ? null : storable(text));

type RecordedCall = CallEvent & Partial<AccessEvent>;

/** The columns of a shape, in the order of the table's columns. */
function shapeOf(event: RecordedCall): unknown[] {
  const { endpoint, scopes = 0, errorCode, disclosure, version = null, toolRole = null, toolId = null } = event;
  const { param, message } = event;
  const { scopes: disclosed = null, includes = null } = disclosure ?? {};
  // biome-ignore format: one row
  return [endpoint, scopes, errorCode, orNull(param), orNull(message), disclosed, includes, version, toolRole, toolId];
}

const originOf = ({ address, userAgent }: CallEvent): unknown[] => [address ?? null, orNull(userAgent)];

const textOf = (row: unknown[]): string => JSON.stringify(row);

const withHash = (row: unknown[] = []): unknown[] => [hash('md5', textOf(row)), ...row];
