// The gateway's clock steps forward and back by an hour. Needs libfaketime.

import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { startPart } from './part.ts';

it('the clock of the gateway steps by an hour, forward and back', async () => {
  const [library] = globSync('/usr/lib/{*/,}faketime/libfaketime.so.1');
  expect(library, 'install libfaketime').toBeDefined();
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'portico-clock-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'offset');
  writeFileSync(file, '+0');
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(
    await startPart({
      DATABASE_URL: created.url,
      REDIS_URL: inject('services').redisUrl,
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
  );
  for (const offset of ['+3600', '+0', '-3600', '+0']) {
    writeFileSync(file, offset);
    await part.served(200);
  }
  const fault = `the gateway's clock steps by an hour, four times`;
  await expectTally(fault, await part.recovered(), part.portfolio);
  for (const offset of ['+3600', '-3600']) {
    const begin = () => writeFileSync(file, offset);
    await expectAlerts(fault, ['PorticoClockOff'], part, { begin, end: () => writeFileSync(file, '+0') });
  }
});
