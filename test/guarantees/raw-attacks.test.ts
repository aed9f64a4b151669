// Risk: a proxy and the gateway disagree where a request ends, and what was one's body becomes another's request.

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

const PATIENCE_MS = 60_000;

/** Sends the bytes, and gives the statuses of all that was answered before the server closed. */
function statuses(url: string, bytes: string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`it was not closed after ${answer}`)));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // What is sent into a connection that is being closed is reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve([...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))));
  });
}

/** What an attacker hides: a request in somebody else's name. Its execution would be answered, and leave a record. */
const hidden = () =>
  `GET ${pathFor(partner.client.id, '/portfolio/summary')} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n` +
  `Authorization: Bearer ${partner.key.secret}\r\nX-Service-Version: ${VERSION}\r\n\r\n`;
/** Ends a connection on which all went well. */
const LAST = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

interface Attack {
  name: string;
  /** Header lines beside Host and credentials. */
  framing: string;
  body: () => string;
}

/** Of these no two readers need agree what they mean: none may be read at all. */
const AMBIGUOUS: Attack[] = [
  {
    name: 'a length and chunks',
    framing: 'Content-Length: 5\r\nTransfer-Encoding: chunked',
    body: () => `0\r\n\r\n${hidden()}`,
  },
  {
    name: 'chunks and a length',
    framing: 'Transfer-Encoding: chunked\r\nContent-Length: 5',
    body: () => `0\r\n\r\n${hidden()}`,
  },
  { name: 'two lengths', framing: 'Content-Length: 0\r\nContent-Length: 200', body: hidden },
  { name: 'two lengths that agree', framing: 'Content-Length: 5\r\nContent-Length: 5', body: () => `12345${hidden()}` },
  { name: 'a list of lengths', framing: 'Content-Length: 5, 200', body: () => `12345${hidden()}` },
  ...['+5', '-5', '0x5', '5e0', '5.0', '', '5 5', '18446744073709551621', '٥'].map((length) => ({
    name: `the length "${length}"`,
    framing: `Content-Length: ${length}`,
    body: () => `12345${hidden()}`,
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
    body: () => `0\r\n\r\n${hidden()}`,
  })),
  {
    name: 'a coding twice',
    framing: 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    body: () => `0\r\n\r\n${hidden()}`,
  },
  { name: 'a blank before the colon', framing: 'Transfer-Encoding : chunked', body: () => `0\r\n\r\n${hidden()}` },
  { name: 'a length behind a blank', framing: 'Content-Length : 5', body: () => `12345${hidden()}` },
  { name: 'a folded coding', framing: 'Transfer-Encoding:\r\n chunked', body: () => `0\r\n\r\n${hidden()}` },
  { name: 'a folded header', framing: 'X-A: b\r\n Transfer-Encoding: chunked', body: () => `0\r\n\r\n${hidden()}` },
  { name: 'a folded header with a tab', framing: 'X-A: b\r\n\tContent-Length: 200', body: hidden },
  {
    name: 'a bare line feed in the head',
    framing: 'X-A: b\nContent-Length: 5\r\nX-C: d',
    body: () => `12345${hidden()}`,
  },
  { name: 'a bare carriage return in the head', framing: 'X-A: b\rContent-Length: 5', body: hidden },
  { name: 'a NUL in a header', framing: 'X-A: b\0\r\nContent-Length: 5', body: () => `12345${hidden()}` },
  { name: 'a name with a line of its own', framing: ': x\r\nContent-Length: 5', body: () => `12345${hidden()}` },
];

/** The head is sound, the chunks are not: what follows them is nobody's request. */
const CHUNKS: [string, () => string][] = [
  ['a size that overflows', () => `FFFFFFFFFFFFFFFFF\r\n${hidden()}`],
  ['a size of 2^64', () => `10000000000000000\r\n${hidden()}`],
  ['a negative size', () => `-1\r\n${hidden()}`],
  ['a size with 0x', () => `0x5\r\n12345\r\n0\r\n\r\n${hidden()}`],
  ['a size with blanks in front', () => ` 5\r\n12345\r\n0\r\n\r\n${hidden()}`],
  ['no size', () => `\r\n0\r\n\r\n${hidden()}`],
  ['bare line feeds', () => `5\n12345\n0\n\n${hidden()}`],
  ['a line feed in an extension', () => `5;a\n12345\r\n0\r\n\r\n${hidden()}`],
  ['a chunk that is longer than it says', () => `5\r\n1234567\r\n0\r\n\r\n${hidden()}`],
  ['an end without its line', () => `5\r\n12345\r\n0\r\n${hidden()}`],
  ['no end of the data', () => `5\r\n123450\r\n\r\n${hidden()}`],
  ['an extension of a megabyte', () => `5;${'a'.repeat(1_000_000)}\r\n12345\r\n0\r\n\r\n${hidden()}`],
];

/** Endpoints of the access record, once a call that came after all others is on it. */
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

  it.each(AMBIGUOUS)('$name is refused, and nothing that follows is read', async ({ framing, body }) => {
    for (const method of ['GET', 'POST']) {
      const answered = await statuses(url(), head(method, framing) + body());
      expect(answered, method).toEqual([400]);
    }
  });

  it.each(CHUNKS)('a body in chunks with %s ends the connection', async (_chunks, body) => {
    const answered = await statuses(url(), head('POST', 'Transfer-Encoding: chunked') + body() + LAST);
    // One of the request, where it was answered before its body came, and one of the connection.
    expect(answered.length).toBeLessThanOrEqual(2);
    expect(answered.filter((status) => status < 400 || status >= 500)).toEqual([]);
  });

  it('a request in the body of another is a body', async () => {
    const inside = hidden();
    for (const framed of [
      head('POST', `Content-Length: ${inside.length}`) + inside,
      head('POST', 'Transfer-Encoding: chunked') + chunk(inside) + chunk(inside).replace(/\r\n$/, '\r\n0\r\n\r\n'),
    ]) {
      const answered = await statuses(url(), framed + LAST);
      // GraphQL says 200 to what is no operation.
      expect(answered).toEqual([expect.toSatisfy((status: number) => [200, 400, 405].includes(status)), 404]);
    }
  });

  it('trailers are no headers', async () => {
    const trailers = `0\r\nAuthorization: Bearer ${token()}\r\nContent-Length: 5\r\nHost: b\r\n\r\n`;
    const bytes = `POST ${path()} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n${trailers}`;
    const answered = await statuses(url(), bytes + LAST);
    expect([400, 401, 405]).toContain(answered[0]);
    expect(answered.length).toBeLessThanOrEqual(2);
  });

  it('nothing that was hidden was done', async () => {
    expect((await recorded()).filter((endpoint) => endpoint.includes('summary'))).toEqual([]);
  });
});
