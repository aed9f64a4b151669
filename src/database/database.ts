// Database: one handle on PostgreSQL: a pool for statements.
import pg, { type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { urlsOfHosts } from '#core/database-url.ts';
import { cancel, isGivenUp } from './cancel.ts';
import { connectPatience, governConnections } from './connections.ts';
import { PreparedRead, submit } from './prepared-read.ts';
import type { RevocationJournal } from './revocation-journal.ts';
import { isOfAnother, type SessionSettings, sessionOf } from './session.ts';
import { parserOf, WIRE_TYPES } from './wire-types.ts';

export interface Statement {
  /** What it reads, for those who watch or count statements. */
  name?: string;
  text: string;
  values?: readonly unknown[];
  /** Keeps the statement prepared on each connection that ran it lately; for the hot reads. */
  prepare?: boolean;
  /** Milliseconds after which the statement fails and its connection is given up; absent: as long as it takes. */
  patienceMs?: number;
}

/** Anything that runs a statement: the pool, or one connection inside a transaction. */
export interface Sql {
  /** Runs one statement; the rows carry wire-ready values (see WIRE_TYPES). */
  query<Row extends QueryResultRow>(statement: Statement): Promise<Row[]>;
}

/** Connections of a pool: those there may be and are, those without work, and callers that wait for one. */
export interface PoolState {
  most: number;
  open: number;
  idle: number;
  waiting: number;
}

export interface Database extends Sql {
  /** Told of what is taken away through this handle; null where none is kept. */
  journal: RevocationJournal | null;
  pool(): PoolState;
  /** A connection of the driver's own, for libraries with statements of their own; it has to be released. */
  connect(): Promise<PoolClient>;
  /** Lends one connection to `work`, and says what it named its session. */
  connection<Result>(work: (sql: Sql, session?: string) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction on one connection; whatever it throws rolls back. Unhurried, its statements may take long. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>, options?: { unhurried?: boolean }): Promise<Result>;
  close(): Promise<void>;
}

/** As much of it as acts need that are all or nothing. */
export type Transactions = Pick<Database, 'transaction'>;

export interface DatabaseOptions {
  /** `postgres://…`, with several hosts of which the primary is used; a Unix socket as `postgres://user@/name?host=/dir`. */
  url: string;
  /** The cluster of which a standby will do; absent where a primary is wanted. */
  replicaOf?: string;
  /** Most connections at once. */
  connections?: number;
  /** Off for the embedded server, whose single session would see one name from several connections. */
  prepare?: boolean;
  /**
   * How long anybody waits for an answer, in milliseconds: the server ends statements, and their waits for locks, before.
   * Absent for work that takes as long as it takes.
   */
  patienceMs?: number;
  /** Knows of every act that took access away before the statement that did it returns. */
  journal?: RevocationJournal | null;
  /** Looks at each new connection; where it throws, the connection is not used. */
  admit?: (sql: Sql) => Promise<void>;
  /** Told of connections that the server dropped; the pool replaces them by itself. */
  onConnectionLost?: (error: Error) => void;
}

/** A lock that somebody holds for long is given up first, and says so; whoever waits for the statement is still there. */
function timeouts(patienceMs: number): SessionSettings {
  return { statement_timeout: `${Math.floor(patienceMs * 0.9)}`, lock_timeout: `${Math.floor(patienceMs * 0.8)}` };
}

/** A connection on which it takes longer is given up: the statement before may still have no answer. */
const ROLLBACK_PATIENCE_MS = 1_000;

/** Opens the pool; connects on first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const {
    connections = 10,
    prepare = true,
    patienceMs = 0,
    replicaOf,
    journal = null,
    admit,
    onConnectionLost,
  } = options;
  const urls = urlsOfHosts(options.url);
  const [url = ''] = urls;
  const connectPatienceMs = connectPatience(urls.length);
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectPatienceMs,
    application_name: 'portico',
    ...{ min: 0, max: connections, idleTimeoutMillis: 600_000 },
    // A server that is gone without a word is noticed also where all that it was sent has arrived.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 60_000 },
  });
  governConnections(pool, urls, { settings: timeouts(patienceMs), replicaOf, own: prepare }, async (client) => {
    journal?.watch(client);
    const { query } = sqlOver(client);
    await admit?.({ query: (statement) => query({ patienceMs: connectPatienceMs, ...statement }) });
  });
  // A connection that the server drops fails whatever runs on it. Without listeners it would end the process, too.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  if (onConnectionLost !== undefined) pool.on('error', onConnectionLost);
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
    pool: () => ({ most: connections, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    // The journal has to know which connection did it.
    query: journal === null ? sqlOver(pool).query : (statement) => connection((sql) => sql.query(statement)),
    connection,
    transaction: transactionsOver(connection),
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

/** Work on a connection of its own, which goes to nobody else where it broke, or where an answer on it was given up. */
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
          // Given up, its answer may still come: nobody else should meet it.
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

/** Transactions, each on a connection of its own. */
export function transactionsOver(connection: Database['connection']): Database['transaction'] {
  return (work, { unhurried = false } = {}) =>
    connection(async (sql) => {
      await sql.query({ text: 'begin' });
      try {
        if (unhurried) await sql.query({ text: 'set local statement_timeout = 0' });
        const result = await work(sql);
        await sql.query({ text: 'commit' });
        return result;
      } catch (error) {
        // A rollback can only fail with the connection, and that rolls back by itself.
        await sql.query({ text: 'rollback', patienceMs: ROLLBACK_PATIENCE_MS }).catch(() => {});
        throw error;
      }
    });
}
