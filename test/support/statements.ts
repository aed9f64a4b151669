// Test support: which statements a gateway gives its database.
import type { Database, Statement } from '#database/database.ts';

/** In statements without a name: what a gateway reads and writes by itself, as for requests within a time. */
const BY_ITSELF = new RegExp(
  [
    ...['limit_sums', 'ledger', 'ledger_\\w+', 'witness', 'gateway_processes', 'mikro_orm_migrations', 'pg_inherits'],
    ...['transaction_read_only', 'clock_timestamp', 'to_regclass', 'missing_triggers'],
  ]
    .map((word) => `\\b${word}\\b`)
    .concat('set last_used_at')
    .join('|'),
);

/** Whether a request asked for it, and not the gateway by itself. */
export const isOfRequest = ({ name, patienceMs, text }: Statement): boolean =>
  patienceMs !== undefined && (name !== undefined || !BY_ITSELF.test(text));

/**
 * The statements that `database` was given for requests while `work` was done, however long it takes: not those by which the
 * gateway saves calls, appends to the ledger, sums up limits and looks at its database every few seconds.
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
