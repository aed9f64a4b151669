// Guarantee: bytes that are not a valid request get an error in the API's format or a closed connection.

import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

const RUNS = 1_000;
/** Less than the time after which an incomplete request is answered 408. */
const TIMEOUT_MS = 25_000;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Sends the bytes, half-closes the connection, and reads to the end. */
function exchange(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const finish = () => resolve(Buffer.concat(chunks).toString('latin1'));
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.end(bytes));
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Error(`neither a response nor a close within ${TIMEOUT_MS} ms`));
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

const LINES = [
  ...[
    'GET / HTTP/1.1',
    'GET /api/v1/assets HTTP/1.1',
    'GET /plants HTTP/1.1',
    'POST /plants HTTP/1.1',
    'GET  /  HTTP/1.1',
  ],
  ...[
    'GET /a b HTTP/1.1',
    'get / http/1.1',
    'GET / HTTP/9.9',
    'GET / HTTP/1.0',
    'GET /',
    '',
    'PRI * HTTP/2.0',
    'CONNECT x:1 HTTP/1.1',
  ],
  ...[
    'OPTIONS * HTTP/1.1',
    'GET http://elsewhere/plants HTTP/1.1',
    'GET //plants HTTP/1.1',
    'GET /../plants HTTP/1.1',
    'GET ?x HTTP/1.1',
  ],
  ...[
    'GET /%zz HTTP/1.1',
    'GET /plants/%ff HTTP/1.1',
    'GET /\u00ff HTTP/1.1',
    'GET /\0 HTTP/1.1',
    '\x16\x03\x01\x02',
    'BREW / HTTP/1.1',
  ],
];
const HEADERS = [
  ...[
    'Host: a',
    'Host: a',
    'Host: b',
    'Host:',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 5, 6',
    'Content-Length: 1e3',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked, chunked',
    'Expect: 100-continue',
  ],
  ...[
    'Expect: something',
    'Upgrade: websocket',
    'Connection: upgrade',
    'Connection: close',
    'Connection: keep-alive',
    'No colon',
  ],
  ...[
    'Bad\0: x',
    'X: a\0b',
    ' folded',
    'X-A: \u00ff',
    'Authorization: Bearer a',
    'Authorization: Bearer b',
    ': empty',
    'Content-Type: application/json',
  ],
  ...[`X-Long: ${'a'.repeat(20_000)}`, `X-Longer: ${'a'.repeat(70_000)}`],
];
const BODIES = [
  '',
  '12345',
  '5\r\n12345\r\n0\r\n\r\n',
  'zz\r\n',
  '{"id":1,"name":"x"}',
  'GET /plants HTTP/1.1\r\nHost: a\r\n\r\n',
  '\0\0\0',
];

const malformed = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.array(fc.constantFrom(...HEADERS), { maxLength: 5 }),
    fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
    fc.constantFrom(...BODIES),
    fc.oneof({ weight: 8, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(200) }),
  )
  .map(([line, headers, end, body, cut]) => {
    const text = `${[line, ...headers].join(end)}${end}${end}${body}`;
    return Buffer.from(cut === -1 ? text : text.slice(0, cut), 'latin1');
  });

/** Status, headers and body of the first response; null if there is none. */
function head(response: string): { status: number; headers: Headers; body: string } | null {
  if (response === '') return null;
  const final = response.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const end = final.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = final.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const length = Number(headers.get('content-length') ?? 0);
  return { status: Number(statusLine.split(' ')[1]), headers, body: final.slice(end + 4, end + 4 + length) };
}

describe('malformed bytes', () => {
  it('get a 4xx error or a close from the public listener, and no connection hangs', async () => {
    let responses = 0;
    await fc.assert(
      fc.asyncProperty(malformed, async (bytes) => {
        const response = head(await exchange(gateway.url, bytes));
        if (response === null) return;
        responses += 1;
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(response.headers.get('x-request-id')).toMatch(/^req_/);
        if (!bytes.includes('HEAD')) expect(JSON.parse(response.body)).toHaveProperty('error');
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(responses).toBeGreaterThan(0.9 * RUNS);
  });

  it('get no 5xx from the internal listener, which stays ready', async () => {
    await fc.assert(
      fc.asyncProperty(malformed, async (bytes) => {
        const response = head(await exchange(gateway.internalUrl, bytes));
        if (response !== null) expect(response.status).toBeLessThan(500);
      }),
      { numRuns: RUNS / 2, endOnFailure: true },
    );
    expect((await fetch(`${gateway.internalUrl}/readyz`)).status).toBe(200);
  });
});
