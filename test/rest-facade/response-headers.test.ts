// Guarantee: every response has a request id of the gateway, the limiter headers and Cache-Control, and the version
// once it is resolved.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { samplePaths } from '#test/support/sample-requests.ts';
import { type CallOptions, call, makeItem, type Response, VERSION } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let registryId: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  ({ registryId } = await makeItem(gateway.database, partner.client));
});
afterAll(() => gateway.stop());

/** Status, path, options, and whether the version is resolved by then. */
const CASES: [number, string, CallOptions, boolean][] = [
  ...samplePaths('ITEM').map((path): (typeof CASES)[number] => [200, path, {}, true]),
  [200, '/assets', { method: 'HEAD' }, true],
  [304, '/assets', { headers: { 'If-None-Match': '*' } }, true],
  [400, '/assets?page=0', {}, true],
  [400, '/assets', { version: null }, false],
  [400, '/assets', { version: '2020-01-01' }, false],
  [401, '/assets', { headers: { Authorization: 'Bearer no' } }, false],
  [404, '/assets/unknown', {}, true],
  [404, '/unknown', {}, false],
  [405, '/assets', { method: 'DELETE' }, false],
  [405, '/assets', { method: 'OPTIONS' }, false],
  [414, `/assets?x=${'y'.repeat(9_000)}`, {}, false],
];

describe.each(CASES)('a %d of %s with %j', (status, path, options, resolved) => {
  let response: Response;
  beforeAll(async () => {
    response = await partner.get(path.replace('ITEM', registryId), options);
  });

  it('has every header', () => {
    expect(response.status).toBe(status);
    expectEveryHeader(response);
    const cacheable = status === 200 || status === 304;
    expect(response.headers.get('cache-control')).toBe(cacheable ? 'private, no-cache' : 'private, no-store');
    expect(response.headers.has('etag')).toBe(cacheable);
    expect(response.headers.get('x-service-version')).toBe(resolved ? VERSION : null);
    expect(response.headers.get('deprecation')).toBeNull();
    if (status !== 304 && options.method !== 'HEAD')
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('does not name its software and sets no cookie', () => {
    for (const name of ['server', 'x-powered-by', 'via', 'set-cookie']) expect(response.headers.get(name)).toBeNull();
  });
});

describe('the request id', () => {
  it('is generated for each request, even if the request carries one', async () => {
    const headers = { 'X-Request-Id': 'req_00000000000000000000000000', 'Request-Id': 'mine' };
    const answers = await Promise.all([
      partner.get('/assets', { headers }),
      partner.get('/assets?page=0', { headers }),
      call(`${gateway.url}/nowhere`, null, { headers }),
    ]);
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain(headers['X-Request-Id']);
    for (const { body, headers: sent } of answers.slice(1))
      expect(body.error.request_id).toBe(sent.get('x-request-id'));
    for (const { text } of answers) expect(text).not.toContain('mine');
  });

  it('increases from request to request', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await partner.get('/assets')).headers.get('x-request-id') ?? '');
    expect([...ids].sort()).toEqual(ids);
  });
});
