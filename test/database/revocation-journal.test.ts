// Guarantee: a revocation journal that cannot be opened leaves no file open, which Node would close at some time, and complain.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('a journal in a directory that cannot be written through to its disk is closed again', () => {
  // A directory of the kernel's own has no disk.
  const code = `
    const { RevocationJournal } = await import('#database/revocation-journal.ts');
    await RevocationJournal.open('/proc/self/comm').then(() => console.log('opened'), () => console.log('refused'));
    for (let count = 0; count < 5; count++) {
      gc();
      await new Promise((wake) => setTimeout(wake, 20));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'refused\n', stderr: '' });
});
