// A command whose standard output is closed by its reader, such as `head`, ends without an error message.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('a command whose reader closes the pipe ends with 1 and prints nothing on standard error', async () => {
  const child = spawn(process.execPath, ['src/main.ts', 'config', '--explain'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
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
