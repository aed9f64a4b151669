// A graceful stop loses no response and no access record; SIGKILL loses at most the records of the last second.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort, until } from '#test/support/ports.ts';
import { expectAlerts } from './expect-alerts.ts';
import { inChaos } from './in-chaos.ts';
import { type Load, type Sent, sendOne, startLoad, withinLimit } from './load.ts';
import { oldResponses } from './old-responses.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { expectTally } from './tally.ts';

const CONCURRENCY = 20;

let created: TestDatabase;
let portfolio: Portfolio;
let serve: ServeProcess | undefined;

beforeAll(async () => {
  created = await createMigratedDatabase();
  portfolio = await makePortfolio(created.url);
});
afterEach(async () => {
  await serve?.end();
});
afterAll(async () => {
  await portfolio.database.close();
  await created.drop();
});

function untilServed(load: Load, count: number): Promise<void> {
  const served = () => load.sent.filter(({ status }) => status === 200).length;
  return until(
    async () => served() > count,
    60_000,
    () => new Error(`${served()} responses`),
  );
}

describe('SIGTERM under load', () => {
  it.each([
    ['over keep-alive connections', true, []],
    ['over a connection for each request', false, []],
    ['over a connection for each request, to workers', false, ['--workers', '2']],
  ])('answers all requests sent before it, %s, saves all records and exits with 0', async (_, keepAlive, words) => {
    const limits = words.length === 0 ? {} : { REDIS_URL: inject('services').redisUrl };
    serve = await startServe({ DATABASE_URL: created.url, ...limits }, ...words);
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { keepAlive });
    await untilServed(load, 100);
    const signalled = performance.now();
    serve.signal('SIGTERM');
    const code = await serve.exited;
    expect(code, serve.output).toBe(0);
    const sent = await load.stop();
    const before = sent.filter(({ started }) => started < signalled);
    expect(before.length).toBeGreaterThan(100);
    expect(before.filter(({ status }) => status !== 200).map(({ error }) => error?.code ?? error?.message)).toEqual([]);
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  it('makes the gateway unready and closes its listener while a request arrives; another SIGTERM changes nothing', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const { url, headers } = portfolio.wanted(serve.url)(1);
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    await once(socket, 'connect');
    const lines = Object.entries({ Host: 'gateway', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`);
    const { readiness } = serve;
    serve.signal('SIGTERM');
    // The gateway does not exit before it has received the rest of the request.
    const stopping = { status: 503, body: { status: 'stopping' } };
    await expect.poll(readiness).toEqual(stopping);
    const refusal = () =>
      fetch(url).then(
        () => null,
        (error: Error) => (error.cause as { code?: string }).code,
      );
    await expect.poll(refusal).toBe('ECONNREFUSED');
    serve.signal('SIGTERM');
    expect(await readiness()).toEqual(stopping);
    expect([received, serve.running]).toEqual(['', true]);
    socket.write('\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(await serve.exited, serve.output).toBe(0);
    const [, id = ''] = /^x-request-id: (\S+)/im.exec(received) ?? [];
    expect((await portfolio.records()).get(id)).toBe(200);
  });
});

describe('SIGKILL under load', () => {
  it('keeps every record that is older than a second', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: withinLimit(CONCURRENCY) });
    const old = new Set(await oldResponses(load, serve.internalUrl));
    serve.signal('SIGKILL');
    await serve.exited;
    const sent = await load.stop();
    const records = await portfolio.records();
    expect([...old].filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
    const missing = (one: Sent) => !old.has(one);
    await expectTally('a gateway is killed', sent, portfolio, { unanswered: true, missing });
  });

  it('of the primary: workers answer requests on open connections, save all records, and exit', async () => {
    const drainDelayMs = 3_000;
    const env = {
      DATABASE_URL: created.url,
      REDIS_URL: inject('services').redisUrl,
      DRAIN_DELAY_MS: `${drainDelayMs}`,
    };
    serve = await startServe(env, '--workers', '2');
    const scraped = { url: `${serve.internalUrl}/metrics`, headers: {} };
    const scraper = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await sendOne(scraped, scraper)).toMatchObject({ status: 200 });
    // It lasts for the drain delay: without pauses it would take all CPU.
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: withinLimit(CONCURRENCY) });
    await untilServed(load, 100);
    const killed = performance.now();
    serve.signal('SIGKILL');
    await expect.poll(() => load.sent.some(({ headers }) => headers.connection === 'close')).toBe(true);
    // No process has the metrics of all workers any more.
    const told = await sendOne(scraped, scraper);
    // On a busy machine the workers may have closed their listeners by then.
    if (told.ended < killed + drainDelayMs) expect(told, serve.output).toMatchObject({ status: 500 });
    // Workers inherit its standard output, which is closed once all of them have exited.
    await serve.exited;
    const sent = await load.stop();
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ started }) => started > killed)).not.toEqual([]);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  if (!inChaos) return;

  it('fires PorticoDown', async () => {
    const ports = { PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` };
    const first = await startServe({ DATABASE_URL: created.url, ...ports });
    await expectAlerts(
      'a gateway is killed',
      ['PorticoDown'],
      { serve: first, portfolio },
      {
        begin: () => first.signal('SIGKILL'),
        end: async () => {
          serve = await startServe({ DATABASE_URL: created.url, ...ports });
        },
      },
    );
  });
});
