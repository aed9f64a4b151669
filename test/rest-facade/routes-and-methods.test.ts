// Guarantee: each endpoint is served under exactly its path and for exactly its methods.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { raw } from '#test/support/raw.ts';
import { plainPaths } from '#test/support/sample-requests.ts';
import { call, makeItem, VERSION } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let paths: string[];

beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  partner = await makePartner(gateway);
  const { registryId } = await makeItem(gateway.database, partner.client);
  paths = plainPaths(registryId);
});
afterAll(() => gateway.stop());

describe('an unknown path', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/assets',
    '/api/v1/Assets',
    '/API/v1/assets',
    '/api/v1/assets/',
    '//api/v1/assets',
    '/api/v1//assets',
    '/api/v1/assets;page=1',
    '/api/v1/assets.json',
    '/api/v1/assets//valuations',
    '/api/v1/assets//documents',
    '/api/v1/assets/x/',
    '/api/v1/assets/x/valuations/',
    '/api/v1/assets/x/files',
    '/api/v1/portfolio',
    '/api/v1/portfolio/summary/',
    '/api/v1/keys',
    '/graphql',
    '/metrics',
    '/livez',
    '/readyz',
  ])('GET %s is 404 route_not_found', async (path) => {
    expectError(await call(`${gateway.url}${path}`, partner.key.secret), 404, 'route_not_found');
  });

  it('is 404 for every method, also without a key', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expectError(await call(`${gateway.url}/api/v1/assets/`, null, { method }), 404, 'route_not_found');
  });
});

describe('an unsupported method', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405 with Allow at every path', async (method) => {
    for (const path of paths) {
      const headers = { 'X-Forwarded-For': `192.0.2.${method.length}` };
      const response = await call(`${gateway.url}/api/v1${path}`, partner.key.secret, { method, headers });
      expectError(response, 405, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  it.each(['TRACE', 'PROPFIND', 'QUERY', 'LINK'])('the uncommon %s is 405 as well', async (method) => {
    const response = await raw(
      gateway.url,
      `${method} /api/v1/assets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect([response.status, response.body.error.code]).toEqual([405, 'method_not_allowed']);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expectEveryHeader(response);
  });

  it.each(['/api/v1/%61ssets', 'http://example.com/api/v1/assets?x=1'])(
    'is 405 also for another spelling of the path: %s',
    async (path) => {
      const response = await raw(gateway.url, `PUT ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    },
  );

  it.each([
    ['/docs', 'GET, HEAD'],
    ['/.well-known/jwks.json', 'GET, HEAD'],
    ['/ledger/checkpoint', 'GET, HEAD'],
    ['/portal', 'GET, HEAD'],
    ['/portal/', 'GET, HEAD'],
    ['/portal/ledger.json', 'GET'],
    ['/portal/graphql', 'POST'],
    ['/portal/auth/callback/hartwell', 'GET'],
    ['/portal/auth/sign-in/email', 'POST'],
  ])('is 405 outside both areas as well: %s', async (path, allowed) => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await raw(gateway.url, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expectError(response, 405, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe(allowed);
    }
  });

  it('is 429 without Allow over the limit of the address', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.200' };
    const ask = () => call(`${gateway.url}/api/v1/assets`, null, { method: 'PUT', headers });
    const allowed = await Promise.all(Array.from({ length: 100 }, ask));
    expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([405]));
    const limited = await ask();
    expectError(limited, 429, 'rate_limit_exceeded');
    expect([limited.headers.get('allow'), limited.headers.has('retry-after')]).toEqual([null, true]);
  });

  it('a preflight gets no CORS headers: keys do not belong in browsers', async () => {
    const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' };
    const preflight = await call(`${gateway.url}/api/v1/assets`, null, { method: 'OPTIONS', headers });
    const simple = await partner.get('/assets', { headers: { Origin: 'https://example.com' } });
    for (const response of [preflight, simple])
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('HEAD', () => {
  it('is GET without the body: the same status and headers at every path', async () => {
    const stable = (headers: Headers) =>
      Object.fromEntries(
        [...headers].filter(
          ([name]) => !/^(x-request-id|server-timing|x-ratelimit|ratelimit|date|connection|keep-alive)/.test(name),
        ),
      );
    for (const path of [...paths, '/assets?page=0']) {
      const get = await partner.get(path);
      const head = await partner.get(path, { method: 'HEAD' });
      expect(head.text).toBe('');
      expect(head.status).toBe(get.status);
      expect(stable(head.headers)).toEqual(stable(get.headers));
      expectEveryHeader(head, 20_000);
    }
  });

  it('is GET without the body for public keys, probes and metrics', async () => {
    const { url, internalUrl } = gateway;
    for (const at of [
      `${url}/.well-known/jwks.json`,
      ...['livez', 'readyz', 'metrics'].map((one) => `${internalUrl}/${one}`),
    ]) {
      const [get, head] = [await fetch(at), await fetch(at, { method: 'HEAD' })];
      expect([head.status, await head.text()], at).toEqual([get.status, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });

  it('sends no bytes after the headers', async () => {
    const { secret } = partner.key;
    const response = await raw(
      gateway.url,
      `HEAD ${pathFor(partner.client.id, '/assets')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nX-Service-Version: ${VERSION}\r\nConnection: close\r\n\r\n`,
    );
    expect([response.status, response.text]).toEqual([200, '']);
  });
});
