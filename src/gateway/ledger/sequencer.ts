// Gateway: appends to the ledger each second, one gateway at a time.
import { setTimeout as after } from 'node:timers/promises';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Database } from '#database/database.ts';
import { appendPending } from './append.ts';

const INTERVAL_MS = 1_000;
/** So often it leaves the connections to requests, where none is without work; of a database that is away there is none. */
const MAX_LEFT = 10;
/** What a stop waits for: what is left, another gateway appends. */
const GRACE_MS = 3_000;

export interface Sequencer {
  /** Appends what is left, as far as that is quick. */
  close(): Promise<void>;
}

export interface SequencerOptions {
  /** Where the log will be read, for its name; null where the configuration does not say. */
  portalUrl: string | null;
  onFailure: (error: unknown) => void;
}

export function startSequencer(database: Database, { portalUrl, onFailure }: SequencerOptions): Sequencer {
  let left = 0;
  const appendAll = async () => {
    while ((await appendPending(database, portalUrl)) > 0);
  };
  const appending = oneAtATime(() => appendAll().catch(onFailure));
  const timer = setInterval(() => {
    left = database.pool().idle > 0 || left === MAX_LEFT ? 0 : left + 1;
    if (left === 0) void appending.run();
  }, INTERVAL_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      const rest = (async () => {
        await appending.idle();
        await appending.run();
      })();
      await Promise.race([rest, after(GRACE_MS, undefined, { ref: false })]);
    },
  };
}
