// docs/runbooks/failover.md: each part fails under load and recovers by the runbook's steps.

import { expect, it } from 'vitest';
import type { Sent } from '#test/faults/load.ts';
import { until } from '#test/support/ports.ts';
import { promote } from '#test/support/services.ts';
import { commitAlone, expectNoOtherLoss, sql, startFleet } from './fleet.ts';

it('a gateway dies', async () => {
  await using fleet = await startFleet();
  await fleet.served(300);
  const [gateway] = fleet.gateways;
  const killed = performance.now();
  gateway?.serve.signal('SIGKILL');
  await gateway?.serve.exited;
  await fleet.served(300);
  await fleet.start(0);
  await fleet.recovered();
  const itsLastSecond = ({ ended }: Sent) => ended > killed - 1_000 && ended < killed + 1_000;
  await expectNoOtherLoss('one of three gateways is killed', fleet, { unanswered: true, missing: itsLastSecond });
});

it('the primary dies, and the replica is promoted', async () => {
  await using fleet = await startFleet();
  await fleet.served(300);
  await fleet.primary.kill();
  await promote(fleet.standby);
  await commitAlone(fleet.standby);
  await fleet.recovered();
  await expectNoOtherLoss('the primary is killed, the replica promoted', fleet);
});

it('the primary is shut down, and the replica promoted', async () => {
  await using fleet = await startFleet();
  await fleet.served(300);
  // A fast shutdown sends everything to the replica before it ends.
  await fleet.primary.stop();
  await promote(fleet.standby);
  await commitAlone(fleet.standby);
  await fleet.recovered();
  await expectNoOtherLoss('switchover: the primary is shut down, the replica promoted', fleet);
});

it('the replica dies, and commits no longer wait for it', async () => {
  await using fleet = await startFleet();
  await fleet.served(300);
  await fleet.standby.kill();
  await fleet.served(300);
  await commitAlone(fleet.primary);
  // A statement that waits for its commit.
  await sql(fleet.primary, 'select pg_current_xact_id()');
  await fleet.served(300);
  await fleet.standby.restart();
  const follows = async () =>
    (await sql(fleet.primary, `select from pg_stat_replication where state = 'streaming'`)).rowCount === 1;
  await until(follows, 60_000, () => new Error('the replica does not follow'));
  await fleet.recovered();
  const tally = await expectNoOtherLoss('the replica is killed and comes back', fleet);
  expect(tally.served).toBe(tally.sent);
});

it('each master of the Redis Cluster dies in turn', async () => {
  await using fleet = await startFleet();
  for (const master of await fleet.redis.masters()) await fleet.redis.failOver(master, () => fleet.served(100));
  await fleet.recovered();
  const tally = await expectNoOtherLoss('each master of the Redis Cluster is killed in turn', fleet);
  expect(tally.served).toBe(tally.sent);
});
