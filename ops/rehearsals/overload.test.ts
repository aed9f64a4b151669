// docs/runbooks/overload.md: a partner sends many times its limit: it is refused, and the others are not affected.

import { expect, it } from 'vitest';
import { TIER_LIMITS } from '#core/tiers.ts';
import { startLoad } from '#test/faults/load.ts';
import { until } from '#test/support/ports.ts';
import { expectNothingLost, startFleet } from './fleet.ts';

it('a partner sends many times what its tier allows', async () => {
  await using fleet = await startFleet();
  const { portfolio, balancer } = fleet;
  await fleet.portico('key', 'tier', portfolio.spare.id, 'standard', '--reason', 'overload');
  const began = performance.now();
  const flood = startLoad(portfolio.wanted(balancer.url, portfolio.spare), 24);
  try {
    const refused = () => flood.sent.filter(({ status }) => status === 429).length;
    await until(
      async () => refused() > 2_000,
      240_000,
      () => new Error(`${refused()} requests were refused`),
    );
    expect(await fleet.portico('limits', 'peek', portfolio.spare.id)).toContain(portfolio.spare.id);
  } finally {
    await flood.stop();
  }
  const windows = Math.ceil((performance.now() - began) / 60_000) + 1;
  const served = flood.sent.filter(({ status }) => status === 200).length;
  expect(served).toBeLessThanOrEqual(windows * TIER_LIMITS.standard);
  const others = flood.sent.filter(({ status }) => status !== 200 && status !== 429);
  expect(others).toEqual([]);
  await fleet.recovered();
  await expectNothingLost('planned: a partner sends many times what its tier allows', fleet);
});
