// Guarantee: a request with several faults gets the refusal of the first check that fails.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import type { User } from '#repositories/users.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { raw } from '#test/support/raw.ts';
import {
  call,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
  VERSION,
} from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let firm: Firm;
let key: Key;
let client: User;
let item: Item;
let other: Item;

/** A request with every fault; each test corrects one. */
const request = {
  method: 'POST',
  prefix: '/api/v1/asset',
  registryId: registryId('PTC', 'WT', newId('item')),
  query: 'colour=red&since=1999&since=2000&page=0',
  clientId: '',
  secret: '',
  version: null as string | null,
};

const send = () => {
  const { method, prefix, secret, version } = request;
  const query = `${request.query}${request.clientId}`;
  return call(`${gateway.url}${prefix}/${request.registryId}/valuations?${query}`, secret, { method, version });
};

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  firm = await makeFirm(database);
  client = await makeClient(database);
  item = await makeItem(database, client);
  other = await makeItem(database, client);
  const revoked = await makeKey(database, firm);
  await revokeKey(database, revoked.id, operator);
  await database.query({ text: "update api_keys set expires_at = now() - interval '1 s'" });
  request.secret = revoked.secret;
});
afterAll(() => gateway.stop());

describe('a request with every fault gets the next refusal each time one is corrected:', () => {
  it('1. the route', async () => expectError(await send(), 404, 'route_not_found'));

  it('1. the method', async () => {
    request.prefix = '/api/v1/assets';
    expectError(await send(), 405, 'method_not_allowed');
  });

  it('2. the key: revoked, and also expired', async () => {
    request.method = 'GET';
    expectError(await send(), 401, 'invalid_api_key');
  });

  it('2. the key: expired, and also over its limit', async () => {
    const { database } = gateway;
    const spent = await makeKey(database, firm, { environment: 'sandbox' });
    await Promise.all(Array.from({ length: 100 }, () => call(`${gateway.url}/api/v1/assets`, spent.secret)));
    request.secret = spent.secret;
    await database.query({
      text: "update api_keys set expires_at = now() - interval '1 s' where id = $1",
      values: [spent.id],
    });
    expectError(await send(), 401, 'expired_api_key');
    await database.query({ text: 'update api_keys set expires_at = null where id = $1', values: [spent.id] });
  });

  it('2. the network of the key, which is also over its limit', async () => {
    const allow = (networks: string) =>
      gateway.database.query({
        text: 'update api_keys set allowed_networks = $2::cidr[] where secret_last_four = $1',
        values: [request.secret.slice(-4), networks],
      });
    await allow('{192.0.2.0/24}');
    expectError(await send(), 403, 'network_not_allowed');
    await allow('{}');
  });

  it('3. the rate limit', async () => expectError(await send(), 429, 'rate_limit_exceeded'));

  it('4. the version: missing', async () => {
    key = await makeKey(gateway.database, firm);
    request.secret = key.secret;
    await gateway.database.query({ text: 'update firms set plan_active = false' });
    expectError(await send(), 400, 'missing_version', 'X-Service-Version');
  });

  it('4. the version: not a listed one', async () => {
    request.version = '2026-01-16';
    expectError(await send(), 400, 'unsupported_version', 'X-Service-Version');
  });

  it('5. the parameters: an unknown one', async () => {
    request.version = VERSION;
    expectError(await send(), 400, 'unknown_parameter', 'colour');
  });

  it('5. the parameters: a repeated one', async () => {
    request.query = 'since=1999&since=2000&page=0';
    expectError(await send(), 400, 'invalid_parameter', 'since');
  });

  it('5. the parameters: a missing one', async () => {
    request.query = 'since=1999&page=0';
    expectError(await send(), 400, 'missing_parameter', 'client_id');
  });

  it('5. the parameters: an invalid one', async () => {
    request.query = 'page=0';
    request.clientId = `&client_id=${newId('user')}`;
    expectError(await send(), 400, 'invalid_parameter', 'page');
  });

  it('6. the plan', async () => {
    request.query = 'page=1';
    expectError(await send(), 403, 'plan_inactive');
  });

  it('7. the grant: none from an unknown client', async () => {
    await gateway.database.query({ text: 'update firms set plan_active = true' });
    expectError(await send(), 403, 'no_active_grant');
  });

  it('7. the grant: revoked', async () => {
    const grant = await makeGrant(gateway.database, key, client, { scopes: scopeSet(['registry']) });
    await revokeGrant(gateway.database, grant.id, operator);
    request.clientId = `&client_id=${client.id}`;
    expectError(await send(), 403, 'grant_revoked');
  });

  it('8. the scope', async () => {
    await makeGrant(gateway.database, key, client, {
      scopes: scopeSet(['registry']),
      filter: { type: 'items', items: [item.registryId] },
    });
    expectError(await send(), 403, 'insufficient_scope');
  });

  it('9. the asset: not found', async () => {
    await gateway.database.query({ text: 'update grants set scopes = 127' });
    expectError(await send(), 404, 'asset_not_found');
  });

  it('9. the asset: outside the filter', async () => {
    request.registryId = other.registryId;
    expectError(await send(), 403, 'asset_not_in_grant');
  });

  it('no fault: 200', async () => {
    request.registryId = item.registryId;
    const { status } = await send();
    if (status !== 200) throw new Error(`the corrected request gets ${status}`);
  });
});

describe('of two faults the gateway refuses the one that the reference lists first:', () => {
  const longUrl = `/nowhere?${'x'.repeat(8_192)}`;
  const longHeader = `X-Filler: ${'x'.repeat(16_400)}`;
  const largeBody = 'Content-Length: 65537';
  const version = `X-Service-Version: ${VERSION}`;
  const assets = '/api/v1/assets';
  const authorization = () => `Authorization: Bearer ${key.secret}`;

  it.each([
    ['uri_too_long', 'headers_too_large', longUrl, () => [longHeader]],
    ['uri_too_long', 'route_not_found', longUrl, () => []],
    ['headers_too_large', 'route_not_found', '/nowhere', () => [longHeader]],
    ['headers_too_large', 'invalid_api_key', assets, () => [longHeader]],
    ['route_not_found', 'invalid_api_key', '/api/v1/asset', () => []],
    ['invalid_api_key', 'payload_too_large', assets, () => [largeBody]],
    ['missing_version', 'payload_too_large', assets, () => [authorization(), largeBody]],
    ['payload_too_large', 'malformed_request', `${assets}?x=%zz`, () => [authorization(), version, largeBody]],
    ['payload_too_large', 'unknown_parameter', `${assets}?x=1`, () => [authorization(), version, largeBody]],
    ['malformed_request', 'unknown_parameter', `${assets}?x=1&y=%zz`, () => [authorization(), version]],
  ] as const)('%s before %s', async (first, second, target, headers) => {
    const lines = [`GET ${target} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers(), '', ''];
    const { body } = await raw(gateway.url, lines.join('\r\n'));
    expect(body.error.code).toBe(first);
    const { info } = (await call(`${gateway.url}/openapi.json`, null)).body;
    const listed = [...info.description.matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code);
    expect(listed.indexOf(first)).toBeGreaterThanOrEqual(0);
    expect(listed.indexOf(second)).toBeGreaterThan(listed.indexOf(first));
  });

  it('except that a repeated parameter is refused before a missing one, as it says', async () => {
    const answer = await call(`${gateway.url}${assets}?include=valuations&include=documents`, key.secret);
    expectError(answer, 400, 'invalid_parameter', 'include');
    expect(answer.body.error.message).toBe('include is given more than once; separate its values by commas.');
    const { info } = (await call(`${gateway.url}/openapi.json`, null)).body;
    expect(info.description).toContain('- `invalid_parameter` for a parameter that is given more than once');
  });
});
