// Guarantee: area B checks requests in its order and refuses them in its format, with request id and limiter headers in
// every response.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import { steadyClock } from '#core/clock.ts';
import { revokeToken } from '#repositories/admission/tokens.ts';
import { expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { expectPlantError, makePlantCaller, type PlantCaller } from '#test/support/plants.ts';
import { call, makeFirm, makeKey, type Response } from '#test/support/scenario.ts';

let gateway: TestGateway;
let caller: PlantCaller;

beforeAll(async () => {
  gateway = await startGateway();
  caller = await makePlantCaller(gateway, 'order');
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => gateway.stop());

const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));

describe('a request with every fault gets the next refusal each time one is corrected:', () => {
  const large = 'x'.repeat(70_000);
  const wrong = { 'Content-Type': 'text/plain' };
  let spent: PlantCaller;

  it('404: the path, in area B’s format below /plants and in area A’s elsewhere', async () => {
    for (const path of ['/plants/', '/plants/1/2', '/plants/1/']) {
      const response = await call(gateway.url + path, 'nobody', { method: 'POST', headers: wrong, body: large });
      expectPlantError(response, 404);
      expectEveryHeader(response, 1_000);
    }
    const elsewhere = await call(`${gateway.url}/plantsx`, null);
    expect(elsewhere.body.error.code).toBe('route_not_found');
  });

  it('405: the method, with Allow', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/plants', 'GET, HEAD, POST'],
      ['DELETE', '/plants', 'GET, HEAD, POST'],
      ['OPTIONS', '/plants', 'GET, HEAD, POST'],
      ['POST', '/plants/1', 'DELETE'],
      ['GET', '/plants/1', 'DELETE'],
      ['HEAD', '/plants/1', 'DELETE'],
      ['PATCH', '/plants/x', 'DELETE'],
    ] as const) {
      const options = { method, headers: wrong, ...(/GET|HEAD/.test(method) ? {} : { body: large }) };
      const response = await call(gateway.url + path, 'nobody', options);
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
      if (method !== 'HEAD') expectPlantError(response, 405);
      expectEveryHeader(response, 1_000);
    }
  });

  it('401: the token, before the body', async () => {
    for (const headers of [wrong, { 'Content-Type': 'nonsense' }, { 'Content-Type': 'application/json' }]) {
      const response = await call(`${gateway.url}/plants`, 'nobody', { method: 'POST', headers, body: large });
      expectPlantError(response, 401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expectEveryHeader(response, 1_000);
    }
    expectPlantError(await call(`${gateway.url}/plants/x`, 'nobody', { method: 'DELETE', headers: wrong }), 401);
  });

  it('429: after 1000 requests a minute, with Retry-After', async () => {
    spent = await makePlantCaller(gateway, 'spent');
    // The clock is stopped, so that all requests count within one minute, however long they take.
    vi.spyOn(steadyClock, 'now').mockReturnValue(steadyClock.now());
    // A hundred at a time: a busy machine resets connections if too many are opened at once.
    for (let round = 0; round < 10; round++) {
      const burst = await Promise.all(Array.from({ length: 100 }, () => spent.send('GET', '/plants?limit=1')));
      expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
    }
    const refused = await spent.send('POST', '/plants', { headers: wrong, body: large });
    expectPlantError(refused, 429);
    expect(left(refused)).toBe(0);
    // Until the first request leaves the window.
    expect(refused.headers.get('retry-after')).toBe('60');
    expectEveryHeader(refused, 1_000);
  });

  it('429 applies to one token: another token of the account and an address have limits of their own', async () => {
    const sister = await makePlantCaller(gateway, 'spent');
    expect(left(await sister.send('GET', '/plants'))).toBe(999);
    expectPlantError(await call(`${gateway.url}/plants`, null), 401);
  });

  it('415: the content type', async () => {
    expectPlantError(await caller.send('POST', '/plants', { headers: wrong, body: large }), 415);
  });

  it('413: the size', async () => {
    expectPlantError(await caller.post(large), 413);
    expectPlantError(await caller.send('DELETE', '/plants/x', { headers: wrong, body: large }), 413);
  });

  it('400: the body', async () => {
    const response = await caller.post('x');
    expectPlantError(response, 400);
    expectEveryHeader(response, 1_000);
  });

  it('200: no fault', async () => {
    const response = await caller.post('{"id":1,"name":"Fern"}');
    expect(response.status).toBe(200);
    expectEveryHeader(response, 1_000);
    expect(response.headers.get('ratelimit-policy')).toBe('"token";q=1000;w=60');
  });
});

describe('every response', () => {
  it('counts down the limit, and its request needs no version', async () => {
    const own = await makePlantCaller(gateway, 'counting');
    const answers = [
      await own.send('GET', '/plants'),
      await own.send('HEAD', '/plants'),
      await own.post('x'),
      await own.send('DELETE', '/plants/404'),
      await own.send('DELETE', '/plants/x'),
      await own.post('{"id":1,"name":"Fern"}'),
      await own.send('DELETE', '/plants/1'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 404, 400, 200, 204]);
    expect(answers.map(left)).toEqual([999, 998, 997, 996, 995, 994, 993]);
    for (const answer of answers) {
      expectEveryHeader(answer, 1_000);
      expect(answer.headers.get('x-service-version')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
    }
  });

  it('has a request id of the gateway', async () => {
    const headers = { 'X-Request-Id': 'mine' };
    for (const path of ['/plants', '/plants/1', '/plants/'])
      expect((await caller.send('GET', path, { headers })).headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('a token', () => {
  const list = (authorization: string) =>
    call(`${gateway.url}/plants`, null, { version: null, headers: { Authorization: authorization } });

  it('is accepted after the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await list(`${scheme} ${caller.token}`)).status).toBe(200);
  });

  it.each([
    ['none', () => ''],
    ['another scheme', () => `Basic ${caller.token}`],
    ['a bad checksum', () => `Bearer ${caller.token.slice(0, -1)}${caller.token.endsWith('0') ? '1' : '0'}`],
    ['a valid one that was never issued', () => `Bearer ${makeToken('plant').text}`],
    ['a service token', () => `Bearer ${makeToken('service').text}`],
  ])('is 401: %s', async (_what, header) => expectPlantError(await list(header()), 401));

  it('is 401 in place of an API key, as is an API key in place of a token', async () => {
    const key = await makeKey(gateway.database, await makeFirm(gateway.database));
    expectPlantError(await list(`Bearer ${key.secret}`), 401);
    expect((await call(`${gateway.url}/api/v1/assets`, caller.token)).body.error.code).toBe('invalid_api_key');
  });

  it('is 401 once it is revoked or expired', async () => {
    const brief = await makePlantCaller(gateway, 'brief');
    expect((await brief.send('GET', '/plants')).status).toBe(200);
    await revokeToken(gateway.database, 'plant', brief.tokenId);
    expectPlantError(await brief.send('GET', '/plants'), 401);
    const late = await makePlantCaller(gateway, 'brief', new Date(Date.now() + 60_000).toISOString());
    expect((await late.send('GET', '/plants')).status).toBe(200);
    await gateway.database.query({
      text: "update plant_tokens set expires_at = now() - interval '1 ms' where id = $1",
      values: [late.tokenId],
    });
    expectPlantError(await late.send('GET', '/plants'), 401);
  });
});
