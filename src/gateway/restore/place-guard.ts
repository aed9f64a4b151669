// Gateway: keeps a running process on the database it was started on. Connections to another place, such as a promoted
// standby or a restored backup behind the same name, are only used once that may be served too.
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Sql } from '#database/database.ts';
import { UnusableSession } from '#database/session.ts';
import { readPlace } from '#repositories/restores.ts';

/** After a refusal, the database is not checked again for this time. */
const PAUSE_MS = 1_000;

export class PlaceGuard {
  readonly #find: () => Promise<string>;
  /** Null until the check at the start. */
  #place: string | null = null;
  #failure: { at: number; error: unknown } | null = null;

  /** `find` determines, on its own connection, the place of the database, and throws where it may not be served. */
  constructor(find: () => Promise<string>) {
    this.#find = find;
  }

  /** From now on the database at this place is served. */
  serve(place: string): void {
    this.#place = place;
  }

  /** Throws UnusableSession where the connection leads to a database that may not be served. */
  admit = async (sql: Sql): Promise<void> => {
    if (this.#place === null) return;
    const { present } = await readPlace(sql);
    if (present === this.#place) return;
    await this.verify();
    if (present !== this.#place) throw new UnusableSession('the server does not have the database that may be served');
  };

  /** Checks whether the database may be served at its present place. Throws UnusableSession. */
  async verify(): Promise<void> {
    if (this.#failure !== null && performance.now() < this.#failure.at + PAUSE_MS) throw unusable(this.#failure.error);
    await this.#verification.run();
  }

  readonly #verification = oneAtATime(async () => {
    try {
      this.#place = await this.#find();
      this.#failure = null;
    } catch (error) {
      this.#failure = { at: performance.now(), error };
      throw unusable(error);
    }
  });
}

const unusable = (cause: unknown) => new UnusableSession((cause as Error).message, { cause });
