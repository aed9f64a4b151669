// Gateway: appends to the ledger every second, one gateway at a time.
import { oneAtATime } from '#core/one-at-a-time.ts';
import { finishInGrace } from '#core/with-timeout.ts';
import type { Database } from '#database/database.ts';
import { appendPending } from './append.ts';

const INTERVAL_MS = 1_000;
/**
 * Maximum number of turns skipped in favour of requests while no connection is idle. Bounded, because none is ever idle
 * while the database is away.
 */
const MAX_LEFT = 10;

export interface SequencerOptions {
  /** Where the log is served, for its name; null where it is not configured. */
  portalUrl: string | null;
  onFailure: (error: unknown) => void;
}

/** `close` appends the rest as far as time allows. */
export function startSequencer(database: Database, { portalUrl, onFailure }: SequencerOptions) {
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
    async close(): Promise<void> {
      clearInterval(timer);
      const rest = (async () => {
        await appending.idle();
        await appending.run();
      })();
      await finishInGrace(rest);
    },
  };
}
