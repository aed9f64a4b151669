// The replica that portfolios are read from falls behind, or dies.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { withClient } from '#test/support/database-server.ts';
import { type Service, startPostgres, startStandby } from '#test/support/services.ts';
import { startPart } from './part.ts';

/** SQLSTATE of a statement that the replica cancels in order to apply a change of the primary. */
const CANCELLED_BY_REPLAY = '40001';

async function execute(replica: Service, text: string): Promise<void> {
  await withClient(replica.url, (client) => client.query(text)).catch((error) => {
    if (error.code !== CANCELLED_BY_REPLAY) throw error;
    return execute(replica, text);
  });
}

it.each([
  {
    name: 'falls behind for 5 s',
    alerts: ['PorticoReplicaBehind'],
    begin: (replica: Service) => execute(replica, 'select pg_wal_replay_pause()'),
    end: (replica: Service) => execute(replica, 'select pg_wal_replay_resume()'),
  },
  {
    name: 'is killed and comes back after 5 s',
    alerts: ['PorticoReplicaUnused'],
    begin: (replica: Service) => replica.kill(),
    end: (replica: Service) => replica.restart(),
  },
])('the replica $name', async ({ name, alerts, begin, end }) => {
  await using stack = new AsyncDisposableStack();
  const primary = await startPostgres();
  stack.defer(() => primary.stop());
  const replica = await startStandby(primary);
  stack.defer(() => replica.stop());
  const part = stack.use(await startPart({ DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replica.url }));
  const fault = `the replica ${name}`;
  await begin(replica);
  await sleep(5_000);
  await end(replica);
  await expectTally(fault, await part.recovered(), part.portfolio);
  // The lag is measured every five seconds, and counts as growing after three increases.
  const lookMs = 22_000;
  await expectAlerts(fault, alerts, part, { begin: () => begin(replica), end: () => end(replica), lookMs });
});
