// Gateway: looks every few seconds how the database is, for those who want to know without asking it.
import { type Clock, compareClocks } from '#core/clock.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Database } from '#database/database.ts';
import { requireUsable } from '#database/migrate.ts';
import type { Reads } from '#database/replicas.ts';
import { daysAhead } from '#repositories/access-record/partitions.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { readWaiting, type Waiting } from '#repositories/ledger/pending.ts';
import { UnconfirmedDatabase } from './servable.ts';

export interface DatabaseState {
  usable: boolean;
  /** It was restored, moved or promoted, and waits for somebody to confirm it. */
  unconfirmed: boolean;
  /** This process's clock ahead of the database's, less what the way to it may explain; null where it did not say. */
  clockAheadSeconds: number | null;
  /** For how many days from now on the access record takes calls; null where the database did not say. */
  recordDaysAhead: number | null;
  /** What waits to be appended to the ledger, of all gateways; null where the database did not say. */
  ledger: Waiting | null;
}

export class DatabaseWatch {
  /** What the last look found. A process starts with a database that may be served. */
  state: DatabaseState = {
    ...{ usable: true, unconfirmed: false, clockAheadSeconds: null, recordDaysAhead: null, ledger: null },
  };
  readonly #database: Database;
  readonly #reads: Pick<Reads, 'measure'>;
  readonly #clock: Clock;
  readonly #looking = oneAtATime(() => this.#look());

  constructor({ database, reads }: { database: Database; reads: Pick<Reads, 'measure'> }, clock: Clock) {
    this.#database = database;
    this.#reads = reads;
    this.#clock = clock;
  }

  /** Looks anew, unless the last look goes on: one that hangs is answered in its time. */
  look(): void {
    void this.#looking.run();
  }

  async #look(): Promise<void> {
    const failure: unknown = await requireUsable(this.#database).then(
      () => null,
      (error: unknown) => error,
    );
    this.state = {
      usable: failure === null,
      unconfirmed: isUnconfirmed(failure),
      clockAheadSeconds: failure === null ? await this.#clockAhead().catch(() => null) : null,
      recordDaysAhead: failure === null ? await daysAhead(this.#database).catch(() => null) : null,
      ledger: failure === null ? await readWaiting(this.#database).catch(() => null) : null,
    };
    await this.#reads.measure();
  }

  async #clockAhead(): Promise<number> {
    const { min, max } = await compareClocks(() => readServerClock(this.#database), this.#clock);
    // Of the database's against ours, which is the other way round.
    if (min > 0) return -min / 1_000;
    return max < 0 ? -max / 1_000 : 0;
  }
}

function isUnconfirmed(failure: unknown): boolean {
  for (let one = failure; one instanceof Error; one = one.cause) if (one instanceof UnconfirmedDatabase) return true;
  return false;
}
