// docs/runbooks/upgrade.md, without a migration: gateways are replaced one by one, without an interruption.

import { it } from 'vitest';
import { expectNothingLost, startFleet } from './fleet.ts';

it('three gateways are restarted, one after the other', async () => {
  await using fleet = await startFleet();
  for (const index of fleet.gateways.keys()) {
    await fleet.stop(index);
    await fleet.served();
    await fleet.start(index);
  }
  await fleet.recovered();
  await expectNothingLost('planned: three gateways are restarted, one after the other', fleet);
});
