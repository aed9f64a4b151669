// A stop ends by itself, whatever does not answer meanwhile: PostgreSQL, Redis and the mail server all at once.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeOwner } from '#test/portal-server/people.ts';
import { until } from '#test/support/ports.ts';
import { type Service, startPostgres, startRedis } from '#test/support/services.ts';
import { startLoad } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

let postgres: Service;
let redis: Service;
let portfolio: Portfolio;
/** Takes connections and says nothing. */
let mailServer: Server;
const mailing = new Set<Socket>();
let serve: ServeProcess | undefined;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  portfolio = await makePortfolio(postgres.url);
  mailServer = createServer((socket) => {
    mailing.add(socket.on('error', () => {}).once('close', () => mailing.delete(socket)));
  }).listen(0, '127.0.0.1');
  await once(mailServer, 'listening');
});
afterEach(async () => {
  await Promise.all([postgres.thaw(), redis.thaw()]);
  await serve?.end();
});
afterAll(async () => {
  mailServer?.close();
  for (const socket of mailing) socket.destroy();
  await portfolio?.database.close();
  await Promise.all([postgres?.stop(), redis?.stop()]);
});

it.each([
  ['a gateway', []],
  ['workers', ['--workers', '2']],
])('ends %s on SIGTERM while neither PostgreSQL, nor Redis, nor the mail server answers', async (_, words) => {
  serve = await startServe(
    {
      ...{ DATABASE_URL: postgres.url, REDIS_URL: redis.url, PORTAL_URL: 'https://portico.example' },
      SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
      MAIL_FROM: 'Portico <no-reply@portico.example>',
    },
    ...words,
  );
  await makeOwner(portfolio.database);
  await until(
    async () => mailing.size > 0,
    60_000,
    () => new Error('nobody sends the mail'),
  );
  const load = startLoad(portfolio.wanted(serve.url), 4);
  await until(
    async () => load.sent.length > 20,
    60_000,
    () => new Error(`${load.sent.length} answers`),
  );
  await Promise.all([postgres.freeze(), redis.freeze()]);
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.said).toBe(0);
  await load.stop();
});
