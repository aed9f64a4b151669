// Repositories: the lease for maintenance of the access record and its archive, held by one process at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';

const LEASE = 'hashtextextended($$portico access record$$, 0)';
const RETRY_MS = 200;

/**
 * Runs `work` on the connection whose session has the lease, so that the lease ends with the session. Null if another
 * process has it.
 */
export function withLease<Result>(database: Database, work: (sql: Sql) => Promise<Result>): Promise<Result | null> {
  return database.connection(async (sql) => {
    if (!(await readValue<boolean>(sql, { text: `select pg_try_advisory_lock(${LEASE}) as taken` }))) return null;
    try {
      return await work(sql);
    } finally {
      await sql.query({ text: `select pg_advisory_unlock(${LEASE})` });
    }
  });
}

/** The same, but waits until the lease is free; `signal` aborts the wait. */
export async function awaitLease<Result>(
  database: Database,
  work: (sql: Sql) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    const done = await withLease(database, async (sql) => ({ result: await work(sql) }));
    if (done !== null) return done.result;
    await sleep(RETRY_MS, undefined, { signal });
  }
}
