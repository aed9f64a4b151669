// Risk: requests that are too large or not HTTP are answered by the HTTP library in its own format, or not at all.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { makePlantCaller } from '#test/support/plants.ts';
import { raw } from '#test/support/raw.ts';
import { call, type Response, VERSION } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
});
afterAll(() => gateway.stop());

const head = (more = '') =>
  `Host: a\r\nAuthorization: Bearer ${partner.key.secret}\r\nX-Service-Version: ${VERSION}\r\nConnection: close\r\n${more}\r\n`;
const get = (path: string, more = '', body: string | Buffer = '') =>
  raw(gateway.url, Buffer.concat([Buffer.from(`GET ${path} HTTP/1.1\r\n${head(more)}`), Buffer.from(body)]));
const assets = () => pathFor(partner.client.id, '/assets');

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Sends the rest once the beginning has been answered, and reads until the server closes. */
async function sendInTwoParts(beginning: string, rest: string): Promise<{ text: string }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname, () => socket.write(beginning));
  let text = '';
  socket.on('data', (bytes) => {
    if (text === '') socket.write(rest);
    text += bytes;
  });
  await once(socket, 'close');
  return { text };
}

/** A response to a request that could not be parsed: complete except for the limiter headers. */
function expectUnparsable(response: Response, status: number, code: string): void {
  expect([response.status, response.body?.error?.code]).toEqual([status, code]);
  expect(response.body.error.type).toBe('invalid_request_error');
  expect(response.body.error.request_id).toBe(response.headers.get('x-request-id'));
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expectDate(response);
}

/** RFC 9110, 6.6.1: every 4xx of an origin server has one. */
const expectDate = ({ headers }: Response) =>
  expect(headers.get('date')).toMatch(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/);

describe('a URL', () => {
  it('of 8192 characters is accepted, and of one more is 414 uri_too_long at any path', async () => {
    const long = (length: number) => {
      const start = `${assets()}&category=`;
      return start + 'W'.repeat(length - start.length);
    };
    expectError(await call(gateway.url + long(8_192), partner.key.secret), 400, 'invalid_parameter', 'category');
    expectError(await call(gateway.url + long(8_193), partner.key.secret), 414, 'uri_too_long');
    expectError(await call(`${gateway.url}/${'x'.repeat(8_192)}`, null), 414, 'uri_too_long');
    const plants = await call(`${gateway.url}/plants/${'1'.repeat(8_192)}`, null);
    expect(plants.status).toBe(414);
    expect(plants.body).toEqual({ error: 414, message: expect.any(String) });
  });
});

describe('headers', () => {
  it('of more than 16 kB are 431 headers_too_large, with limiter headers if they can be parsed', async () => {
    expect((await get(assets(), `X-Filler: ${'x'.repeat(15_000)}\r\n`)).status).toBe(200);
    for (const filler of [`X-Filler: ${'x'.repeat(16_400)}\r\n`, `X-Filler: ${'x'.repeat(1_000)}\r\n`.repeat(17)])
      expectError(await get(assets(), filler), 431, 'headers_too_large');
  });

  it('may be thousands within 16 kB', async () => {
    expect((await get(assets(), 'a: b\r\n'.repeat(2_500))).status).toBe(200);
    expectError(await get(assets(), 'a: b\r\n'.repeat(4_000)), 431, 'headers_too_large');
  });

  it('too large to be parsed are 431 without limiter headers', async () => {
    expectUnparsable(await get(assets(), `X-Filler: ${'x'.repeat(80_000)}\r\n`), 431, 'headers_too_large');
  });
});

describe('a body', () => {
  it('of a GET is ignored up to 64 KiB, and 413 payload_too_large above', async () => {
    const send = (bytes: number) => get(assets(), `Content-Length: ${bytes}\r\n`, Buffer.alloc(bytes, 'x'));
    expect((await send(10)).status).toBe(200);
    expect((await send(65_536)).status).toBe(200);
    expectError(await send(65_537), 413, 'payload_too_large');
  });

  it('in chunks is measured while it arrives', async () => {
    const send = (bytes: number) =>
      get(
        assets(),
        'Transfer-Encoding: chunked\r\n',
        `${chunk('x'.repeat(30_000))}${chunk('x'.repeat(bytes - 30_000))}0\r\n\r\n`,
      );
    expect((await send(65_536)).status).toBe(200);
    expectError(await send(65_537), 413, 'payload_too_large');
    const unknown = makeKeySecret('production').text;
    const unauthenticated = await raw(
      gateway.url,
      `GET ${assets()} HTTP/1.1\r\n${head('Transfer-Encoding: chunked\r\n').replace(partner.key.secret, unknown)}${chunk('x'.repeat(65_537))}0\r\n\r\n`,
    );
    expectError(unauthenticated, 401, 'invalid_api_key');
  });

  it('in chunks that is too large is skipped, and the next request of the connection is answered', async () => {
    const large = `${chunk('x'.repeat(1_048_576))}0\r\n\r\n`;
    const request = (path: string, more: string) =>
      `${path} HTTP/1.1\r\n${head(more).replace('Connection: close\r\n', '')}`;
    const { token } = await makePlantCaller(gateway, 'skipped');
    const plants = (method: string) =>
      request(`${method} /plants`, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n').replace(
        partner.key.secret,
        token,
      );
    for (const first of [
      request(`GET ${assets()}`, 'Transfer-Encoding: chunked\r\n'),
      plants('GET'),
      plants('POST'),
      plants('DELETE').replace('/plants', '/plants/1'),
    ]) {
      const { text } = await sendInTwoParts(first + large, `GET ${assets()} HTTP/1.1\r\n${head()}`);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    }
  });

  it('of a GET may have any content type', async () => {
    const response = await get(assets(), 'Content-Type: nonsense\r\nContent-Length: 1\r\n', '{');
    expect(response.status).toBe(200);
  });
});

describe('input that is not a request', () => {
  it.each([
    ['words', 'hello there\r\n\r\n'],
    ['bytes', '\x16\x03\x01\x00\xff\x00\x01'],
    ['no path', 'GET HTTP/1.1\r\n\r\n'],
    ['an unknown method', 'FETCH /api/v1/assets HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a lower case method', 'get /api/v1/assets HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a later protocol', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['a header with a control character', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n'],
    ['two lengths', 'POST /docs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST /portal/graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length that is none', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
  ])('is 400 malformed_request in the API’s format: %s', async (_what, bytes) => {
    expectUnparsable(await raw(gateway.url, Buffer.from(bytes, 'latin1')), 400, 'malformed_request');
  });
});

describe('a request to the plant store that cannot be parsed', () => {
  const BROKEN = 'Host: a\r\nX: a\x00b\r\n\r\n';

  it.each([
    ['a header with a control character', `GET /plants HTTP/1.1\r\n${BROKEN}`],
    ['an empty line before it', `\r\nGET /plants?limit=1 HTTP/1.1\r\n${BROKEN}`],
    ['a proxy form', `GET http://a/%70lants/1 HTTP/1.1\r\n${BROKEN}`],
    ['an unknown method', 'FETCH /plants HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two lengths', 'POST /plants HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['a length that is no number', 'POST /plants HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
  ])('is 400 in the format of the plant store: %s', async (_what, bytes) => {
    const response = await raw(gateway.url, Buffer.from(bytes, 'latin1'));
    expect([response.status, response.body]).toEqual([400, { error: 400, message: expect.any(String) }]);
    expectDate(response);
  });

  it('is 400 in the format of the plant store after an answered request, too', async () => {
    const { text } = await sendInTwoParts(
      'GET /plants HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET /plants HTTP/1.1\r\n${BROKEN}`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 400']);
    expect(JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n')))).toEqual({ error: 400, message: expect.any(String) });
  });
});

describe('a HEAD that cannot be parsed', () => {
  it.each([
    ['a header', 'X: a\x00b\r\n\r\n'],
    ['the body', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('gets the headers of the refusal without its body: %s', async (_part, rest) => {
    const credentials = head().replace('Connection: close\r\n\r\n', '');
    const response = await raw(gateway.url, `HEAD ${assets()} HTTP/1.1\r\n${credentials}${rest}`);
    expect([response.status, response.text]).toEqual([400, '']);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
  });
});

describe('a malformed body', () => {
  const CHUNKED = 'Transfer-Encoding: chunked\r\n';

  it('is refused in the format of the area', async () => {
    const broken = `${chunk('{')}zz\r\n`;
    expectUnparsable(await get(assets(), CHUNKED, broken), 400, 'malformed_request');
    const { token } = await makePlantCaller(gateway, 'garbled');
    for (const bytes of [
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${CHUNKED}\r\n`,
      `DELETE /plants/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${CHUNKED}\r\n`,
    ]) {
      const response = await raw(gateway.url, bytes + broken);
      expect([response.status, response.body]).toEqual([400, { error: 400, message: expect.any(String) }]);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('keeps a plant from being deleted', async () => {
    const caller = await makePlantCaller(gateway, 'kept');
    expect((await caller.post('{"id":7,"name":"Fern"}')).status).toBe(200);
    const head = `DELETE /plants/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\n${CHUNKED}\r\n`;
    expect((await raw(gateway.url, `${head}${chunk('{')}zz\r\n`)).status).toBe(400);
    // A later request of the same token has seen what the first one did.
    expect((await caller.send('GET', '/plants')).body).toEqual([{ name: 'Fern' }]);
  });

  it('of a request that already has its response gets no second one', async () => {
    const answered = await sendInTwoParts(`POST /api/v1/assets HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n`, 'zz\r\n');
    expect(answered.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 405']);
  });

  it('or other malformed input after a request does not affect its response', async () => {
    const one = `GET ${assets()} HTTP/1.1\r\n${head().replace('Connection: close\r\n', '')}`;
    const { status, body } = await raw(gateway.url, `${one}hello there\r\n\r\n`);
    expect([status, body?.data]).toEqual([200, []]);
    const { text } = await sendInTwoParts(one, 'hello there\r\n\r\n');
    expect(text.match(/HTTP\/1\.1 [^\r]+/g)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request']);
  });
});

describe('a malformed body behind a pipelined request', () => {
  it('is refused in its turn', async () => {
    const one = `GET ${assets()} HTTP/1.1\r\n${head().replace('Connection: close\r\n', '')}`;
    const broken = 'POST /plants HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    const { text } = await raw(gateway.url, one + one + broken);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n')))).toEqual({ error: 400, message: expect.any(String) });
  });
});

describe('a request target with a fragment', () => {
  it('is 400 malformed_request, before its route is looked up', async () => {
    for (const target of [`${assets()}#x`, '/api/v1/assets#', '/docs#x', '/nowhere#x', '/portal/#/keys'])
      expectError(await get(target), 400, 'malformed_request');
    const put = await raw(gateway.url, 'PUT /api/v1/assets#part HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expectError(put, 400, 'malformed_request');
    const plants = await get('/plants#x');
    expect([plants.status, plants.body]).toEqual([400, { error: 400, message: expect.any(String) }]);
  });
});

describe('a header that may be sent once', () => {
  it('is malformed when it is sent twice: Authorization', async () => {
    const second = (token: string) => `Authorization: Bearer ${token}\r\n`;
    for (const token of [partner.key.secret, makeKeySecret('production').text])
      expectError(await get(assets(), second(token)), 401, 'invalid_api_key');
    const { token } = await makePlantCaller(gateway, 'twice');
    const plants = await raw(
      gateway.url,
      `GET /plants HTTP/1.1\r\nHost: a\r\n${second(token)}${second(token)}Connection: close\r\n\r\n`,
    );
    expect([plants.status, plants.body]).toEqual([401, { error: 401, message: expect.any(String) }]);
  });

  it('is malformed when it is sent twice: X-Service-Version', async () => {
    const response = await get(assets(), `X-Service-Version: ${VERSION}\r\n`);
    expectError(response, 400, 'unsupported_version', 'X-Service-Version');
  });

  it('is malformed when it is sent twice: Content-Type', async () => {
    const { token } = await makePlantCaller(gateway, 'typed twice');
    const body = '{"id":1,"name":"Olive"}';
    const send = (types: string) =>
      raw(
        gateway.url,
        `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${types}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    const type = 'Content-Type: application/json\r\n';
    expect((await send(`${type}Content-Type: text/plain\r\n`)).status).toBe(415);
    expect((await send(type)).status).toBe(200);
  });
});

describe('a request that the HTTP library would answer by itself', () => {
  it('is answered by the gateway: no Host header', async () => {
    const response = await raw(gateway.url, 'GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect([response.status, response.body?.error?.code]).toEqual([400, 'malformed_request']);
    expect(response.headers.get('x-request-id')).toBe(response.body.error.request_id);
    expectEveryHeader(response);
  });

  it.each(['a, b', 'a b', 'http://a', 'a/b', 'me@a', 'a:80:80', 'a:x', '[::1', 'bücher.example'])(
    'is answered by the gateway: a Host header that names no host (%s)',
    async (host) => {
      const response = await raw(
        gateway.url,
        `GET ${assets()} HTTP/1.1\r\n${head().replace('Host: a', `Host: ${host}`)}`,
      );
      expectError(response, 400, 'malformed_request');
    },
  );

  it.each(['', 'a', 'A-1.example.:8080', 'some_service', '127.0.0.1:80', '[::1]:80', '[fe80::1%25eth0]', 'a:'])(
    'a Host header may be any name, address and port (%s)',
    async (host) => {
      const response = await raw(
        gateway.url,
        `GET ${assets()} HTTP/1.1\r\n${head().replace('Host: a', `Host: ${host}`)}`,
      );
      expect(response.status).toBe(200);
    },
  );

  it('is answered by the gateway: an unknown expectation', async () => {
    const response = await get(assets(), 'Expect: a-miracle\r\n');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('is answered by the gateway: CONNECT', async () => {
    const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
    for (const url of [gateway.url, gateway.internalUrl])
      expectUnparsable(await raw(url, tunnel), 400, 'malformed_request');
    const one = `GET ${assets()} HTTP/1.1\r\n${head().replace('Connection: close\r\n', '')}`;
    const { status, text } = await raw(gateway.url, one + tunnel);
    expect([status, text.match(/HTTP/g)]).toEqual([200, null]);
  });

  it('is accepted: HTTP/1.0 without Host', async () => {
    const response = await raw(gateway.url, `GET ${assets()} HTTP/1.0\r\n${head().replace('Host: a\r\n', '')}`);
    expect(response.status).toBe(200);
  });

  it('is accepted without the upgrade: an Upgrade header', async () => {
    const response = await get(assets(), 'Upgrade: websocket\r\n');
    expect(response.status).toBe(200);
  });
});

describe('the listener', () => {
  it('serves requests after connections were dropped mid-request', async () => {
    const { port } = new URL(gateway.url);
    for (const bytes of [
      '',
      'GET ',
      'GET / HTTP/1.1\r\nHost',
      'POST /plants HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
    ]) {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes, () => socket.destroy()));
      await new Promise((gone) => socket.once('close', gone));
    }
    expect((await partner.get('/assets')).status).toBe(200);
  });

  it('answers pipelined requests in order', async () => {
    const one = `GET ${assets()} HTTP/1.1\r\n${head().replace('Connection: close\r\n', '')}`;
    const response = await raw(gateway.url, `${one}${one}GET /nowhere HTTP/1.1\r\n${head()}`);
    expect(response.status).toBe(200);
    expect(response.text.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });
});
