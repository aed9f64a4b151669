// Risk: a misspelt, repeated or malformed parameter is ignored, and the partner reads other data than it asked for.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { raw } from '#test/support/raw.ts';
import { plainPaths } from '#test/support/sample-requests.ts';
import { call, makeItem, VERSION } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let asset: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  const item = await makeItem(gateway.database, partner.client);
  asset = `/assets/${item.registryId}`;
});
afterAll(() => gateway.stop());

/** Without the client's id, which `partner.get` adds. */
const bare = (path: string) => call(`${gateway.url}/api/v1${path}`, partner.key.secret);

describe('an unknown parameter', () => {
  it.each(['limit', 'Page', 'page_Size', 'clientid', 'category[]', 'sort', '__proto__', 'constructor', 'page%20'])(
    'is 400 and named: %s',
    async (name) => {
      const response = await partner.get(`/assets?${name}=1`);
      expectError(response, 400, 'unknown_parameter', decodeURIComponent(name));
    },
  );

  it('is also one that only another endpoint has', async () => {
    for (const [path, name] of [
      [asset, 'page'],
      [`${asset}/documents`, 'page'],
      [`${asset}/documents`, 'include'],
      [`${asset}/valuations`, 'include'],
      [`${asset}/valuations`, 'updated_since'],
      ['/portfolio/summary', 'category'],
      ['/assets', 'since'],
      ['/assets', 'source'],
    ])
      expectError(await partner.get(`${path}?${name}=1`), 400, 'unknown_parameter', name);
  });

  it('is named without control and non-ASCII characters, and at most 60 long', async () => {
    const { body } = await partner.get(`/assets?${'x'.repeat(500)}%0A%C3%A9=1`);
    expect(body.error.param).toBe('x'.repeat(60));
    expect((await partner.get('/assets?%00%0D%0A%E2%80%AE=1')).body.error.param).toBe('????');
  });

  it.each(['$$', '$`'])('is named in the message as it was sent: %s', async (name) => {
    const { body } = await partner.get(`/assets?${encodeURIComponent(name)}=1`);
    expect(body.error).toMatchObject({ param: name, message: `The parameter "${name}" is not known.` });
  });

  it('is refused before a repeated, a missing and an invalid one, at any position', async () => {
    expectError(await bare('/assets?page=0&page=0&colour=red'), 400, 'unknown_parameter', 'colour');
  });
});

describe('a repeated parameter', () => {
  it.each([
    ['page=1&page=1', 'page'],
    ['page=1&page=', 'page'],
    ['include=valuations&include=documents', 'include'],
    ['category=WT&%63ategory=PM', 'category'],
  ])('is 400 and named, also with equal values: %s', async (query, name) => {
    expectError(await partner.get(`/assets?${query}`), 400, 'invalid_parameter', name);
  });

  it('is refused for client_id, too', async () => {
    const { id } = partner.client;
    const response = await bare(`/assets?client_id=${id}&client_id=${id}`);
    expectError(response, 400, 'invalid_parameter', 'client_id');
  });

  it('is refused before a missing and an invalid one', async () => {
    expectError(await bare('/assets?page=0&page_size=5&page_size=5'), 400, 'invalid_parameter', 'page_size');
  });
});

describe('client_id', () => {
  it('is missing if it is absent or empty, and refused before an invalid parameter', async () => {
    for (const path of plainPaths(asset.slice('/assets/'.length)))
      for (const query of ['', '?', '?client_id', '?client_id=', '?&&'])
        expectError(await bare(path + query), 400, 'missing_parameter', 'client_id');
    expectError(await bare('/assets?page=0'), 400, 'missing_parameter', 'client_id');
  });
});

describe('malformed percent-encoding', () => {
  it.each(['%', '%2', '%zz', '%C3', '%FF', '%C0%80', '%ED%A0%80', '%u0041'])('in a value is 400: %s', async (text) => {
    expectError(await partner.get(`/assets?category=${text}`), 400, 'malformed_request');
    expectError(await partner.get(`/assets?${text}=1`), 400, 'malformed_request');
  });

  it.each(['%', '%zz', '%FF', '%C0%80'])('in the path is 400: %s', async (text) => {
    const path = `/api/v1/assets/${text}/valuations?client_id=${partner.client.id}`;
    const response = await raw(gateway.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expectError(response, 400, 'malformed_request');
  });

  it('is checked after the key and the version', async () => {
    const url = `${gateway.url}/api/v1/assets?client_id=%`;
    expectError(await call(url, null), 401, 'invalid_api_key');
    expectError(await call(url, partner.key.secret, { version: null }), 400, 'missing_version', 'X-Service-Version');
  });
});

describe('unusual characters', () => {
  it.each(['%00', '%0D%0A', 'PTC-WT-%00', '%F0%9F%92%8E', "'%20or%201=1--", '..%2F..', '%2e%2e'])(
    'in place of a registry id are an unknown asset: %s',
    async (text) => {
      const path = `/api/v1/assets/${text}?client_id=${partner.client.id}`;
      const { secret } = partner.key;
      const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nX-Service-Version: ${VERSION}`;
      expectError(await raw(gateway.url, `${head}\r\nConnection: close\r\n\r\n`), 404, 'asset_not_found');
    },
  );

  it('a plus sign in a query is decoded as a space, as in forms', async () => {
    expectError(
      await partner.get('/assets?updated_since=2026-01-15T10:00:00+02:00'),
      400,
      'invalid_parameter',
      'updated_since',
    );
  });
});
