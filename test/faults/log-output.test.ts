// Standard output on a full disk or without a reader does not affect requests, and lost log lines are reported.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort } from '#test/support/ports.ts';
import { killChild, untilStarted } from '#test/support/started.ts';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

let created: TestDatabase;
beforeAll(async () => {
  created = await createMigratedDatabase();
});
afterAll(() => created.drop());

/** Starts a gateway with this standard output; `refused` sends it requests without a key. */
async function startGateway(stdout: number | 'pipe') {
  const [PORT, INTERNAL_PORT] = [`${await freePort()}`, `${await freePort()}`];
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd,
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: created.url, PORT, INTERNAL_PORT },
    stdio: ['ignore', stdout, 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ready = async () =>
    fetch(`http://127.0.0.1:${INTERNAL_PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const started = untilStarted(child, ready, () => stderr);
  return {
    ...{ child, started },
    /** Lines on standard error that the process itself wrote. */
    ownLines: () => stderr.split('\n').filter((line) => line.startsWith('portico: ')),
    async refused(requests: number) {
      for (let request = 0; request < requests; request++)
        expect([401, 429]).toContain((await fetch(`http://127.0.0.1:${PORT}/api/v1/assets`)).status);
    },
    async stop() {
      child.kill('SIGTERM');
      expect(await once(child, 'exit'), stderr).toEqual([0, null]);
    },
    [Symbol.asyncDispose]: () => killChild(child),
  };
}

it('a gateway whose log is on a full disk reports it once, serves, and stops gracefully', async () => {
  await using gateway = await startGateway(openSync('/dev/full', 'w'));
  await gateway.started;
  await gateway.refused(20);
  expect(gateway.ownLines()).toEqual([expect.stringContaining('the log cannot be written (ENOSPC)')]);
  await gateway.stop();
});

it('a gateway whose log pipe was closed reports it once, serves, and stops gracefully', async () => {
  await using gateway = await startGateway('pipe');
  gateway.child.stdout?.destroy();
  await gateway.started;
  await gateway.refused(20);
  expect(gateway.ownLines()).toEqual([expect.stringContaining('the log cannot be written (EPIPE)')]);
  await gateway.stop();
});

it('a gateway whose log pipe is full serves, and stops gracefully', async () => {
  await using gateway = await startGateway('pipe');
  gateway.child.stdout?.pause();
  await gateway.started;
  // More lines than fit into a pipe.
  await gateway.refused(1_000);
  await gateway.stop();
});

it('unread log lines are buffered up to a bound, and the log then says how many were lost', async () => {
  const lines = 4_000;
  const script = `
    const { createLogger } = await import('#observability/logger.ts');
    const logger = createLogger('info');
    for (let line = 1; line <= ${lines}; line++) logger.info({ line, filling: 'x'.repeat(4_000) });
    process.stderr.write('written');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    env: CHILD_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stderr, 'data');
  const read: { line?: number; lines?: number; msg?: string }[] = [];
  for await (const line of createInterface({ input: child.stdout })) read.push(JSON.parse(line));
  const lastLine = read.at(-1);
  expect(lastLine).toMatchObject({ level: 50, msg: 'log lines lost' });
  expect(lastLine?.lines).toBeGreaterThan(lines / 4);
  const complete = lines - (lastLine?.lines ?? 0);
  expect(read.slice(0, -1).map(({ line }) => line)).toEqual(Array.from({ length: complete }, (_, at) => at + 1));
});
