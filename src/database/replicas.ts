// Database: reads that may go to a replica that has everything on which the request was admitted.
import { setTimeout as sleep } from 'node:timers/promises';
import { hostOf } from '#core/database-url.ts';
import { type Database, openDatabase, type PoolState, type Sql, type Statement } from './database.ts';
import { forRequests } from './for-requests.ts';
import { CLUSTER, requireOwn, SESSION_NAME } from './session.ts';
import { LOG_POSITION, REPLAYED_HISTORY } from './snapshot.ts';

export interface ReplicaState {
  name: string;
  /** Whether it answered and followed the primary's history when last queried or measured. It may be behind. */
  usable: boolean;
  /** Seconds behind the primary; null where unknown. */
  lagSeconds: number | null;
  pool: PoolState;
}

export interface Reads {
  /**
   * Where to read what was committed by `position` (LOG_POSITION of the primary): a replica that has reached it, or the
   * primary. Each statement runs in a session that has just confirmed this, because one name may lead to several
   * servers.
   */
  at(position: string | null): Sql;
  /** The present state of the replicas. One that failed, is behind or has another history is not used for a while. */
  states(): ReplicaState[];
  /** Requests that read a portfolio, by the server that answered. */
  counts(): { primary: number; replica: number };
  /** Checks whether the replicas can be read, and how far they are behind. */
  measure(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a position that must equal REPLAYED_HISTORY of a replica. */
const historyOf = (position: string): string => position.split(' ').slice(2).join(' ');

const TRIES = 3;
const PAUSE_MS = 2;
/** Timeout of a replica, after which the primary answers. */
const REPLICA_PATIENCE_MS = 500;
/** How long a replica is not used after it failed or had another history, and after it was behind. */
const REST_MS = 5_000;
const BEHIND_REST_MS = 1_000;

/** Without replicas, all reads go to the primary without overhead. */
export async function openReads(primary: Database, urls: readonly string[], connections: number): Promise<Reads> {
  const counts = { primary: 0, replica: 0 };
  if (urls.length === 0) {
    const at = (position: string | null) => {
      if (position !== null) counts.primary += 1;
      return primary;
    };
    return { at, states: () => [], counts: () => counts, measure: async () => {}, close: async () => {} };
  }
  const [of] = await primary.query<{ cluster: string }>({ text: `select ${CLUSTER} as cluster` });
  const open = async (url: string): Promise<Replica> => {
    const replicaOf = of?.cluster ?? '';
    const database = await openDatabase({ url, connections, patienceMs: REPLICA_PATIENCE_MS, replicaOf });
    return new Replica(hostOf(url), forRequests(database, REPLICA_PATIENCE_MS));
  };
  const replicas = await Promise.all(urls.map(open));
  let turn = 0;
  return {
    at(position) {
      if (position === null) return primary;
      const first = turn++ % replicas.length;
      const inTurn = [...replicas.slice(first), ...replicas.slice(0, first)];
      let counted = false;
      const count = (who: keyof typeof counts) => {
        if (!counted) counts[who] += 1;
        counted = true;
      };
      return {
        query: async (statement) => {
          for (const replica of inTurn) {
            const rows = await replica.read(position, statement);
            if (rows === null) continue;
            count('replica');
            return rows as never;
          }
          count('primary');
          return primary.query(statement) as never;
        },
      };
    },
    states: () => replicas.map((replica) => replica.state()),
    counts: () => counts,
    async measure() {
      const text = `select pg_current_wal_lsn()::text as written, ${LOG_POSITION} as position`;
      const [at = null] = await primary.query<{ written: string; position: string }>({ text }).catch(() => []);
      await Promise.all(replicas.map((replica) => replica.measure(at)));
    },
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

class Replica {
  readonly name: string;
  readonly #database: Database;
  #restingUntil = 0;
  #usable = true;
  #lagSeconds: number | null = null;

  constructor(name: string, database: Database) {
    this.name = name;
    this.#database = database;
  }

  state(): ReplicaState {
    return { name: this.name, usable: this.#usable, lagSeconds: this.#lagSeconds, pool: this.#database.pool() };
  }

  /** An idle primary commits nothing. A replica that has replayed all that was `written` is not behind, however old. */
  async measure(primary: { written: string; position: string } | null): Promise<void> {
    this.#lagSeconds = null;
    if (primary === null) return;
    const text = `select case when pg_last_wal_replay_lsn() >= $1::pg_lsn then 0
      else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) end::float8 as lag,
      pg_is_in_recovery() and ${REPLAYED_HISTORY} = $2 as follows, ${SESSION_NAME} as session`;
    const values = [primary.written, historyOf(primary.position)];
    type Found = { lag: number | null; follows: boolean | null; session: string | null };
    const look = async (sql: Sql, session?: string) => {
      const [found] = await sql.query<Found>({ text, values });
      requireOwn(found?.session, session);
      return found;
    };
    const found = await this.#database.connection(look).catch(() => undefined);
    this.#usable = found?.follows === true;
    this.#lagSeconds = found?.lag ?? null;
  }

  /** The rows; null where the replica must not be read. It may cancel a read, or fail during one. */
  async read(position: string, statement: Statement): Promise<unknown[] | null> {
    if (performance.now() < this.#restingUntil) return null;
    try {
      return await this.#database.connection(async (sql) =>
        (await this.#hasReached(sql, position)) ? sql.query(statement) : null,
      );
    } catch {
      this.#usable = false;
      this.#rest(REST_MS);
      return null;
    }
  }

  /**
   * Whether the session's server has reached the position, and its clock the position's instant: how long a response
   * stays valid is computed from the primary's clock, and by a slower clock yesterday's response would be kept for
   * today. If not, the replica rests.
   */
  async #hasReached(sql: Sql, position: string): Promise<boolean> {
    const [lsn, instant] = position.split(' ');
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) await sleep(PAUSE_MS);
      const [row] = await sql.query<{ reached: boolean | null; history: string }>({
        name: 'replica',
        text: `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn
            and extract(epoch from clock_timestamp()) >= $2::numeric as reached,
          ${REPLAYED_HISTORY} as history`,
        values: [lsn, instant],
        prepare: true,
      });
      if (row?.reached !== true) continue;
      this.#usable = row.history === historyOf(position);
      if (!this.#usable) this.#rest(REST_MS);
      return this.#usable;
    }
    this.#rest(BEHIND_REST_MS);
    return false;
  }

  #rest(milliseconds: number): void {
    this.#restingUntil = performance.now() + milliseconds;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
