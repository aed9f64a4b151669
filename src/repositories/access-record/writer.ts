// Repositories: saves batches of access records, each once however often it is tried.
import { randomUUID } from 'node:crypto';
import { type AccessBatch, type AccessEvent, dayOf } from '#core/events.ts';
import type { Database, Sql } from '#database/database.ts';
import { tellingUses, touchLastUsed } from '../keys/key-use.ts';
import type { Content } from './callers.ts';
import { ALREADY_SAVED, type Attempt, type Before, claim, claimAhead, claimQueued } from './claims.ts';
import { FoundNumbers, KnownNumbers } from './numbers.ts';
import { addMonths } from './partitions.ts';
import { saveWithin } from './save-batch.ts';

export type SaveBatch = (batch: AccessBatch) => Promise<void>;

/** Of batches those that nobody has saved yet, which nobody else saves from then on until the transaction ends. */
type Choose = (sql: Sql, before: Before) => Promise<readonly AccessBatch[]>;

/** Saves batches of one writer, each in a transaction of its own. How long they may take is up to `database`. */
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
  const save = async (attempt: Attempt, day: string, choose: Choose) => {
    const found = await database.transaction(async (sql) => {
      const before = await claim(sql, attempt);
      if (before !== last) known.forget();
      const numbers = new FoundNumbers(known, day);
      const chosen = await choose(sql, before);
      if (chosen.length > 0) await saveWithin(sql, together(chosen), numbers);
      return numbers;
    });
    found.keep();
    last = attempt.number;
  };
  return async (attempt: Attempt, batches: readonly AccessBatch[], choose: Choose): Promise<void> => {
    const batch = together(batches);
    try {
      await save(attempt, lastDayOf(batch), choose);
    } catch (error) {
      if (!isMonthMissing(error)) throw error;
      await addMonths(database, monthsOf(batch));
      await save(attempt, lastDayOf(batch), choose);
    }
    await tellUses(database, usesOf(batch));
  };
}

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
  await saveWithin(sql, batch, new FoundNumbers(new KnownNumbers(), lastDayOf(batch)));
  await touchLastUsed(sql, usesOf(batch));
}

/** The UTC day of the newest call that is listed. */
const lastDayOf = ({ calls, attempts }: Content): string =>
  [...calls.map(({ event }) => event), ...attempts].reduce((last, { at }) => (dayOf(at) > last ? dayOf(at) : last), '');

/** No partition takes the row. Constraints that are violated have a name; the message is in the server's language. */
const isMonthMissing = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23514' && constraint === undefined;
};

const monthsOf = ({ calls, attempts }: Content): string[] => [
  ...new Set([...calls.map(({ event }) => event), ...attempts].map(({ at }) => `${at.slice(0, 7)}-01`)),
];

/** Also where no client was found: whether a key counts as used must not tell who is one. */
const usesOf = ({ calls }: Content): AccessEvent[] =>
  calls.map(({ event }) => event).filter(({ toolId }) => toolId === undefined);
