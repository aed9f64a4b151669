// The database is restored to its state of some seconds ago, under a running gateway.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { runHere } from '#test/cli/portico.ts';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import type { Sent } from '#test/faults/load.ts';
import { expectTally, recordedUntil } from '#test/faults/tally.ts';
import { startRelay } from '#test/support/relay.ts';
import { promote, type Service, startPostgres, startStandby } from '#test/support/services.ts';
import { startPart } from './part.ts';

/** A server behind a relay, which forwards to a copy once that is restored. */
async function startRestorable(stack: AsyncDisposableStack) {
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  const relay = await startRelay(postgres.url);
  stack.defer(() => relay.stop());
  return {
    postgres,
    url: relay.url,
    async backUp(server: Service): Promise<Service> {
      const backup = await startStandby(server);
      stack.defer(() => backup.stop());
      await backup.kill();
      return backup;
    },
    async restore(backup: Service): Promise<void> {
      await backup.restart();
      await promote(backup);
      relay.leadTo(backup.port);
    },
  };
}

it('the database is restored to an earlier moment', async () => {
  await using stack = new AsyncDisposableStack();
  const { postgres, url, backUp, restore } = await startRestorable(stack);
  const part = stack.use(await startPart({ DATABASE_URL: url }));
  const before = await recordedUntil(part.load, part.portfolio);
  const backup = await backUp(postgres);
  await part.served(200);

  await postgres.kill();
  const killed = performance.now();
  await restore(backup);
  // Records between the backup and the kill are lost by the restore.
  const lost = ({ started, ended }: Sent) => ended > before && started < killed;
  const fault = 'the database is restored to an earlier moment';
  await expectTally(fault, await part.recovered(), part.portfolio, { missing: lost });
  const next = await backUp(backup);
  await expectAlerts(fault, ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'], part, {
    begin: () => backup.kill(),
    end: () => restore(next),
  });
});

it('the database is restored, and an operator has to confirm it', async () => {
  await using stack = new AsyncDisposableStack();
  const { postgres, url, backUp, restore } = await startRestorable(stack);
  const part = stack.use(await startPart({ DATABASE_URL: url, REVOCATION_JOURNAL: '' }));
  const confirm = () => runHere({ DATABASE_URL: url }, 'restore', '--confirm');
  const before = await recordedUntil(part.load, part.portfolio);
  const backup = await backUp(postgres);
  await postgres.kill();
  const killed = performance.now();
  await restore(backup);
  await sleep(5_000);
  await confirm();
  const lost = ({ started, ended }: Sent) => ended > before && started < killed;
  const fault = 'the database is restored, and confirmed after 5 s';
  await expectTally(fault, await part.recovered(), part.portfolio, { missing: lost });
  const next = await backUp(backup);
  const alerts = ['PorticoDatabaseAway', 'PorticoDatabaseUnconfirmed', 'PorticoRequestsFail', 'PorticoRecordsWaiting'];
  await expectAlerts(fault, alerts, part, {
    begin: async () => {
      await backup.kill();
      await restore(next);
    },
    end: confirm,
  });
});
