// Database: one handle on PostgreSQL: the ORM for entities and migrations, its pool for prepared hot reads.

import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg, { type ClientBase, type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { entities } from './entities/index.ts';
import { migrations } from './migrations/index.ts';
import { PreparedRead } from './prepared-read.ts';
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

export interface Database extends Sql {
  orm: MikroORM;
  /** Lends one connection to `work`. */
  connection<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction on one connection; whatever it throws rolls back. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `postgres://…`; a Unix socket as `postgres://user@/name?host=/dir`. */
  url: string;
  /** Most connections at once. */
  connections?: number;
  /** Off for the embedded server, whose single session would see one name from several connections. */
  prepare?: boolean;
  /** Told of connections that the server dropped; the pool replaces them by itself. */
  onConnectionLost?: (error: Error) => void;
}

/** A pool waits for a query by itself. */
function submit(client: PoolClient, read: PreparedRead): Promise<QueryResultRow[]> {
  return new Promise((resolve, reject) => {
    read.callback = (error, rows = []) => (error === null ? resolve(rows) : reject(error));
    client.query(read);
  });
}

/** Times are read in this form only. Compiling a plan costs more than any of our statements. */
const SESSION = "set timezone = 'UTC'; set datestyle = 'ISO'; set jit = off";
const CONNECT_PATIENCE_MS = 4_000;

/** Opens the pool; connects on first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, connections = 10, prepare = true, onConnectionLost } = options;
  const orm = new MikroORM({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true },
    pool: { min: 0, max: connections, idleTimeoutMillis: 600_000 },
    driverOptions: {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_PATIENCE_MS,
      application_name: 'portico',
      // Not as start-up options, which those of the URL would replace.
      onConnect: (client: ClientBase) => client.query({ text: SESSION, ...{ query_timeout: CONNECT_PATIENCE_MS } }),
    },
    ensureDatabase: false,
  });
  const pool: Pool = await orm.em.getConnection().getNativeClient();
  if (onConnectionLost !== undefined) pool.on('error', onConnectionLost);

  const sqlOver = (target: Pool | PoolClient): Sql => ({
    async query({ text, values = [], prepare: wanted, patienceMs }) {
      if (prepare && wanted === true) {
        const read = new PreparedRead({ text, values, patienceMs }, parserOf);
        return (await (target === pool ? pool.query(read) : submit(target as PoolClient, read))) as never;
      }
      const result = await target.query({
        text,
        types: WIRE_TYPES,
        values: values as unknown[],
        ...(patienceMs === undefined ? {} : { query_timeout: patienceMs }),
      });
      return result.rows;
    },
  });

  const connection = async <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> => {
    const client = await pool.connect();
    let broken = false;
    const noteBreak = () => {
      broken = true;
    };
    client.on('error', noteBreak);
    const { query } = sqlOver(client);
    const sql: Sql = {
      query: (statement) =>
        query(statement).catch((error: unknown) => {
          // Given up, its answer may still come: nobody else should meet it.
          if (statement.patienceMs !== undefined && !(error instanceof pg.DatabaseError)) broken = true;
          throw error;
        }) as never,
    };
    try {
      return await work(sql);
    } finally {
      client.off('error', noteBreak);
      client.release(broken);
    }
  };

  return {
    orm,
    query: sqlOver(pool).query,
    connection,
    transaction: (work) =>
      connection(async (sql) => {
        await sql.query({ text: 'begin' });
        try {
          const result = await work(sql);
          await sql.query({ text: 'commit' });
          return result;
        } catch (error) {
          // A rollback can only fail with the connection, and that rolls back by itself.
          await sql.query({ text: 'rollback' }).catch(() => {});
          throw error;
        }
      }),
    async close() {
      await orm.close(true);
      // The ORM ends the pool only where it used it itself.
      if (!pool.ending) await pool.end();
    },
  };
}
