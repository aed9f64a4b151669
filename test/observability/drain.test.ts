// A drained listener answers the requests that were sent before, however busy its process is.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drain } from '#observability/drain.ts';
import { raw } from '#test/support/raw.ts';

const PATIENCE_MS = 60_000;
const WAITING = 40;
/** For all connections together, several times what a stop waits in any case. */
const BUSY_MS = 15;

let server: Server;
const listener = () => ({ server, close: () => new Promise((closed) => server.close(closed)) });

beforeEach(async () => {
  server = createServer((_request, response) => {
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until);
    response.end('answered');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The status of a response on a connection of its own, NaN without a response, or the code of the error. */
const answerOver = (port: number): Promise<number | string> =>
  raw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: portico\r\n\r\n').then(
    ({ status }) => status,
    ({ code }) => code,
  );

it('a drain accepts each waiting connection, although a busy process accepts one at a time', async () => {
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: WAITING }, () => answerOver(port));
  const drained = drain(listener(), { patienceMs: PATIENCE_MS });
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
  await drained;
});

it('a drain sends no request of its own', async () => {
  const seen: string[] = [];
  server.on('request', ({ url }) => seen.push(String(url)));
  server.on('clientError', ({ message }) => seen.push(message));
  const accepted = once(server, 'connection');
  await drain(listener(), { patienceMs: PATIENCE_MS });
  await accepted;
  expect(seen).toEqual([]);
});

it('a drain of a listener that does not listen ends', async () => {
  await listener().close();
  await drain({ server, close: async () => {} }, { patienceMs: PATIENCE_MS });
});

it('a drain cuts off requests at its timeout, accepted or waiting', async () => {
  server.removeAllListeners('request').on('request', () => {});
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: WAITING }, () => answerOver(port));
  await drain(listener(), { patienceMs: 200 });
  expect(await Promise.all(answers)).toEqual(answers.map(() => expect.toBeOneOf([Number.NaN, 'ECONNRESET'])));
});

it('a drain ends even if its timeout is over before it has accepted the waiting connections', async () => {
  const warned: string[] = [];
  const warn = ({ name }: Error) => warned.push(name);
  process.on('warning', warn);
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: WAITING }, () => answerOver(port));
  await drain(listener(), { patienceMs: 1 });
  expect(server.listening).toBe(false);
  expect(await Promise.all(answers)).toContainEqual('ECONNRESET');
  process.off('warning', warn);
  expect(warned).not.toContain('TimeoutNegativeWarning');
});

it('a drain ends although new connections keep arriving', async () => {
  const { port } = server.address() as AddressInfo;
  let sending = true;
  const clients = Array.from({ length: 4 }, async () => {
    while (sending) await answerOver(port);
  });
  await drain(listener(), { patienceMs: PATIENCE_MS });
  expect(server.listening).toBe(false);
  sending = false;
  await Promise.all(clients);
});
