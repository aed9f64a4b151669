// Faults: the log's disk is full, or nobody reads the log: requests are served, and what was lost is told.

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

/** A gateway with this standard output, once it is ready; `refused` sends it requests without a key. */
async function startGateway(stdout: number | 'pipe') {
  const [PORT, INTERNAL_PORT] = [`${await freePort()}`, `${await freePort()}`];
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd,
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: created.url, PORT, INTERNAL_PORT },
    stdio: ['ignore', stdout, 'pipe'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ready = async () =>
    fetch(`http://127.0.0.1:${INTERNAL_PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const started = untilStarted(child, ready, () => said);
  return {
    ...{ child, started },
    /** Lines on standard error by which the process speaks of itself. */
    told: () => said.split('\n').filter((line) => line.startsWith('portico: ')),
    async refused(requests: number) {
      for (let request = 0; request < requests; request++)
        expect([401, 429]).toContain((await fetch(`http://127.0.0.1:${PORT}/api/v1/assets`)).status);
    },
    async stop() {
      child.kill('SIGTERM');
      expect(await once(child, 'exit'), said).toEqual([0, null]);
    },
    [Symbol.asyncDispose]: () => killChild(child),
  };
}

it('a gateway whose log is on a full disk says so once, serves, and stops in order', async () => {
  await using gateway = await startGateway(openSync('/dev/full', 'w'));
  await gateway.started;
  await gateway.refused(20);
  expect(gateway.told()).toEqual([expect.stringContaining('the log cannot be written (ENOSPC)')]);
  await gateway.stop();
});

it('a gateway whose log has no reader any more says so once, serves, and stops in order', async () => {
  await using gateway = await startGateway('pipe');
  gateway.child.stdout?.destroy();
  await gateway.started;
  await gateway.refused(20);
  expect(gateway.told()).toEqual([expect.stringContaining('the log cannot be written (EPIPE)')]);
  await gateway.stop();
});

it('a gateway whose log nobody reads for now serves, and ends in the time for a stop', async () => {
  await using gateway = await startGateway('pipe');
  gateway.child.stdout?.pause();
  await gateway.started;
  // More lines than a pipe holds.
  await gateway.refused(1_000);
  await gateway.stop();
});

it('lines that nobody reads wait up to a bound, and the log says how many more there were', async () => {
  const lines = 40_000;
  const script = `
    const { createLogger } = await import('#observability/logger.ts');
    const logger = createLogger('info');
    for (let line = 1; line <= ${lines}; line++) logger.info({ line, filling: 'x'.repeat(400) });
    process.stderr.write('written');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    env: CHILD_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stderr, 'data');
  const read: { line?: number; lines?: number; msg?: string }[] = [];
  for await (const line of createInterface({ input: child.stdout })) read.push(JSON.parse(line));
  const told = read.at(-1);
  expect(told).toMatchObject({ level: 50, msg: 'log lines lost' });
  expect(told?.lines).toBeGreaterThan(lines / 4);
  const rest = lines - (told?.lines ?? 0);
  expect(read.slice(0, -1).map(({ line }) => line)).toEqual(Array.from({ length: rest }, (_, at) => at + 1));
});
