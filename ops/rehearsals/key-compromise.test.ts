// docs/runbooks/key-compromise.md: a leaked key is revoked on every gateway at once, and its firm continues with
// another.

import { expect, it } from 'vitest';
import { sendOne, startLoad } from '#test/faults/load.ts';
import { expectNothingLost, startFleet } from './fleet.ts';

it('a leaked key is rotated without overlap, and its successor revoked', async () => {
  await using fleet = await startFleet();
  const { portfolio, balancer } = fleet;
  const { spare } = portfolio;
  const thief = startLoad(portfolio.wanted(balancer.url, spare), 4);
  try {
    await fleet.served(200);
    const rotated = JSON.parse(await fleet.portico('key', 'rotate', spare.id, '--overlap', '0s', '--json'));
    const rotatedAt = performance.now();
    await fleet.served(300);
    const sent = await thief.stop();
    expect(sent.filter(({ started, status }) => started < rotatedAt && status === 200).length).toBeGreaterThan(0);
    const late = sent.filter(({ started }) => started > rotatedAt);
    expect(late.length).toBeGreaterThan(0);
    // Forged and revoked keys count against the address, so some requests are refused by that limit.
    expect(late.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);

    const successor = await sendOne(portfolio.wanted(balancer.url, { secret: rotated.secret })(1));
    expect(successor.status).toBe(200);
    const listed = await fleet.portico('access', 'list', '--client', portfolio.clientId, '--limit', '10000', '--json');
    const records: { key_id: string; request_id: string }[] = JSON.parse(listed);
    const [read] = sent.filter(({ status }) => status === 200);
    expect(records).toContainEqual(
      expect.objectContaining({ key_id: spare.id, request_id: read?.headers['x-request-id'] }),
    );

    await fleet.portico('key', 'revoke', rotated.id);
    const refused = await sendOne(portfolio.wanted(balancer.url, { secret: rotated.secret })(1));
    expect([401, 429]).toContain(refused.status);
  } finally {
    await thief.stop();
  }
  await fleet.recovered();
  await expectNothingLost('planned: a key is rotated without overlap, its successor revoked', fleet);
});
