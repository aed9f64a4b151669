// Commands whose standard output is closed by its reader, such as `head`, or cannot be written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

it('a command whose reader closes the pipe ends with 1 and prints nothing on standard error', async () => {
  const child = spawn(process.execPath, ['src/main.ts', 'config', '--explain'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

it('a command whose standard output is on a full disk ends with 1 and says so', async () => {
  const child = spawn(process.execPath, ['src/main.ts', 'config'], {
    cwd,
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^portico: standard output cannot be written: ENOSPC.*\n$/),
  });
});
