// Gateway: a database whose waits for statements are measured for one request.
import type { StageTimes } from '#core/stages.ts';
import type { Database, Sql } from '#database/database.ts';

export const timed = (sql: Sql, times: StageTimes): Sql => ({
  query: (statement) => times.statement(statement.name ?? 'statement', sql.query(statement)) as never,
});

/** A transaction counts as one wait. */
export const timedDatabase = (database: Database, times: StageTimes): Database => ({
  ...database,
  ...timed(database, times),
  connection: (work) => times.statement('connection', database.connection(work)) as never,
  transaction: (work, options) => times.statement('transaction', database.transaction(work, options)) as never,
});
