// Database: the handle on PostgreSQL: a connection pool, and statements and transactions on it.
import pg, { type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { urlsOfHosts } from '#core/database-url.ts';
import { cancel, isGivenUp } from './cancel.ts';
import { connectPatience, governConnections } from './connections.ts';
import { PreparedRead, submit } from './prepared-read.ts';
import type { RevocationJournal } from './revocation-journal.ts';
import { isOfAnother, type SessionSettings, sessionOf } from './session.ts';
import { parserOf, WIRE_TYPES } from './wire-types.ts';

export interface Statement {
  /** Name of the statement in metrics and traces. */
  name?: string;
  text: string;
  values?: readonly unknown[];
  /** Keeps the statement prepared on connections that ran it recently; for frequent reads. */
  prepare?: boolean;
  /** Timeout in milliseconds, after which the statement fails and its connection is dropped; absent: none. */
  patienceMs?: number;
}

/** Runs statements: the pool, or one connection inside a transaction. */
export interface Sql {
  /** Runs one statement. Values in the rows are in wire format (see WIRE_TYPES). */
  query<Row extends QueryResultRow>(statement: Statement): Promise<Row[]>;
}

/** Connections of a pool: maximum, open and idle ones, and callers waiting for one. */
export interface PoolState {
  max: number;
  open: number;
  idle: number;
  waiting: number;
}

export interface Database extends Sql {
  /** The journal of revocations made through this handle; null without a journal. */
  journal: RevocationJournal | null;
  pool(): PoolState;
  /** A raw driver connection, for libraries that run their own statements. It must be released. */
  connect(): Promise<PoolClient>;
  /** Lends one connection to `work`, with the name of its session. */
  connection<Result>(work: (sql: Sql, session?: string) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction, and rolls back if it throws. With `noTimeout`, its statements have no timeout. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>, options?: { noTimeout?: boolean }): Promise<Result>;
  close(): Promise<void>;
}

/** The part of Database that atomic acts need. */
export type Transactions = Pick<Database, 'transaction'>;

export interface DatabaseOptions {
  /** `postgres://…`; of several hosts the primary is used. A Unix socket is `postgres://user@/name?host=/dir`. */
  url: string;
  /** The cluster whose standbys are accepted; absent where a primary is needed. */
  replicaOf?: string;
  /** Maximum number of connections. */
  connections?: number;
  /** Off for the embedded server: its single session would get the same name from several connections. */
  prepare?: boolean;
  /**
   * Maximum wait for an answer, in milliseconds. The server ends statements, and their waits for locks, before. Absent
   * for work of any length.
   */
  patienceMs?: number;
  /** Records every revocation before the statement that made it returns. */
  journal?: RevocationJournal | null;
  /** Checks each new connection. If it throws, the connection is not used. */
  admit?: (sql: Sql) => Promise<void>;
}

/** The timeout of a lock is shorter, so that its error is reported; both are shorter than the caller's wait. */
function timeouts(patienceMs: number): SessionSettings {
  return { statement_timeout: `${Math.floor(patienceMs * 0.9)}`, lock_timeout: `${Math.floor(patienceMs * 0.8)}` };
}

/** If a rollback takes longer, its connection is dropped: the statement before may still be running. */
const ROLLBACK_PATIENCE_MS = 1_000;

/** Opens the pool. It connects on first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { connections = 10, prepare = true, patienceMs = 0, replicaOf, journal = null, admit } = options;
  const urls = urlsOfHosts(options.url);
  const [url = ''] = urls;
  const connectPatienceMs = connectPatience(urls.length);
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectPatienceMs,
    application_name: 'portico',
    ...{ min: 0, max: connections, idleTimeoutMillis: 600_000 },
    // Detects a server that is gone even where no sent data is unacknowledged.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 60_000 },
  });
  governConnections(pool, urls, { settings: timeouts(patienceMs), replicaOf, own: prepare }, async (client) => {
    journal?.watch(client);
    const { query } = sqlOver(client);
    await admit?.({ query: (statement) => query({ patienceMs: connectPatienceMs, ...statement }) });
  });
  // A dropped connection fails its running statement. Without listeners it would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  pool.on('release', (error, client) => {
    if (isGivenUp(error)) cancel(client);
  });

  const run = async (target: Pool | PoolClient, { text, values = [], prepare: wanted, patienceMs }: Statement) => {
    if (prepare && wanted === true) {
      const read = new PreparedRead({ text, values, patienceMs }, parserOf);
      return (target === pool ? await pool.query(read) : await submit(target as PoolClient, read)) as never;
    }
    const result = await target.query({
      text,
      types: WIRE_TYPES,
      values: values as unknown[],
      ...(patienceMs === undefined ? {} : { query_timeout: patienceMs }),
    });
    return result.rows;
  };
  const sqlOver = (target: Pool | PoolClient): Sql => ({
    query: (statement) =>
      journal === null || target === pool
        ? run(target, statement)
        : journal.settled(target as PoolClient, run(target, statement)),
  });

  const connection = connectionsOf(pool, sqlOver);

  return {
    journal,
    connect: () => pool.connect(),
    pool: () => ({ max: connections, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    // The journal has to know on which connection the statement ran.
    query: journal === null ? sqlOver(pool).query : (statement) => connection((sql) => sql.query(statement)),
    connection,
    transaction: transactionsOver(connection),
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

/** Work on a dedicated connection. The connection is not reused after it broke or timed out. */
function connectionsOf(pool: Pool, sqlOver: (client: PoolClient) => Sql): Database['connection'] {
  return async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const noteBreak = (error: Error) => {
      broken = error;
    };
    client.on('error', noteBreak);
    const noteShared = (error: Error) => {
      if (isOfAnother(error)) broken ??= error;
    };
    const { query } = sqlOver(client);
    const sql: Sql = {
      query: (statement) =>
        query(statement).catch((error: Error) => {
          // The answer may still come and must not reach another caller.
          if (statement.patienceMs !== undefined && !(error instanceof pg.DatabaseError)) broken ??= error;
          noteShared(error);
          throw error;
        }) as never,
    };
    try {
      return await work(sql, sessionOf(client));
    } catch (error) {
      noteShared(error as Error);
      throw error;
    } finally {
      client.off('error', noteBreak);
      client.release(broken);
    }
  };
}

/** Transactions, each on a dedicated connection. */
export function transactionsOver(connection: Database['connection']): Database['transaction'] {
  return (work, { noTimeout = false } = {}) =>
    connection(async (sql) => {
      await sql.query({ text: 'begin' });
      try {
        if (noTimeout) await sql.query({ text: 'set local statement_timeout = 0' });
        const result = await work(sql);
        await sql.query({ text: 'commit' });
        return result;
      } catch (error) {
        // A rollback only fails with its connection, and then the server rolls back.
        await sql.query({ text: 'rollback', patienceMs: ROLLBACK_PATIENCE_MS }).catch(() => {});
        throw error;
      }
    });
}
