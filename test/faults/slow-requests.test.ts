// Requests that come byte by byte, or stop half-way, end in time on both listeners.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePlantCaller } from '#test/support/plants.ts';
import { makeServiceToken } from '#test/support/tools.ts';

/** What the documentation promises, and then patience for busy machines. */
const IN_TIME_MS = 30_000;
const PATIENCE_MS = 150_000;
const DRIP_MS = 500;

let gateway: TestGateway;
let service: string;
let plants: string;

beforeAll(async () => {
  gateway = await startGateway();
  service = await makeServiceToken(gateway.database, 'support');
  plants = (await makePlantCaller(gateway, 'slow')).token;
});
afterAll(() => gateway.stop());

/** Sends the beginning, then blanks one by one where `drip` is on, until the server closes; tells what it answered, and when. */
function slowly(url: string, beginning: string, drip: boolean): Promise<{ answer: string; took: number }> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    const dripping = drip ? setInterval(() => socket.write(' '), DRIP_MS) : undefined;
    const impatience = setTimeout(() => socket.destroy(new Error('it was never closed')), PATIENCE_MS);
    let answer = '';
    let failure: Error | undefined;
    socket.on('data', (chunk) => (answer += chunk));
    // A byte that crosses with the end of the connection is reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') failure = error;
    });
    socket.on('close', () => {
      clearInterval(dripping);
      clearTimeout(impatience);
      if (failure === undefined) resolve({ answer, took: performance.now() - started });
      else reject(failure);
    });
  });
}

const post = (path: string, token: string, framing: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}`;

const REQUESTS = [
  { where: 'internal, with its length', path: '/graphql', framing: 'Content-Length: 1000\r\n\r\n{' },
  { where: 'internal, too long to be compiled', path: '/graphql', framing: 'Content-Length: 100000\r\n\r\n{' },
  { where: 'internal, in chunks', path: '/graphql', framing: 'Transfer-Encoding: chunked\r\n\r\n3e8\r\n{' },
  { where: 'internal, to no route', path: '/nowhere', framing: 'Content-Length: 1000\r\n\r\n{' },
  { where: 'internal, its head', path: '/graphql', framing: 'X-Slow: ' },
  { where: 'public', path: '/plants', framing: 'Content-Length: 1000\r\n\r\n{' },
].flatMap((request) => [
  { ...request, how: 'drips', drip: true },
  { ...request, how: 'stops', drip: false },
]);

/** All at once, because each takes as long as the gateway's patience. */
let outcomes: { answer: string; took: number }[];

beforeAll(async () => {
  outcomes = await Promise.all(
    REQUESTS.map(({ path, framing, drip }) =>
      path === '/plants'
        ? slowly(gateway.url, post(path, plants, framing), drip)
        : slowly(gateway.internalUrl, post(path, service, framing), drip),
    ),
  );
});

it.each(REQUESTS.map((request, at) => ({ ...request, at })))('a request that $how ends: $where', ({ path, at }) => {
  const { answer, took } = outcomes[at] ?? { answer: '', took: 0 };
  expect(took).toBeGreaterThan(IN_TIME_MS - 1_000);
  // That one was answered before its body came, and is not answered again.
  const status = path === '/nowhere' ? '404' : '408';
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  expect(body.error).toEqual(path === '/plants' ? 408 : expect.objectContaining({ type: expect.any(String) }));
});
