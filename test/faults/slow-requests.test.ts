// Requests that arrive byte by byte, or stop half-way, get 408 in time on both listeners.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePlantCaller } from '#test/support/plants.ts';
import { makeServiceToken } from '#test/support/tools.ts';

/** The documented limit, and a test timeout for busy machines. */
const LIMIT_MS = 30_000;
const TIMEOUT_MS = 150_000;
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

/** Sends the beginning, then with `drip` one blank at a time until the server closes; returns response and duration. */
function sendSlowly(url: string, beginning: string, drip: boolean): Promise<{ response: string; took: number }> {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    const dripping = drip ? setInterval(() => socket.write(' '), DRIP_MS) : undefined;
    const timeout = setTimeout(() => socket.destroy(new Error('the connection was not closed')), TIMEOUT_MS);
    let response = '';
    let failure: Error | undefined;
    socket.on('data', (chunk) => (response += chunk));
    // A byte that arrives at a closing connection causes a reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') failure = error;
    });
    socket.on('close', () => {
      clearInterval(dripping);
      clearTimeout(timeout);
      if (failure === undefined) resolve({ response, took: performance.now() - started });
      else reject(failure);
    });
  });
}

const post = (path: string, token: string, framing: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}`;

const REQUESTS = [
  { where: 'internal, with Content-Length', path: '/graphql', framing: 'Content-Length: 1000\r\n\r\n{' },
  {
    where: 'internal, with a body too long to be compiled',
    path: '/graphql',
    framing: 'Content-Length: 100000\r\n\r\n{',
  },
  { where: 'internal, in chunks', path: '/graphql', framing: 'Transfer-Encoding: chunked\r\n\r\n3e8\r\n{' },
  { where: 'internal, to an unknown route', path: '/nowhere', framing: 'Content-Length: 1000\r\n\r\n{' },
  { where: 'internal, in its head', path: '/graphql', framing: 'X-Slow: ' },
  { where: 'public', path: '/plants', framing: 'Content-Length: 1000\r\n\r\n{' },
].flatMap((request) => [
  { ...request, how: 'drips', drip: true },
  { ...request, how: 'stops', drip: false },
]);

/** Sent concurrently, because each takes as long as the gateway's limit. */
let outcomes: { response: string; took: number }[];

beforeAll(async () => {
  outcomes = await Promise.all(
    REQUESTS.map(({ path, framing, drip }) =>
      path === '/plants'
        ? sendSlowly(gateway.url, post(path, plants, framing), drip)
        : sendSlowly(gateway.internalUrl, post(path, service, framing), drip),
    ),
  );
});

it.each(REQUESTS.map((request, at) => ({ ...request, at })))(
  'a request that $how gets an error and a close: $where',
  ({ path, at }) => {
    const { response, took } = outcomes[at] ?? { response: '', took: 0 };
    expect(took).toBeGreaterThan(LIMIT_MS - 1_000);
    // A request to an unknown route is refused before its body arrives, and gets no second response.
    const status = path === '/nowhere' ? '404' : '408';
    expect(response.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
    const body = JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
    expect(body.error).toEqual(path === '/plants' ? 408 : expect.objectContaining({ type: expect.any(String) }));
  },
);
