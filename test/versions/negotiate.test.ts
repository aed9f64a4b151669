// A request is served exactly the version that it names; responses state its deprecation and sunset.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { raw } from '#test/support/raw.ts';
import { plainPaths } from '#test/support/sample-requests.ts';
import { call } from '#test/support/scenario.ts';
import { VERSIONS } from '#versions/index.ts';
import { createNegotiator } from '#versions/negotiate.ts';

let gateway: TestGateway;
let partner: Partner;

beforeAll(async () => {
  gateway = await startGateway({
    versions: [
      { date: '2026-01-15', changes: [], retirement: { deprecated: '2026-06-01', sunset: '2027-03-31' } },
      { date: '2026-06-01', changes: [] },
    ],
  });
  partner = await makePartner(gateway);
});
afterAll(() => gateway.stop());

const list = (version: string | null, path = '/assets') => partner.get(path, { version });

describe('the released versions', () => {
  it('begin with 2026-01-15 and are in order, each date once', () => {
    const dates = VERSIONS.map(({ date }) => date);
    expect(dates[0]).toBe('2026-01-15');
    expect(dates).toEqual([...new Set(dates)].sort());
  });
});

describe('X-Service-Version', () => {
  it('is answered with the version served', async () => {
    for (const version of ['2026-01-15', '2026-06-01'])
      expect((await list(version)).headers.get('x-service-version')).toBe(version);
  });

  it('missing or empty is 400 missing_version', async () => {
    expectError(await list(null), 400, 'missing_version', 'X-Service-Version');
    expectError(await list(''), 400, 'missing_version', 'X-Service-Version');
    expectError(await list('   '), 400, 'missing_version', 'X-Service-Version');
  });

  it.each([
    '2026-01-14',
    '2026-03-01',
    '2026-06-02',
    '2099-01-01',
    '2026-1-15',
    '20260115',
    'v1',
    'latest',
    '2026-01-15 x',
  ])('%s is 400 unsupported_version, and the message lists the supported dates', async (version) => {
    const response = await list(version);
    expectError(response, 400, 'unsupported_version', 'X-Service-Version');
    expect(response.body.error.message).toContain('2026-01-15, 2026-06-01');
  });

  it('given twice is unsupported, even when both are the same', async () => {
    const response = await raw(
      gateway.url,
      `GET /api/v1/assets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${partner.key.secret}\r\n${'X-Service-Version: 2026-01-15\r\n'.repeat(2)}Connection: close\r\n\r\n`,
    );
    expectError(response, 400, 'unsupported_version', 'X-Service-Version');
  });

  it('is required by every endpoint, after the key', async () => {
    for (const path of plainPaths('x'))
      expectError(await list(null, path), 400, 'missing_version', 'X-Service-Version');
    expectError(await call(`${gateway.url}/api/v1/assets`, null, { version: null }), 401, 'invalid_api_key');
  });
});

describe('a deprecated version', () => {
  it('has Deprecation and Sunset in every response', async () => {
    for (const path of ['/assets', '/assets?page=0', '/assets/unknown']) {
      const { headers } = await list('2026-01-15', path);
      expect(headers.get('deprecation')).toBe(`@${Date.UTC(2026, 5, 1) / 1000}`);
      expect(headers.get('sunset')).toBe('Wed, 31 Mar 2027 00:00:00 GMT');
    }
  });

  it('has both headers in a 304, too', async () => {
    const same = await partner.get('/assets', { version: '2026-01-15', headers: { 'If-None-Match': '*' } });
    expect([same.status, same.headers.has('deprecation'), same.headers.has('sunset')]).toEqual([304, true, true]);
  });

  it('is served after its sunset, until a release removes it', () => {
    const retirement = { deprecated: '2022-01-01', sunset: '2024-01-01' };
    const { negotiate } = createNegotiator([
      { date: '2020-01-01', changes: [], retirement },
      { date: '2022-01-01', changes: [] },
    ]);
    expect(negotiate('2020-01-01').headers).toMatchObject({ Sunset: 'Mon, 01 Jan 2024 00:00:00 GMT' });
  });

  it('is the only one with these headers', async () => {
    const { headers } = await list('2026-06-01');
    expect([headers.has('deprecation'), headers.has('sunset')]).toEqual([false, false]);
  });
});
