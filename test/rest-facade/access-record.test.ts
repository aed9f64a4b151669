// Guarantee: every call with a valid key and a known route that named an existing client is recorded, whatever its
// outcome.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import { type AccessEntry, listAccess } from '#repositories/access-record/pages.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { until } from '#test/support/ports.ts';
import { call, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';

const UNFILTERED = {
  ...{ firmId: null, keyId: null, outcome: null, endpoint: null, requestId: null, registryId: null },
  ...{ since: null, until: null },
};
const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** The client's records, oldest first, once there are at least `count`. */
async function recordsOf({ client }: Pick<Partner, 'client'>, count: number): Promise<AccessEntry[]> {
  let records: AccessEntry[] = [];
  const saved = async () => {
    records = await listAccess(gateway.database, client.id, UNFILTERED, { size: 1_000, after: null });
    return records.length >= count;
  };
  await until(saved, 60_000, () => new Error(`${records.length} records instead of ${count}`));
  return records.reverse();
}

describe('a record', () => {
  it('has time, firm, key, endpoint, item, scopes, status and request', async () => {
    const partner = await makePartner(gateway, { scopes: scopeSet(['registry', 'estate']) });
    const item = await makeItem(gateway.database, partner.client);
    const before = Date.now();
    const response = await partner.get(`/assets/${item.registryId}`);
    const after = Date.now();
    const [record] = await recordsOf(partner, 1);
    expect(record).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      at: expect.stringMatching(/\.\d{3}Z$/),
      firmId: partner.key.firmId,
      keyId: partner.key.id,
      endpoint: 'GET /api/v1/assets/{registry_id}',
      registryId: item.registryId,
      scopes: scopeSet(['registry', 'estate']),
      status: 200,
      toolRole: null,
      toolId: null,
    });
    const at = Date.parse(record?.at ?? '');
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(after);
  });

  it('is written for 200, 304, HEAD and refusals of every kind', async () => {
    const partner = await makePartner(gateway, { scopes: scopeSet(['registry']) });
    const unknown = registryId('PTC', 'WT', newId('item'));
    await partner.get('/assets');
    await partner.get('/assets', { method: 'HEAD' });
    await partner.get('/assets', { headers: { 'If-None-Match': '*' } });
    await partner.get('/assets', { version: null });
    await partner.get('/assets?page=0');
    await partner.get('/assets?page=%zz');
    await partner.get(`/assets/${unknown}/valuations`);
    await partner.get(`/assets/${unknown}`);
    await partner.get('/assets/no-id-at-all');
    await revokeGrant(gateway.database, partner.grant.id, operator);
    await partner.get('/portfolio/summary');
    await gateway.database.query({
      text: 'update firms set plan_active = false where id = $1',
      values: [partner.key.firmId],
    });
    await partner.get('/portfolio/summary');
    const records = await recordsOf(partner, 11);
    expect(records.map(({ status, endpoint, registryId: named }) => [status, endpoint.slice(11), named])).toEqual([
      [200, '/assets', null],
      [200, '/assets', null],
      [304, '/assets', null],
      [400, '/assets', null],
      [400, '/assets', null],
      [400, '/assets', null],
      [403, '/assets/{registry_id}/valuations', unknown],
      [404, '/assets/{registry_id}', unknown],
      [404, '/assets/{registry_id}', null],
      [403, '/portfolio/summary', null],
      [403, '/portfolio/summary', null],
    ]);
    expect(records.map(({ scopes }) => scopes)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  });

  it('is written for a refusal by the limit', async () => {
    const firm = await makeFirm(gateway.database);
    const partner = await makePartner(gateway, {
      key: await makeKey(gateway.database, firm, { environment: 'sandbox' }),
      client: await makeClient(gateway.database, { environment: 'sandbox' }),
    });
    await Promise.all(Array.from({ length: 101 }, () => partner.get('/assets')));
    // The key that has just been over its limit is refused without a query, and has no grant from this client.
    const stranger = await makeClient(gateway.database, { environment: 'sandbox' });
    await call(gateway.url + pathFor(stranger.id, '/assets'), partner.key.secret);
    const records = await recordsOf(partner, 101);
    expect(records.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await recordsOf({ client: stranger }, 1)).toMatchObject([{ status: 429, scopes: 0 }]);
  });

  it('is written for a call without a grant, so that the client learns of it', async () => {
    const client = await makeClient(gateway.database);
    const key = await makeKey(gateway.database, await makeFirm(gateway.database));
    await call(gateway.url + pathFor(client.id, '/assets'), key.secret);
    expect(await recordsOf({ client }, 1)).toMatchObject([{ keyId: key.id, status: 403, scopes: 0 }]);
  });
});

describe('no record', () => {
  it('is written for calls without a valid key, a known route or an existing client', async () => {
    const partner = await makePartner(gateway);
    await call(gateway.url + pathFor(partner.client.id, '/assets'), null);
    await call(gateway.url + pathFor(partner.client.id, '/nothing'), partner.key.secret);
    await call(gateway.url + pathFor(partner.client.id, '/assets'), partner.key.secret, { method: 'POST' });
    await call(`${gateway.url}/api/v1/assets`, partner.key.secret);
    await call(gateway.url + pathFor(newId('user'), '/assets'), partner.key.secret);
    await revokeKey(gateway.database, partner.key.id, operator);
    await partner.get('/assets');
    const other = await makePartner(gateway);
    await other.get('/assets');
    await recordsOf(other, 1);
    expect(await listAccess(gateway.database, partner.client.id, UNFILTERED, { size: 10, after: null })).toEqual([]);
    const rows = await gateway.database.query({
      text: 'select 1 from recorded_calls r where not exists (select from users u where u.id = r.client_id)',
    });
    expect(rows).toEqual([]);
  });
});
