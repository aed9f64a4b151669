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

it.each([
  { name: 'is full', stdout: () => openSync('/dev/full', 'w'), code: 'ENOSPC' },
  { name: 'has no reader any more', stdout: () => 'pipe' as const, code: 'EPIPE' },
])('a gateway whose log $name says so once, serves, and stops in order', async ({ stdout, code }) => {
  const [PORT, INTERNAL_PORT] = [`${await freePort()}`, `${await freePort()}`];
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd,
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: created.url, PORT, INTERNAL_PORT },
    stdio: ['ignore', stdout(), 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  try {
    const ready = () =>
      fetch(`http://127.0.0.1:${INTERNAL_PORT}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await untilStarted(child, ready, () => stderr);
    for (let request = 0; request < 20; request++)
      expect((await fetch(`http://127.0.0.1:${PORT}/api/v1/assets`)).status).toBe(401);
    const told = [expect.stringContaining(`the log cannot be written (${code})`)];
    expect(stderr.split('\n').filter((line) => line.startsWith('portico: '))).toEqual(told);
    child.kill('SIGTERM');
    expect(await once(child, 'close'), stderr).toEqual([0, null]);
  } finally {
    await killChild(child);
  }
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
