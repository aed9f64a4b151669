// Test support: waits for the ledger.
import type { Sql } from '#database/database.ts';
import { until } from './ports.ts';

/** Waits until the gateway has appended everything recorded to the ledger. */
export const appended = (sql: Sql): Promise<void> =>
  until(
    async () => (await sql.query({ text: 'select from ledger_pending' })).length === 0,
    60_000,
    () => new Error('not everything was appended'),
  );
