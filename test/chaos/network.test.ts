// The network between gateway and PostgreSQL is cut, or loses everything in silence.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { expectTally } from '#test/faults/tally.ts';
import { type Relay, startRelay } from '#test/support/relay.ts';
import { startPostgres } from '#test/support/services.ts';
import { startPart } from './part.ts';

it.each([
  ['is cut for 5 s', (relay: Relay) => relay.cut()],
  ['loses everything in silence for 8 s', (relay: Relay) => relay.block()],
])('the network to PostgreSQL %s', async (name, fault) => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const relay = await startRelay(postgres.url);
  stack.defer(() => relay.stop());
  const part = stack.use(await startPart({ DATABASE_URL: relay.url }, postgres.url));
  fault(relay);
  await sleep(name.includes('8 s') ? 8_000 : 5_000);
  relay.mend();
  await expectTally(`the network to PostgreSQL ${name}`, await part.mended(), part.portfolio);
});
