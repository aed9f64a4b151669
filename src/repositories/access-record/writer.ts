// Repositories: saves batches of access records, each exactly once however often it is tried.
import { randomUUID } from 'node:crypto';
import { type AccessBatch, type AccessEvent, dayOf } from '#core/events.ts';
import type { Database, Sql } from '#database/database.ts';
import { createUseReporter, touchLastUsed } from '../keys/key-use.ts';
import type { Content } from './callers.ts';
import { ALREADY_SAVED, type Before, claim, claimAhead, claimQueued, type SaveId } from './claims.ts';
import { FoundNumbers, NumberCache } from './numbers.ts';
import { addMonths } from './partitions.ts';
import { saveInTransaction } from './save-batch.ts';

export type SaveBatch = (batch: AccessBatch) => Promise<void>;

/** Chooses the batches that are not saved yet and claims them until the transaction ends. */
type Choose = (sql: Sql, before: Before) => Promise<readonly AccessBatch[]>;

/** Saves batches of one writer, each in its own transaction. `database` sets the timeout. */
export function openAccessWriter(database: Database): SaveBatch {
  const write = openWriter(database);
  return (batch) => write(batch, [batch], async (_, before) => (before === ALREADY_SAVED ? [] : [batch]));
}

/**
 * Saves batches of any writers from a queue together; those of one writer are in the order of their numbers. Batches
 * that are already saved are left out, including those that were saved ahead of the queue.
 */
export function openQueueWriter(database: Database): (batches: readonly AccessBatch[]) => Promise<void> {
  const write = openWriter(database);
  const nextId = ownSaveIds();
  return (batches) => write(nextId(), batches, (sql) => claimQueued(sql, batches));
}

/**
 * Saves a batch ahead of its writer's earlier batches in the queue, and perhaps of its own copy there. The earlier
 * batches can still be saved; the copy is not saved again.
 */
export function openAheadWriter(database: Database): SaveBatch {
  const write = openWriter(database);
  const nextId = ownSaveIds();
  return (batch) => write(nextId(), [batch], (sql) => claimAhead(sql, batch));
}

function ownSaveIds(): () => SaveId {
  const writer = randomUUID();
  let number = 0;
  return () => ({ writer, number: ++number });
}

/**
 * Saves batches in one transaction, and creates missing months. Numbers are cached as long as the database knows of the
 * last attempt: one that was restored to an earlier state does not.
 */
function openWriter(database: Database) {
  const cache = new NumberCache();
  const reportUses = createUseReporter();
  let last: number | null = null;
  const save = async (saveId: SaveId, day: string, choose: Choose) => {
    const found = await database.transaction(async (sql) => {
      const before = await claim(sql, saveId);
      if (before !== last) cache.forget();
      const numbers = new FoundNumbers(cache, day);
      const chosen = await choose(sql, before);
      if (chosen.length > 0) await saveInTransaction(sql, mergeBatches(chosen), numbers);
      return numbers;
    });
    found.addToCache();
    last = saveId.number;
  };
  return async (saveId: SaveId, batches: readonly AccessBatch[], choose: Choose): Promise<void> => {
    const batch = mergeBatches(batches);
    try {
      await save(saveId, lastDayOf(batch), choose);
    } catch (error) {
      if (!isMonthMissing(error)) throw error;
      await addMonths(database, monthsOf(batch));
      await save(saveId, lastDayOf(batch), choose);
    }
    await reportUses(database, usesOf(batch));
  };
}

function mergeBatches(batches: readonly AccessBatch[]): Content {
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) return first;
  return {
    calls: batches.flatMap(({ calls }) => calls),
    attempts: batches.flatMap(({ attempts }) => attempts),
    counts: batches.flatMap(({ counts }) => counts),
    strangers: batches.flatMap(({ strangers }) => strangers),
  };
}

/** Saves calls, all of them listed, within the caller's transaction. */
export async function saveAccessRecords(sql: Sql, events: readonly AccessEvent[]): Promise<void> {
  const calls = events.map((event) => ({ event, listed: true }));
  const batch = { calls, attempts: [], counts: [], strangers: [] };
  await addMonths(sql, monthsOf(batch));
  await saveInTransaction(sql, batch, new FoundNumbers(new NumberCache(), lastDayOf(batch)));
  await touchLastUsed(sql, usesOf(batch));
}

/** The UTC day of the newest listed call. */
const lastDayOf = ({ calls, attempts }: Content): string =>
  [...calls.map(({ event }) => event), ...attempts].reduce((last, { at }) => (dayOf(at) > last ? dayOf(at) : last), '');

/**
 * No partition takes the row. Recognized by the absence of a constraint's name, since the message is in the server's
 * language.
 */
const isMonthMissing = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23514' && constraint === undefined;
};

const monthsOf = ({ calls, attempts }: Content): string[] => [
  ...new Set([...calls.map(({ event }) => event), ...attempts].map(({ at }) => `${at.slice(0, 7)}-01`)),
];

/**
 * Calls that count as use of a key. It must not reveal who is a client, so calls for which no client was found are
 * included, and calls that are not listed are not: of those, only the ones about a client are in a batch.
 */
const usesOf = ({ calls }: Content): AccessEvent[] =>
  calls.flatMap(({ event, listed }) => (listed && event.toolId === undefined ? [event] : []));
