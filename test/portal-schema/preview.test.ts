// Guarantee: a preview is, byte for byte, what the API then sends to the partner.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { ALL_SCOPES, scopesOf } from '#core/scopes.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeScene, type Scene } from '#test/support/portal-scene.ts';
import { call, furnish, type Item, insert, makeItem, VERSION } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let scene: Scene;
const items: Item[] = [];
let filters: AssetFilter[];
beforeAll(async () => {
  gateway = await startGateway();
  scene = await makeScene(gateway);
  const { client, collectionId } = scene.here;
  for (const category of ['PM', 'WT', 'WT', 'AR', 'OT', 'CN']) {
    const item = await makeItem(gateway.database, client, { category, title: `“${category}” <é> \\ "x"` });
    await furnish(gateway.database, client, item);
    items.push(item);
  }
  const [first, second] = items as [Item, Item];
  await insert(gateway.database, 'item_collections', { item_id: second.id, collection_id: collectionId });
  filters = [
    { type: 'all' },
    { type: 'category', categories: ['AR', 'WT'] },
    { type: 'items', items: [first.registryId, second.registryId].sort() },
    { type: 'collection', collection: collectionId },
  ];
});
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

/** Valid and invalid requests to every endpoint. */
const requests = () => {
  const { client } = scene.here;
  const [first, , , fourth] = items as [Item, Item, Item, Item];
  const who = `client_id=${client.id}`;
  const asset = (item: Item, rest = '') => `/api/v1/assets/${item.registryId}${rest}?${who}`;
  return [
    `/api/v1/assets?${who}`,
    `/api/v1/assets?${who}&page_size=2`,
    `/api/v1/assets?${who}&page=2&page_size=2&include=valuations`,
    `/api/v1/assets?${who}&include=documents,valuations&category=WT`,
    `/api/v1/assets?${who}&min_value=1&max_value=99999`,
    `/api/v1/assets?${who}&updated_since=2020-01-01T00:00:00Z`,
    `/api/v1/assets?${who}&updated_since=2999-01-01T00:00:00Z`,
    asset(first),
    asset(fourth),
    `${asset(first)}&include=valuations`,
    asset(first, '/valuations'),
    `${asset(fourth, '/valuations')}&page_size=1&source=appraisal`,
    asset(first, '/documents'),
    `/api/v1/portfolio/summary?${who}`,
    // Refused: by the route, the parameters, the client, the asset.
    '/api/v1/nothing',
    `/api/v1/assets/?${who}`,
    '/api/v1/assets',
    `/api/v1/assets?${who}&page=0`,
    `/api/v1/assets?${who}&colour=blue`,
    `/api/v1/assets?${who}&${who}`,
    `/api/v1/assets?${who}&cursor=nonsense`,
    `/api/v1/assets?${who}&category=%E0%A4%A`,
    `/api/v1/assets/${scene.there.item.registryId}/valuations?client_id=${scene.there.client.id}`,
    '/api/v1/assets?client_id=nobody',
    `/api/v1/assets/nonsense?${who}`,
    `/api/v1/assets/${scene.there.item.registryId}?${who}`,
    `/api/v1/assets/${scene.there.item.registryId}/valuations?${who}`,
  ];
};

/** Two responses differ only in their stamp, and refusals in their request id. */
const bare = (text: string) =>
  text.replace(/"as_of":"[^"]*"/, '"as_of":"…"').replace(/"request_id":"[^"]*"/, '"request_id":"…"');

const SCOPE_SETS = [ALL_SCOPES, 1, 2, 1 + 2, 4 + 8, 16, 1 + 16 + 64, 32];

describe('the preview of a saved grant', () => {
  it.each([0, 1, 2, 3])('equals the response of every endpoint for each set of scopes: filter %i', async (index) => {
    const { asClient, grant, key } = scene.here;
    const filter = filters[index];
    for (const scopes of index === 0 ? SCOPE_SETS : SCOPE_SETS.slice(0, 4)) {
      await asClient(MUTATIONS.changeGrant, { id: grant.id, scopes: scopesOf(scopes), filter });
      for (const request of requests()) {
        const served = await call(gateway.url + request, key.secret);
        const shown = await asClient(QUERIES.preview, { grantId: grant.id, request });
        expect([shown.status, bare(shown.body)], `${scopes} ${request}`).toEqual([served.status, bare(served.text)]);
      }
    }
  });

  it('follows cursors and negotiates versions as the API does', async () => {
    const { asClient, grant, key, client } = scene.here;
    await asClient(MUTATIONS.changeGrant, { id: grant.id, scopes: ['registry'], filter: { type: 'all' } });
    const first = `/api/v1/assets?client_id=${client.id}&page_size=3`;
    const { body } = await asClient(QUERIES.preview, { grantId: grant.id, request: first });
    const next = `${first}&cursor=${JSON.parse(body).pagination.next_cursor}`;
    const shown = await asClient(QUERIES.preview, { grantId: grant.id, request: next, version: VERSION });
    expect(bare(shown.body)).toBe(bare((await call(gateway.url + next, key.secret)).text));
    const wrong = await asClient(QUERIES.preview, { grantId: grant.id, request: first, version: '1999-01-01' });
    const refused = await call(gateway.url + first, key.secret, { version: '1999-01-01' });
    expect([wrong.status, bare(wrong.body)]).toEqual([refused.status, bare(refused.text)]);
  });
});

describe('the preview of a draft', () => {
  it.each([0, 1, 2, 3])('equals the response once the grant is given: filter %i', async (index) => {
    const { asMember, asClient } = scene.here;
    const made = { name: 'Drafted', environment: 'production', scopes: ['registry', 'valuation', 'documentation'] };
    const { key, secret } = await asMember(MUTATIONS.createKey, made);
    // A scope that the key does not have has no effect.
    const draft = { keyId: key.id, scopes: ['registry', 'documentation', 'estate'], filter: filters[index] };
    const shown = [];
    for (const request of requests()) shown.push(await asClient(QUERIES.preview, { ...draft, request }));
    await asClient(MUTATIONS.giveGrant, draft);
    for (const [at, request] of requests().entries()) {
      const served = await call(gateway.url + request, secret);
      expect([shown[at].status, bare(shown[at].body)], request).toEqual([served.status, bare(served.text)]);
    }
  });

  it('equals the response once a request or grant is changed, even if key and grant share no scope', async () => {
    const { asMember, asClient, client } = scene.here;
    const request = `/api/v1/assets?client_id=${client.id}`;
    const { key, secret } = await asMember(MUTATIONS.createKey, {
      ...{ name: 'Asked', environment: 'production', scopes: ['registry', 'valuation'] },
    });
    const asked = { keyId: key.id, client: client.id, scopes: ['registry', 'valuation'], filter: { type: 'all' } };
    const { id } = await asMember(MUTATIONS.requestGrant, asked);
    const narrower = { scopes: ['valuation'], filter: filters[1] };
    const drafted = await asClient(QUERIES.preview, { grantId: id, ...narrower, request });
    await asClient(MUTATIONS.approveGrant, { id, ...narrower });
    expect(bare(drafted.body)).toBe(bare((await call(gateway.url + request, secret)).text));
    const none = await asClient(QUERIES.preview, { grantId: id, scopes: ['estate'], request });
    await asClient(MUTATIONS.changeGrant, { id, scopes: ['estate'] });
    const served = await call(gateway.url + request, secret);
    expect([none.status, bare(none.body)]).toEqual([403, bare(served.text)]);
    expect(served.body.error.code).toBe('insufficient_scope');
  });

  it('is of terms in force if only the order of the stored filter differs', async () => {
    const { asClient, grant, key, client } = scene.here;
    const [first, second] = items as [Item, Item];
    const listed = [first.registryId, second.registryId].sort();
    const filter = { type: 'items', items: listed };
    await asClient(MUTATIONS.changeGrant, { id: grant.id, scopes: ['registry'], filter });
    await gateway.database.query({
      text: 'update grants set filter = $2 where id = $1',
      values: [grant.id, JSON.stringify({ ...filter, items: listed.toReversed() })],
    });
    // After the last change of the view, and before the preview.
    const [now] = await gateway.database.query<{ since: string }>({
      text: `select now_ms() + interval '1 ms' as since`,
    });
    const request = `/api/v1/assets?client_id=${client.id}&updated_since=${encodeURIComponent(now?.since ?? '')}`;
    const served = await call(gateway.url + request, key.secret);
    expect(served.body.data).toEqual([]);
    const shown = await asClient(QUERIES.preview, { grantId: grant.id, filter, request });
    expect([shown.status, bare(shown.body)]).toEqual([served.status, bare(served.text)]);
  });

  it('is of the newest key of the lineage, and refused as a grant to it is once that key is revoked', async () => {
    const { asMember, asClient, client } = scene.here;
    const made = { name: 'Rotated', environment: 'production', scopes: ['registry'] };
    const { key } = await asMember(MUTATIONS.createKey, made);
    const { key: successor } = await asMember(MUTATIONS.rotateKey, { id: key.id, overlapSeconds: 3_600 });
    const draft = { keyId: key.id, scopes: ['registry'], filter: { type: 'all' } };
    const preview = { ...draft, request: `/api/v1/assets?client_id=${client.id}` };
    expect(await asClient(QUERIES.preview, preview)).toMatchObject({ status: 200 });
    await asMember(MUTATIONS.revokeKey, { id: successor.id });
    expect(await codeOf(asClient(QUERIES.preview, preview))).toBe('resource_not_found');
    expect(await codeOf(asClient(MUTATIONS.giveGrant, draft))).toBe('resource_not_found');
  });

  it('requires either a grant or a key with terms, and counts against no limit', async () => {
    const { asClient, asMember, grant, key, client } = scene.here;
    const request = `/api/v1/assets?client_id=${client.id}`;
    const wrong = (variables: object) => codeOf(asClient(QUERIES.preview, { request, ...variables }));
    expect(await wrong({})).toBe('invalid_parameter');
    expect(await wrong({ grantId: grant.id, keyId: key.id })).toBe('invalid_parameter');
    expect(await wrong({ keyId: key.id, scopes: ['registry'] })).toBe('invalid_parameter');
    expect(await wrong({ grantId: grant.id, filter: { type: 'items', items: ['x'] } })).toBe('invalid_parameter');
    const usage = async () => (await asMember(QUERIES.key, { id: key.id })).usage;
    const before = await usage();
    expect(before).toMatchObject({ used: expect.any(Number) });
    await asClient(QUERIES.preview, { grantId: grant.id, request });
    expect(await usage()).toEqual(before);
  });
});
