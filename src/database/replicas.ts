// Database: reads that may go to a replica, and only to one that has everything the request was admitted on.
import { type Database, openDatabase, type Sql } from './database.ts';
import { forRequests } from './for-requests.ts';

export interface Reads {
  /** Where to read what was committed by `position` (a WAL position of the primary): a replica that has it, or the primary. */
  at(position: string | null): Sql | Promise<Sql>;
  /** The replicas as they are now: one that failed is not asked for a while. */
  states(): { name: string; usable: boolean }[];
  close(): Promise<void>;
}

const TRIES = 3;
const PAUSE_MS = 2;
/** A replica that takes longer is passed over: the primary answers. */
const REPLICA_PATIENCE_MS = 500;
/** How long a replica that failed is left alone. */
const REST_MS = 5_000;

/** Without replicas the primary is read, at no cost. */
export async function openReads(primary: Database, urls: readonly string[], connections: number): Promise<Reads> {
  if (urls.length === 0) return { at: () => primary, states: () => [], close: async () => {} };
  const replicas = await Promise.all(
    urls.map(
      async (url) =>
        new Replica(nameOf(url), forRequests(await openDatabase({ url, connections }), REPLICA_PATIENCE_MS), primary),
    ),
  );
  let turn = 0;
  return {
    async at(position) {
      if (position === null) return primary;
      for (let tried = 0; tried < replicas.length; tried++) {
        const replica = replicas[turn++ % replicas.length];
        if (replica !== undefined && (await replica.hasReached(position))) return replica;
      }
      return primary;
    },
    states: () => replicas.map(({ name, resting }) => ({ name, usable: !resting })),
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

/** Host and port of a URL, or the socket's directory: what may be shown of it. */
function nameOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed?.host || parsed?.searchParams.get('host') || 'replica';
}

class Replica implements Sql {
  readonly name: string;
  readonly #database: Database;
  readonly #primary: Sql;
  #restingUntil = 0;

  constructor(name: string, database: Database, primary: Sql) {
    this.name = name;
    this.#database = database;
    this.#primary = primary;
  }

  get resting(): boolean {
    return Date.now() < this.#restingUntil;
  }

  async hasReached(position: string): Promise<boolean> {
    if (this.resting) return false;
    try {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        if (attempt > 0) await new Promise((wake) => setTimeout(wake, PAUSE_MS));
        const [row] = await this.#database.query<{ reached: boolean | null }>({
          text: 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as reached',
          values: [position],
          prepare: true,
        });
        if (row?.reached === true) return true;
      }
    } catch {
      this.#restingUntil = Date.now() + REST_MS;
    }
    return false;
  }

  /** A replica may cancel a read, or go away in the middle of it: the primary then answers. */
  query: Sql['query'] = (statement) =>
    this.#database.query(statement as never).catch(() => {
      this.#restingUntil = Date.now() + REST_MS;
      return this.#primary.query(statement as never);
    }) as never;

  close(): Promise<void> {
    return this.#database.close();
  }
}
