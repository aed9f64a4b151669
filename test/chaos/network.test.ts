// The network between gateway and PostgreSQL is cut, drops all traffic, or is slow.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { type Relay, startRelay } from '#test/support/relay.ts';
import { startPostgres } from '#test/support/services.ts';
import { startPart } from './part.ts';

it.each([
  {
    name: 'is cut for 5 s',
    ms: 5_000,
    cause: (relay: Relay) => relay.cut(),
    alerts: ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'],
  },
  {
    name: 'drops all traffic for 8 s',
    ms: 8_000,
    cause: (relay: Relay) => relay.block(),
    alerts: ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'],
  },
  {
    name: 'adds 600 ms each way for 8 s',
    ms: 8_000,
    cause: (relay: Relay) => relay.slow(600),
    alerts: ['PorticoSlow'],
    // A batch of records takes seven round trips and one of the ledger twenty, so the age of waiting entries drops only
    // every half minute.
    lookMs: 90_000,
  },
])('the network to PostgreSQL $name', async ({ name, ms, cause, alerts, lookMs }) => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const relay = await startRelay(postgres.url);
  stack.defer(() => relay.stop());
  const part = stack.use(await startPart({ DATABASE_URL: relay.url, DATABASE_CONNECTIONS: '30' }, postgres.url));
  const fault = `the network to PostgreSQL ${name}`;
  cause(relay);
  await sleep(ms);
  relay.mend();
  await expectTally(fault, await part.recovered(), part.portfolio);
  await expectAlerts(fault, alerts, part, { begin: () => cause(relay), end: () => relay.mend(), lookMs });
});
