// docs/runbooks/redis-loss.md: the whole Cluster fails for a while, and comes back empty.

import { expect, it } from 'vitest';
import { answers, until } from '#test/support/ports.ts';
import { expectNoOtherLoss, startFleet } from './fleet.ts';

it('the whole Redis Cluster is killed and comes back empty', async () => {
  await using fleet = await startFleet();
  const { nodes } = fleet.redis;
  for (const node of nodes) await node.kill();
  const degraded = async () => {
    const states = await Promise.all(fleet.gateways.map(({ serve }) => serve.readiness()));
    return states.every(({ status, body }) => status === 200 && body.away?.includes('redis'));
  };
  await until(degraded, 60_000, () => new Error('the gateways do not report Redis as unavailable'));
  await fleet.served(600);
  for (const node of nodes) await node.restart();
  const healthy = async () =>
    (await Promise.all(nodes.map(({ port }) => answers(port, 'CLUSTER INFO\r\n', 'cluster_state:ok')))).every(Boolean);
  await until(healthy, 120_000, () => new Error('the Cluster does not become healthy'));
  await fleet.recovered();
  const tally = await expectNoOtherLoss('the whole Redis Cluster is killed and comes back empty', fleet);
  // Without Redis each gateway enforces a share of each limit, which the load does not reach.
  expect(tally.served).toBe(tally.sent);
});
