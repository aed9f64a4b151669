// A listener that is drained answers what was sent before, however long the process takes to come to it.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drain } from '#observability/drain.ts';
import { raw } from '#test/support/raw.ts';

const PATIENCE_MS = 60_000;
const WAITING = 40;
/** As many of these as there are connections take several times what a stop waits at any rate. */
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

/** The status of the answer over a connection of its own, NaN where none came, or the code of the error. */
const answerOver = (port: number): Promise<number | string> =>
  raw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: portico\r\n\r\n', PATIENCE_MS).then(
    ({ status }) => status,
    ({ code }) => code,
  );

it('accepts each connection that waited, of which a busy process takes one at a time', async () => {
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: WAITING }, () => answerOver(port));
  const drained = drain(listener(), { patienceMs: PATIENCE_MS });
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
  await drained;
});

it('makes no request of its own', async () => {
  const seen: string[] = [];
  server.on('request', ({ url }) => seen.push(String(url)));
  server.on('clientError', ({ message }) => seen.push(message));
  const accepted = once(server, 'connection');
  await drain(listener(), { patienceMs: PATIENCE_MS });
  await accepted;
  expect(seen).toEqual([]);
});

it('waits for no connection where it does not listen', async () => {
  await listener().close();
  await drain({ server, close: async () => {} }, { patienceMs: PATIENCE_MS });
});

it('cuts off a request that takes longer than its patience, waiting to be accepted or not', async () => {
  server.removeAllListeners('request').on('request', () => {});
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: WAITING }, () => answerOver(port));
  await drain(listener(), { patienceMs: 200 });
  expect(await Promise.all(answers)).toEqual(answers.map(() => expect.toBeOneOf([Number.NaN, 'ECONNRESET'])));
});

it('ends too where its patience is over before it has accepted what waited', async () => {
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

it('ends although new connections keep coming', async () => {
  const { port } = server.address() as AddressInfo;
  let on = true;
  const ever = Array.from({ length: 4 }, async () => {
    while (on) await answerOver(port);
  });
  await drain(listener(), { patienceMs: PATIENCE_MS });
  expect(server.listening).toBe(false);
  on = false;
  await Promise.all(ever);
});
