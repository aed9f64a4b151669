// Guarantee: no request can be smuggled in another whose length is ambiguous or malformed.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { call, VERSION } from '#test/support/scenario.ts';
import { makeServiceToken } from '#test/support/tools.ts';

let gateway: TestGateway;
let partner: Partner;
let service: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  service = await makeServiceToken(gateway.database, 'support');
});
afterAll(() => gateway.stop());

const TIMEOUT_MS = 60_000;

/** Sends the bytes, and returns the statuses of all responses until the server closes the connection. */
function statuses(url: string, bytes: string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`the connection was not closed after ${received}`)));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // Bytes that arrive at a closing connection cause a reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () =>
      resolve([...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))),
    );
  });
}

/** The smuggled request. If it were executed, it would get a response and an access record. */
const smuggled = () =>
  `GET ${pathFor(partner.client.id, '/portfolio/summary')} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n` +
  `Authorization: Bearer ${partner.key.secret}\r\nX-Service-Version: ${VERSION}\r\n\r\n`;
/** A valid request that closes the connection. */
const LAST = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

interface Attack {
  name: string;
  /** Header lines in addition to Host and credentials. */
  framing: string;
  body: () => string;
}

/** Framings that proxies and servers interpret differently: each must be refused. */
const AMBIGUOUS: Attack[] = [
  {
    name: 'a length and chunks',
    framing: 'Content-Length: 5\r\nTransfer-Encoding: chunked',
    body: () => `0\r\n\r\n${smuggled()}`,
  },
  {
    name: 'chunks and a length',
    framing: 'Transfer-Encoding: chunked\r\nContent-Length: 5',
    body: () => `0\r\n\r\n${smuggled()}`,
  },
  { name: 'two lengths', framing: 'Content-Length: 0\r\nContent-Length: 200', body: smuggled },
  {
    name: 'two lengths that agree',
    framing: 'Content-Length: 5\r\nContent-Length: 5',
    body: () => `12345${smuggled()}`,
  },
  { name: 'a list of lengths', framing: 'Content-Length: 5, 200', body: () => `12345${smuggled()}` },
  ...['+5', '-5', '0x5', '5e0', '5.0', '', '5 5', '18446744073709551621', '٥'].map((length) => ({
    name: `the length "${length}"`,
    framing: `Content-Length: ${length}`,
    body: () => `12345${smuggled()}`,
  })),
  ...[
    'xchunked',
    'chunked, identity',
    'identity, chunked, identity',
    'gzip',
    '"chunked"',
    'chunked;q=1',
    '\x0bchunked',
    'chunked\0',
  ].map((coding) => ({
    name: `the coding ${JSON.stringify(coding)}`,
    framing: `Transfer-Encoding: ${coding}`,
    body: () => `0\r\n\r\n${smuggled()}`,
  })),
  {
    name: 'two codings',
    framing: 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    body: () => `0\r\n\r\n${smuggled()}`,
  },
  {
    name: 'a blank after Transfer-Encoding',
    framing: 'Transfer-Encoding : chunked',
    body: () => `0\r\n\r\n${smuggled()}`,
  },
  { name: 'a blank after Content-Length', framing: 'Content-Length : 5', body: () => `12345${smuggled()}` },
  { name: 'a folded coding', framing: 'Transfer-Encoding:\r\n chunked', body: () => `0\r\n\r\n${smuggled()}` },
  { name: 'a folded header', framing: 'X-A: b\r\n Transfer-Encoding: chunked', body: () => `0\r\n\r\n${smuggled()}` },
  { name: 'a folded header with a tab', framing: 'X-A: b\r\n\tContent-Length: 200', body: smuggled },
  {
    name: 'a bare line feed in the head',
    framing: 'X-A: b\nContent-Length: 5\r\nX-C: d',
    body: () => `12345${smuggled()}`,
  },
  { name: 'a bare carriage return in the head', framing: 'X-A: b\rContent-Length: 5', body: smuggled },
  { name: 'a NUL in a header', framing: 'X-A: b\0\r\nContent-Length: 5', body: () => `12345${smuggled()}` },
  { name: 'an empty header name', framing: ': x\r\nContent-Length: 5', body: () => `12345${smuggled()}` },
];

/** Malformed chunks after a valid head: the bytes after them must not be read as a request. */
const CHUNKS: [string, () => string][] = [
  ['a size that overflows', () => `FFFFFFFFFFFFFFFFF\r\n${smuggled()}`],
  ['a size of 2^64', () => `10000000000000000\r\n${smuggled()}`],
  ['a negative size', () => `-1\r\n${smuggled()}`],
  ['a size with 0x', () => `0x5\r\n12345\r\n0\r\n\r\n${smuggled()}`],
  ['a size with blanks in front', () => ` 5\r\n12345\r\n0\r\n\r\n${smuggled()}`],
  ['no size', () => `\r\n0\r\n\r\n${smuggled()}`],
  ['bare line feeds', () => `5\n12345\n0\n\n${smuggled()}`],
  ['a line feed in an extension', () => `5;a\n12345\r\n0\r\n\r\n${smuggled()}`],
  ['a chunk longer than its size', () => `5\r\n1234567\r\n0\r\n\r\n${smuggled()}`],
  ['no blank line at the end', () => `5\r\n12345\r\n0\r\n${smuggled()}`],
  ['no line end after the data', () => `5\r\n123450\r\n\r\n${smuggled()}`],
  ['an extension of a megabyte', () => `5;${'a'.repeat(1_000_000)}\r\n12345\r\n0\r\n\r\n${smuggled()}`],
];

/** Endpoints in the access record, once it has a call that was made after all others. */
async function recorded(): Promise<string[]> {
  const last = await call(gateway.url + pathFor(partner.client.id, '/assets'), partner.key.secret);
  expect(last.status).toBe(200);
  const rows = () =>
    gateway.database.query<{ request_id: string; endpoint: string }>({
      text: 'select request_id, endpoint from recorded_calls',
    });
  const own = last.headers.get('x-request-id');
  await expect.poll(async () => (await rows()).map(({ request_id }) => request_id)).toContain(own);
  return (await rows()).map(({ endpoint }) => endpoint);
}

describe.each([
  ['public', () => gateway.url, () => pathFor(partner.client.id, '/assets'), () => partner.key.secret],
  ['internal', () => gateway.internalUrl, () => '/graphql', () => service],
])('on the %s listener', (_name, url, path, token) => {
  const head = (method: string, framing: string) =>
    `${method} ${path()} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token()}\r\nX-Service-Version: ${VERSION}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;

  it.each(AMBIGUOUS)('$name is refused with 400, and nothing after it is read', async ({ framing, body }) => {
    for (const method of ['GET', 'POST']) {
      const received = await statuses(url(), head(method, framing) + body());
      expect(received, method).toEqual([400]);
    }
  });

  it.each(CHUNKS)('a body in chunks with %s ends the connection', async (_chunks, body) => {
    const received = await statuses(url(), head('POST', 'Transfer-Encoding: chunked') + body() + LAST);
    // One for the request, if it was refused before its body arrived, and one for the malformed chunks.
    expect(received.length).toBeLessThanOrEqual(2);
    expect(received.filter((status) => status < 400 || status >= 500)).toEqual([]);
  });

  it('a request inside the body of another is not executed', async () => {
    const inner = smuggled();
    for (const framed of [
      head('POST', `Content-Length: ${inner.length}`) + inner,
      head('POST', 'Transfer-Encoding: chunked') + chunk(inner) + chunk(inner).replace(/\r\n$/, '\r\n0\r\n\r\n'),
    ]) {
      const received = await statuses(url(), framed + LAST);
      // GraphQL answers 200 to a body that is not an operation.
      expect(received).toEqual([expect.toSatisfy((status: number) => [200, 400, 405].includes(status)), 404]);
    }
  });

  it('trailers are not used as headers', async () => {
    const trailers = `0\r\nAuthorization: Bearer ${token()}\r\nContent-Length: 5\r\nHost: b\r\n\r\n`;
    const bytes = `POST ${path()} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n${trailers}`;
    const received = await statuses(url(), bytes + LAST);
    expect([400, 401, 405]).toContain(received[0]);
    expect(received.length).toBeLessThanOrEqual(2);
  });

  it('no smuggled request is in the access record', async () => {
    expect((await recorded()).filter((endpoint) => endpoint.includes('summary'))).toEqual([]);
  });
});
