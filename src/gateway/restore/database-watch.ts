// Gateway: checks the state of the database every few seconds, for readers that must not query it.
import { type Clock, compareClocks } from '#core/clock.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import { NoConnection } from '#database/connections.ts';
import type { Database } from '#database/database.ts';
import { requireUsable } from '#database/migrate.ts';
import type { Reads } from '#database/replicas.ts';
import { daysAhead } from '#repositories/access-record/partitions.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { readWaiting, type Waiting } from '#repositories/ledger/pending.ts';
import { UnconfirmedDatabase } from './servable.ts';

export interface DatabaseState {
  usable: boolean;
  /** It was restored, moved or promoted, and waits for confirmation. */
  unconfirmed: boolean;
  /** How far this process's clock is ahead of the database's, less the time of the query; null where unknown. */
  clockAheadSeconds: number | null;
  /** Number of days for which the access record has partitions; null where unknown. */
  recordDaysAhead: number | null;
  /** Entries waiting to be appended to the ledger, of all gateways; null where unknown. */
  ledger: Waiting | null;
}

export class DatabaseWatch {
  /** The latest state. A process starts with a usable database. */
  state: DatabaseState = {
    ...{ usable: true, unconfirmed: false, clockAheadSeconds: null, recordDaysAhead: null, ledger: null },
  };
  readonly #database: Database;
  readonly #reads: Pick<Reads, 'measure'>;
  readonly #clock: Clock;
  readonly #checking = oneAtATime(() => this.#check());

  constructor({ database, reads }: { database: Database; reads: Pick<Reads, 'measure'> }, clock: Clock) {
    this.#database = database;
    this.#reads = reads;
    this.#clock = clock;
  }

  /** Checks again, unless a check is running. A hanging check ends by its timeouts. */
  check(): void {
    void this.#checking.run();
  }

  async #check(): Promise<void> {
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
    // compareClocks gives the database's lead, of which this is the negative.
    if (min > 0) return -min / 1_000;
    return max < 0 ? -max / 1_000 : 0;
  }
}

function isUnconfirmed(failure: unknown): boolean {
  if (failure instanceof NoConnection) return failure.errors.some(isUnconfirmed);
  return failure instanceof UnconfirmedDatabase || (failure instanceof Error && isUnconfirmed(failure.cause));
}
