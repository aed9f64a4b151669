// The gateway's role is limited to fewer connections than the gateway opens.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { startPostgres } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('the role is limited to 3 connections', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const url = new URL(postgres.url);
  url.username = 'limited';
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query('create role limited login connection limit 40; grant pg_monitor to limited');
  await admin.query('alter database postgres owner to limited; alter schema public owner to limited');
  const part = stack.use(await startPart({ DATABASE_URL: url.href }));
  const begin = async () => {
    await admin.query('alter role limited connection limit 3');
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited'`);
  };
  const end = () => admin.query('alter role limited connection limit 40');
  const fault = 'the role is limited to 3 connections for 5 s';
  await begin();
  await sleep(5_000);
  await part.served();
  await end();
  await expectTally(fault, await part.recovered(), part.portfolio);
  await expectAlerts(fault, [], part, { begin, end });
  await admin.end();
});
