// Writers that change one client's portfolio until they are stopped: transactions of several steps, some long, some
// rolled back.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#database/database.ts';
import type { Chance } from './chance.ts';
import { type Done, STEPS, type Stage } from './portfolio-steps.ts';

/** One committed change of an item; `at`: `performance.now()` when the commit was acknowledged. */
export interface Committed {
  itemId: string;
  notes: number;
  at: number;
}

export interface WritersLog {
  committed: Committed[];
  deleted: Set<string>;
  transactions: number;
}

/** Errors caused by concurrent writers: lock timeouts, deadlocks, deleted items, duplicate ids. */
const COLLISIONS = ['55P03', '40P01', '23503', '23505'];

class Abandoned extends Error {}

/** The changes of one committed transaction; null if it was rolled back. */
async function transaction(database: Database, stage: Stage, chance: Chance): Promise<Done[] | null> {
  const long = chance.likely(0.08);
  try {
    return await database.transaction(async (sql) => {
      const done: Done[] = [];
      await sql.query({ text: "set local lock_timeout = '400ms'" });
      for (let steps = 1 + chance.below(4); steps > 0; steps--) {
        const guarded = chance.likely(0.5);
        const undo = guarded && chance.likely(0.4);
        if (guarded) await sql.query({ text: 'savepoint step' });
        const change = await chance.pick(STEPS)(sql, stage, chance);
        if (guarded) await sql.query({ text: `${undo ? 'rollback to' : 'release'} savepoint step` });
        if (change !== undefined && !undo) done.push(change);
        await sleep(long ? 200 + chance.below(900) : chance.below(8));
      }
      if (chance.likely(0.1)) throw new Abandoned();
      return done;
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (error instanceof Abandoned || COLLISIONS.includes(code)) return null;
    throw error;
  }
}

/** Starts `count` writers; `stop` waits for their open transactions. */
export function startWriters(
  database: Database,
  stage: Stage,
  chance: Chance,
  count: number,
): { log: WritersLog; stop(): Promise<void> } {
  const log: WritersLog = { committed: [], deleted: new Set(), transactions: 0 };
  let running = true;
  const note = (changes: Done[]) => {
    const at = performance.now();
    for (const { itemId, notes } of changes) {
      if (notes === null) log.deleted.add(itemId);
      else log.committed.push({ itemId, notes, at });
    }
    log.transactions += 1;
  };
  const writers = Array.from({ length: count }, async (_, index) => {
    const own = chance.fork(index);
    while (running) {
      const changes = await transaction(database, stage, own);
      if (changes !== null) note(changes);
    }
  });
  return {
    log,
    async stop() {
      running = false;
      await Promise.all(writers);
    },
  };
}
