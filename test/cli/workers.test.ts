// `serve --workers`: several processes behind one pair of ports; workers that die or hang are replaced.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHere } from '#test/cli/portico.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort, until } from '#test/support/ports.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { untilStarted } from '#test/support/started.ts';

let target: TestDatabase;
// Requests without a key are limited by address, which is the same for all tests that share a Redis.
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
      // On a busy machine Redis may answer late, and each worker would then apply its share of the limit.
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

/** Opens a new connection for each request, so that the primary distributes them over the workers. */
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

/** The number of workers that report. */
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
  let text = '';
  const answered = async () => {
    text = await metrics();
    return text !== '';
  };
  await expect.poll(answered).toBe(true);
  return Number(line.exec(text)?.[1] ?? 0);
}

let refused = 0;

async function sendWithoutKey(count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, () => get(`${base}/api/v1/assets`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 401));
  refused += count;
}

/** Until each worker has reported in time: one that does not is counted with its previous report. */
const allAreCounted = () => expect.poll(() => counted('invalid_api_key')).toBe(refused);

it('metrics are the sum over all workers, whichever worker answers', async () => {
  await sendWithoutKey(20);
  await allAreCounted();
  // From now on also a worker that is late is counted in full.
  const answers = await Promise.all(Array.from({ length: 4 }, () => counted('invalid_api_key')));
  expect(answers).toEqual([refused, refused, refused, refused]);
  expect((await get(`${internal}/readyz`)).text).toBe('{"status":"ready"}');
});

it('a worker that dies is replaced, while the other one serves', async () => {
  const [pid = 0, ...others] = pids();
  expect(others).toHaveLength(1);
  await allAreCounted();
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
  // Its counts as of the last scrape are kept.
  await allAreCounted();
});

it('a worker that hangs is not counted as serving until it resumes', async () => {
  const [pid = 0] = pids();
  process.kill(pid, 'SIGSTOP');
  try {
    // The hanging worker may get the connection, which is then not answered.
    const answered = () => Promise.race([workers(), sleep(5_000, null)]);
    await expect.poll(answered).toBe(1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect.poll(workers).toBe(2);
  await allAreCounted();
});

it('the counts of a worker that ends in order are kept, including those since the last scrape', async () => {
  await allAreCounted();
  await sendWithoutKey(10);
  const [pid = 0] = pids();
  process.kill(pid, 'SIGTERM');
  await until(
    async () => output.includes(`worker ${pid} ended`) && (await workers()) === 2,
    60_000,
    () => new Error(output),
  );
  await allAreCounted();
});

it('a worker that dies is replaced although standard error cannot be written', async () => {
  const [pid = 0] = pids();
  serve.stderr?.destroy();
  process.kill(pid, 'SIGKILL');
  await until(
    async () => !pids().includes(pid) && (await workers()) === 2,
    60_000,
    () => new Error(`exit code ${serve.exitCode}`),
  );
});

it('SIGTERM ends all workers and serve, with 0', async () => {
  const exited = once(serve, 'exit');
  serve.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await expect(get(`${base}/openapi.json`)).rejects.toThrow();
});

it('a restart during which a new worker dies ends with the full number of workers', () => {
  const script = fileURLToPath(new URL('./restarted-workers.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({ restarted: true, killed: true, workers: 2 });
});

it('a stop during a restart ends every worker and starts no other', () => {
  const script = fileURLToPath(new URL('./stopped-restart.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 300_000 });
  expect(JSON.parse(printed)).toEqual({ left: 0, restarted: false });
});

it('workers that no longer answer are killed and replaced', () => {
  const script = fileURLToPath(new URL('./hanging-workers.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 300_000 });
  const hung = 'it did not answer any more';
  expect(JSON.parse(printed)).toEqual({ blocked: hung, halted: hung, ended: 2, kept: true, workers: 3 });
});

it('while no process can be started the others are kept, and the missing worker is started later', () => {
  const script = fileURLToPath(new URL('./unstartable-workers.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 300_000 });
  const failed = ['not started', 'spawn /nowhere/node ENOENT'];
  expect(JSON.parse(printed)).toEqual({
    ...{ restarted: false, kept: 2, before: [failed] },
    ...{ died: ['died', 'SIGKILL'], failed, workers: 2 },
  });
});

it('serve --workers refuses to start without a database and a Redis that workers can share', async () => {
  const { code, stderr } = await runHere({ DATABASE_URL: target.url }, 'serve', '--workers', '2');
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining('REDIS_URL')]]);
  const neither = await runHere({}, 'serve', '--workers', '2');
  expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining('DATABASE_URL and REDIS_URL')]);
});
