// The disk of PostgreSQL is full for a while. Needs root, to mount a file system.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { startPostgres } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('the disk of PostgreSQL is full for 5 s', async () => {
  await using stack = new AsyncDisposableStack();
  const disk = mkdtempSync(join(tmpdir(), 'portico-disk-'));
  stack.defer(() => rmSync(disk, { recursive: true }));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'portico-chaos', disk]);
  stack.defer(() => void execFileSync('umount', ['-l', disk]));
  chmodSync(disk, 0o777);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = disk;
  const postgres = await startPostgres().finally(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  stack.defer(() => postgres.stop());
  const part = stack.use(await startPart({ DATABASE_URL: postgres.url }));
  const filler = join(disk, 'filler');
  const begin = async () => {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    // Existing blocks can still be written, so this checks that a new block is refused.
    const wide = { text: `create table wide as select repeat(md5(n::text), 100) from generate_series(1, 50000) n` };
    await expect(part.portfolio.database.query(wide)).rejects.toThrow(/No space left/);
  };
  const end = () => rmSync(filler);
  const fault = 'the disk of PostgreSQL is full for 5 s';
  await begin();
  await sleep(5_000);
  end();
  await expectTally(fault, await part.recovered(), part.portfolio);
  await expectAlerts(fault, ['PorticoRecordsWaiting'], part, { begin, end });
});
