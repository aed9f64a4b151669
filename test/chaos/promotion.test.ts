// The primary dies, its standby, which confirms each commit, is promoted, and the address is pointed to it.

import { Client } from 'pg';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { until } from '#test/support/ports.ts';
import { startRelay } from '#test/support/relay.ts';
import { promote, startPostgres, startStandby } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('the primary dies and its standby is promoted', async () => {
  await using stack = new AsyncDisposableStack();
  const primary = await startPostgres();
  stack.defer(() => primary.stop());
  const standby = await startStandby(primary);
  stack.defer(() => standby.stop());
  const relay = await startRelay(primary.url);
  stack.defer(() => relay.stop());
  const part = stack.use(await startPart({ DATABASE_URL: relay.url }));
  const admin = new Client({ connectionString: primary.url });
  await admin.connect();
  await admin.query(`alter system set synchronous_standby_names = '*'`);
  await admin.query('select pg_reload_conf()');
  const synchronous = async () =>
    (await admin.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1;
  await until(synchronous, 60_000, () => new Error('the standby does not follow'));
  await admin.end();
  await part.served(200);

  const fault = 'the primary is killed, its standby promoted';
  await primary.kill();
  await promote(standby);
  relay.leadTo(standby.port);
  await expectTally(fault, await part.recovered(), part.portfolio);
  const next = await startStandby(standby);
  stack.defer(() => next.stop());
  await expectAlerts(fault, ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'], part, {
    begin: () => standby.kill(),
    end: async () => {
      await promote(next);
      relay.leadTo(next.port);
    },
  });
});
