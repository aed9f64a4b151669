// `serve --workers`: several processes behind one pair of ports, none of which is missed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { portico } from '#test/cli/portico.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort, until } from '#test/support/ports.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { untilStarted } from '#test/support/started.ts';

let target: TestDatabase;
// Callers without a key are limited by their address, which tests that share a Redis have in common.
let redis: Service;
let serve: ChildProcess;
let output = '';
let base: string;
let internal: string;

beforeAll(async () => {
  target = await createMigratedDatabase();
  redis = await startRedis();
  const [port, internalPort] = [await freePort(), await freePort()];
  base = `http://127.0.0.1:${port}`;
  internal = `http://127.0.0.1:${internalPort}`;
  serve = spawn(process.execPath, ['src/main.ts', 'serve', '--workers', '2'], {
    cwd: new URL('../../', import.meta.url),
    env: {
      ...{ ...CHILD_ENVIRONMENT, DATABASE_URL: target.url, REDIS_URL: redis.url },
      ...{ PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, LOG_LEVEL: 'silent' },
      // A busy machine lets Redis look as if it were away, and each worker then keeps to its share of the limit.
      REDIS_PATIENCE_MS: '1000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [serve.stdout, serve.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  await untilStarted(
    serve,
    async () => (await workers()) === 2,
    () => output,
  );
});
afterAll(async () => {
  serve?.kill('SIGKILL');
  await Promise.all([target?.drop(), redis?.stop()]);
});

/** A connection of its own each, so that the primary hands them out in turn. */
function get(url: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const send = request(url, { agent: false, timeout: 60_000 }, async (answer) => {
      resolve({ status: answer.statusCode, text: (await answer.toArray()).join('') });
    });
    send.once('error', reject).end();
  });
}

async function metrics(): Promise<string> {
  const answer = await get(`${internal}/metrics`).catch(() => null);
  return answer?.status === 200 ? answer.text : '';
}

/** How many workers report. */
async function workers(): Promise<number> {
  return Number(/^portico_workers (\d+)$/m.exec(await metrics())?.[1] ?? 0);
}

/** The process ids of the workers. */
function pids(): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, parent]) => (parent === serve.pid ? [pid] : []));
}

async function counted(code: string): Promise<number> {
  const line = new RegExp(`^portico_refusals_total\\{.*code="${code}".*\\} (\\d+)$`, 'm');
  return Number(line.exec(await metrics())?.[1] ?? 0);
}

it('serves from all of them and counts over all of them', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(`${base}/api/v1/assets`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
  expect(await counted('invalid_api_key')).toBe(20);
  const seen = await Promise.all(Array.from({ length: 4 }, () => counted('invalid_api_key')));
  expect(new Set(seen)).toEqual(new Set([20]));
  expect((await get(`${internal}/readyz`)).text).toBe('{"status":"ready"}');
});

it('replaces one that dies, and goes on serving meanwhile', async () => {
  const [pid = 0, ...others] = pids();
  expect(others).toHaveLength(1);
  const before = await counted('invalid_api_key');
  process.kill(pid, 'SIGKILL');
  await until(
    async () => output.includes(`worker ${pid} ended (SIGKILL)`),
    60_000,
    () => new Error(output),
  );
  for (let call = 0; call < 10; call++) expect((await get(`${base}/openapi.json`)).status).toBe(200);
  await until(
    async () => (await workers()) === 2,
    60_000,
    () => new Error(`nothing took its place:\n${output}`),
  );
  expect(pids()).toEqual(expect.arrayContaining(others));
  expect(pids()).not.toContain(pid);
  // What it had counted when somebody looked last is counted still.
  expect(await counted('invalid_api_key')).toBe(before);
});

it('counts one that hangs among those that serve only once it goes on', async () => {
  const before = await counted('invalid_api_key');
  const [pid = 0] = pids();
  process.kill(pid, 'SIGSTOP');
  try {
    // It may have been handed the connection, and then nobody answers.
    const answered = () => Promise.race([workers(), sleep(5_000, null)]);
    await expect.poll(answered).toBe(1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect.poll(workers).toBe(2);
  expect(await counted('invalid_api_key')).toBe(before);
});

it('keeps the counts of one that ends in order, those since the last look included', async () => {
  const before = await counted('invalid_api_key');
  const answers = await Promise.all(Array.from({ length: 10 }, () => get(`${base}/api/v1/assets`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 401));
  const [pid = 0] = pids();
  process.kill(pid, 'SIGTERM');
  await until(
    async () => output.includes(`worker ${pid} ended`) && (await workers()) === 2,
    60_000,
    () => new Error(output),
  );
  // One that does not report in time counts with what it said last.
  await expect.poll(() => counted('invalid_api_key')).toBe(before + 10);
});

it('ends all of them on SIGTERM and leaves with 0', async () => {
  const gone = once(serve, 'exit');
  serve.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  await expect(get(`${base}/openapi.json`)).rejects.toThrow();
});

it('are as many as before after a restart in which a new one dies', () => {
  const script = fileURLToPath(new URL('./restarted-workers.ts', import.meta.url));
  const said = execFileSync(process.execPath, [script], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({ restarted: true, killed: true, workers: 2 });
});

it('a stop in the midst of a restart ends every worker, and no other is begun', () => {
  const script = fileURLToPath(new URL('./stopped-restart.ts', import.meta.url));
  const said = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 60_000 });
  expect(JSON.parse(said)).toEqual({ left: 0, restarted: false });
});

it('ends those that answer nothing any more, and replaces them', () => {
  const script = fileURLToPath(new URL('./hanging-workers.ts', import.meta.url));
  const said = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 300_000 });
  const hung = 'it did not answer any more';
  expect(JSON.parse(said)).toEqual({ looping: hung, halted: hung, ended: 2, kept: true, workers: 3 });
});

it('needs a database and a Redis that workers can share', async () => {
  const { code, stderr } = await portico({ DATABASE_URL: target.url }, 'serve', '--workers', '2');
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining('REDIS_URL')]]);
  const neither = await portico({}, 'serve', '--workers', '2');
  expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining('DATABASE_URL and REDIS_URL')]);
});
