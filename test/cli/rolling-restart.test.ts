// Planned restarts and stops lose no request: workers are replaced one by one, and clients are asked to disconnect.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { until } from '#test/support/ports.ts';
import { type Sent, startLoad, withinLimit } from '../faults/load.ts';
import { makePortfolio, type Portfolio } from '../faults/portfolio.ts';
import { launchServe, type ServeProcess, startServe } from '../faults/serve-process.ts';

let target: TestDatabase;
let portfolio: Portfolio;
let directory: string;
let serve: ServeProcess | undefined;

beforeAll(async () => {
  target = await createMigratedDatabase();
  portfolio = await makePortfolio(target.url);
  directory = mkdtempSync(join(tmpdir(), 'portico-restart-'));
});
afterEach(async () => {
  await serve?.end();
});
afterAll(async () => {
  await portfolio?.database.close();
  await target?.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Process ids of the workers. */
const workersOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

/** Waits for both workers: one that has yet to start reads the configuration later. */
async function allListen({ internalUrl, pid }: ServeProcess): Promise<void> {
  const metrics = async () => (await fetch(`${internalUrl}/metrics`).catch(() => null))?.text() ?? '';
  await expect.poll(metrics).toMatch(/^portico_workers 2$/m);
  expect(workersOf(pid)).toHaveLength(2);
}

const isLost = ({ status }: Sent) => status !== 200 && status !== 429;
const isDatabaseSlow = ({ text }: Sent) => /"away":\["postgresql"\],"reason":"no answer within/.test(text);
const outcomesOf = (sent: Sent[]) =>
  sent.map(({ status, error, text }) => error?.code ?? error?.message ?? `${status} ${text}`);

function saying(process: ServeProcess, words: string, times = 1): Promise<void> {
  return until(
    async () => process.output.split(words).length > times,
    120_000,
    () => new Error(`it did not say "${words}":\n${process.output}`),
  );
}

it('SIGHUP replaces every worker under load without a request lost or a connection reset', async () => {
  const url = join(directory, 'url');
  writeFileSync(url, `${target.url}\n`);
  serve = await launchServe(
    { DATABASE_URL_FILE: url, REDIS_URL: inject('services').redisUrl, DRAIN_DELAY_MS: '500', LOG_LEVEL: 'silent' },
    ...['--workers', '2'],
  );
  const running = serve;
  await running.ready();
  await allListen(running);
  const old = workersOf(running.pid);

  // Without pauses they would take the CPU that new workers need.
  const pauseMs = withinLimit(8 + 2);
  const load = startLoad(portfolio.wanted(running.url), 8, { pauseMs });
  const connecting = startLoad(portfolio.wanted(running.url), 2, { keepAlive: false, pauseMs });
  const probe = () => ({ url: `${running.internalUrl}/readyz`, headers: {} });
  const readiness = startLoad(probe, 1, { keepAlive: false, pauseMs: 10 });
  const keptReadiness = startLoad(probe, 1, { pauseMs: 10 });
  await until(
    async () => load.sent.length > 200,
    120_000,
    () => new Error(`${load.sent.length} answers:\n${running.output}`),
  );
  for (let round = 1; round <= 2; round++) {
    running.signal('SIGHUP');
    await saying(running, 'all workers replaced', round);
  }
  const now = workersOf(running.pid);
  expect(now).toHaveLength(2);
  expect(now.filter((pid) => old.includes(pid))).toEqual([]);

  // A worker that cannot start replaces none, and is not replaced itself.
  for (const [times, wrong] of [
    [1, 'postgres://nobody@127.0.0.1:1/nothing'],
    [2, ''],
  ] as const) {
    writeFileSync(url, wrong);
    running.signal('SIGHUP');
    await saying(running, 'a new worker did not start', times);
    expect(workersOf(running.pid)).toEqual(now);
  }
  expect(running.output).toContain(`${url} is empty`);
  expect(running.output).not.toContain('starting another');
  writeFileSync(url, target.url);
  running.signal('SIGHUP');
  await saying(running, 'all workers replaced', 3);

  const sent = [...(await load.stop()), ...(await connecting.stop())];
  expect(outcomesOf(sent.filter(isLost))).toEqual([]);
  // One worker is always ready. On a busy machine PostgreSQL may not answer in time, which no restart causes.
  const told = [...(await readiness.stop()), ...(await keptReadiness.stop())];
  expect(outcomesOf(told.filter((sent) => isLost(sent) && !isDatabaseSlow(sent)))).toEqual([]);
  running.signal('SIGTERM');
  expect(await running.exited, running.output).toBe(0);
  const records = await portfolio.records();
  expect(sent.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
});

it('SIGHUP before any worker listens ends none, and replaces them once they listen; a restart that a stop interrupts does not report a worker that failed to start', async () => {
  const redisUrl = join(directory, 'redis');
  writeFileSync(redisUrl, inject('services').redisUrl);
  serve = await launchServe(
    { DATABASE_URL: target.url, REDIS_URL_FILE: redisUrl, LOG_LEVEL: 'silent' },
    ...['--workers', '2'],
  );
  const running = serve;
  await expect.poll(() => workersOf(running.pid)).not.toEqual([]);
  running.signal('SIGHUP');
  await saying(running, 'all workers replaced');
  await allListen(running);

  // The new worker waits for this Redis, so that it still starts when the stop comes.
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  writeFileSync(redisUrl, `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  running.signal('SIGHUP');
  await expect.poll(() => workersOf(running.pid)).toHaveLength(3);
  running.signal('SIGHUP');
  running.signal('SIGTERM');
  expect(await running.exited, running.output).toBe(0);
  const [began, replaced] = ['restart: replacing workers one by one', 'restart: all workers replaced'];
  expect(running.output.match(/restart: .*/g)).toEqual([began, replaced, began]);
});

it.each([
  ['one process', []],
  ['workers', ['--workers', '2']],
])('SIGTERM: %s: not ready, but serving during the drain delay, with Connection: close', async (_name, words) => {
  serve = await startServe(
    { DATABASE_URL: target.url, REDIS_URL: inject('services').redisUrl, DRAIN_DELAY_MS: '5000', LOG_LEVEL: 'silent' },
    ...words,
  );
  const running = serve;
  // It lasts for the drain delay: without pauses it would take all CPU.
  const load = startLoad(portfolio.wanted(running.url), 4, { pauseMs: withinLimit(4) });
  await until(
    async () => load.sent.length > 50,
    120_000,
    () => new Error(running.output),
  );
  const signalled = performance.now();
  running.signal('SIGTERM');
  await expect.poll(running.readiness).toEqual({ status: 503, body: { status: 'stopping' } });
  expect(await running.exited, running.output).toBe(0);
  const sent = await load.stop();
  // More than there were kept connections: new ones are served too.
  expect(sent.filter(({ status, headers }) => status === 200 && headers.connection === 'close').length).toBeGreaterThan(
    4,
  );
  const lost = sent.filter(isLost);
  // By then a balancer sends requests elsewhere; new connections are refused from now on, and were not before.
  expect(lost.filter(({ ended }) => ended < signalled + 5_000)).toEqual([]);
  expect(['ECONNREFUSED', 'ECONNRESET']).toEqual(expect.arrayContaining([...new Set(outcomesOf(lost))]));
});
