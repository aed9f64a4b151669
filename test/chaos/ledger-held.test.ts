// Another session locks the ledger for a while, so that nothing is appended to it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { startPostgres } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('another session locks the ledger for 5 s', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const part = stack.use(await startPart({ DATABASE_URL: postgres.url }));
  let holder: Client;
  const begin = async () => {
    holder = new Client({ connectionString: postgres.url });
    await holder.connect();
    await holder.query('begin; select from ledger for update');
  };
  const end = () => holder.end();
  const fault = 'another session locks the ledger for 5 s';
  await begin();
  await sleep(5_000);
  await end();
  await expectTally(fault, await part.recovered(), part.portfolio);
  // The gateway measures the ledger every five seconds.
  await expectAlerts(fault, ['PorticoLedgerBehind'], part, { begin, end, lookMs: 24_000 });
});
