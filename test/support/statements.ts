// Test support: the statements that a gateway executes for requests.
import type { Database, Statement } from '#database/database.ts';

/** Matches unnamed statements of background work, which have a timeout like those of requests. */
const BACKGROUND = new RegExp(
  [
    ...['limit_sums', 'ledger', 'ledger_\\w+', 'witness', 'gateway_processes', 'mikro_orm_migrations', 'pg_inherits'],
    ...['transaction_read_only', 'clock_timestamp', 'to_regclass', 'missing_triggers'],
  ]
    .map((word) => `\\b${word}\\b`)
    .concat('set last_used_at')
    .join('|'),
);

/** Whether the statement is of a request, and not of background work. */
export const isOfRequest = ({ name, patienceMs, text }: Statement): boolean =>
  patienceMs !== undefined && (name !== undefined || !BACKGROUND.test(text));

/**
 * The statements for requests that `database` executes during `work`, without background work: saving calls, appending
 * to the ledger, summing up limits and checking the database.
 */
export async function requestStatements(database: Database, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { query } = database;
  database.query = (statement) => {
    statements.push(statement);
    return query(statement) as never;
  };
  try {
    await work();
  } finally {
    database.query = query;
  }
  return statements.filter(isOfRequest);
}
