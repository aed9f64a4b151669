// Who reads what a command prints may have seen enough: the command ends, and nothing is told of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('a command whose reader has gone ends in 1 without a word', async () => {
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
