// The database is brought back as it was some seconds ago, under a gateway that goes on.

import { Client } from 'pg';
import { it } from 'vitest';
import type { Sent } from '#test/faults/load.ts';
import { expectTally } from '#test/faults/tally.ts';
import { startRelay } from '#test/support/relay.ts';
import { startPostgres, startStandby } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('the database is restored to an earlier moment', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const relay = await startRelay(postgres.url);
  stack.defer(() => relay.stop());
  const part = stack.use(await startPart({ DATABASE_URL: relay.url }));
  const backup = await startStandby(postgres);
  stack.defer(() => backup.stop());
  await backup.kill();
  const after = performance.now();
  await part.served(200);

  await postgres.kill();
  const killed = performance.now();
  await backup.restart();
  const client = new Client({ connectionString: backup.url });
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
  relay.leadTo(backup.port);
  // Records are written a moment after the answer, and what came between backup and death is what a restore loses.
  const lost = ({ ended }: Sent) => ended > after - 1_000 && ended < killed + 1_000;
  await expectTally('the database is restored to a moment ago', await part.mended(), part.portfolio, { missing: lost });
});
