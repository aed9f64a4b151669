// A stop completes although PostgreSQL, Redis and the mail server do not respond.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeOwner } from '#test/portal-server/people.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { until } from '#test/support/ports.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { startLoad } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

let postgres: Service;
let redis: Service;
let portfolio: Portfolio;
/** Accepts connections and sends nothing. */
let mailServer: Server;
const mailSockets = new Set<Socket>();
let serve: ServeProcess | undefined;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startMigratedPostgres(), startRedis()]);
  portfolio = await makePortfolio(postgres.url);
  mailServer = createServer((socket) => {
    mailSockets.add(socket.on('error', () => {}).once('close', () => mailSockets.delete(socket)));
  }).listen(0, '127.0.0.1');
  await once(mailServer, 'listening');
});
afterEach(async () => {
  await Promise.all([postgres.thaw(), redis.thaw()]);
  await serve?.end();
});
afterAll(async () => {
  mailServer?.close();
  for (const socket of mailSockets) socket.destroy();
  await portfolio?.database.close();
  await Promise.all([postgres?.stop(), redis?.stop()]);
});

it.each([
  ['a gateway', []],
  ['workers', ['--workers', '2']],
])('SIGTERM stops %s while PostgreSQL, Redis and the mail server do not respond', async (_, words) => {
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
    async () => mailSockets.size > 0,
    60_000,
    () => new Error('the gateway does not send the mail'),
  );
  const load = startLoad(portfolio.wanted(serve.url), 4);
  await until(
    async () => load.sent.length > 20,
    60_000,
    () => new Error(`${load.sent.length} responses`),
  );
  await Promise.all([postgres.freeze(), redis.freeze()]);
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.output).toBe(0);
  await load.stop();
});
