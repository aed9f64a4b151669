// Bench, hand-written gateways: the connections and secrets of a process.
import { Redis } from 'ioredis';
import pg, { type CustomTypesConfig, type Pool, type QueryResultRow } from 'pg';
import { type Cursors, createCursors } from '../../../src/core/cursor.ts';
import { RedisLimiter } from '../../../src/limits/redis-limiter.ts';

export interface House {
  pool: Pool;
  limiter: RedisLimiter;
  cursors: Cursors;
  query: Query;
}

/** Runs a statement under a name, so that it stays prepared. */
export type Query = (text: string, values: readonly unknown[]) => Promise<QueryResultRow[]>;

/** `types`: parsers that replace pg's own. */
export async function openHouse(types?: CustomTypesConfig): Promise<House> {
  const { DATABASE_URL, REDIS_URL = '', PG_OPTIONS = '' } = process.env;
  const pool = new pg.Pool({
    connectionString: DATABASE_URL,
    max: 10,
    idleTimeoutMillis: 600_000,
    // Like the product: compiling a plan costs more than any of the statements.
    options: `-c timezone=UTC -c jit=off ${PG_OPTIONS}`,
    ...(types === undefined ? {} : { types }),
  });
  const names = new Map<string, string>();
  const query: Query = async (text, values) => {
    let name = names.get(text);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return (await pool.query({ name, text, values: values as unknown[] })).rows;
  };
  // The product's key, so that cursors can be compared.
  const [deployment] = (await pool.query('select cursor_key from deployment')).rows;
  return {
    pool,
    query,
    cursors: createCursors(deployment.cursor_key),
    limiter: new RedisLimiter(new Redis(REDIS_URL)),
  };
}
