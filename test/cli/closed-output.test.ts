// Commands whose standard output is closed by its reader, such as `head`, or cannot be written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs the command with this standard output; the reader of a pipe closes it at once. */
async function run(stdout: number | 'pipe', ...words: string[]) {
  const child = spawn(process.execPath, ['src/main.ts', ...words], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: ['ignore', stdout, 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

it('a command whose reader closes the pipe ends with 1 and prints nothing on standard error', async () => {
  expect(await run('pipe', 'config', '--explain')).toEqual({ code: 1, stderr: '' });
});

it('a command whose standard output is on a full disk ends with 1 and says so', async () => {
  expect(await run(openSync('/dev/full', 'w'), 'config')).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^portico: standard output cannot be written: ENOSPC.*\n$/),
  });
});
