// Guarantee: every body has exactly the members that its scopes name: none is missing, and none is null instead of
// absent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES, type Scope, scopeSet } from '#core/scopes.ts';
import type { User } from '#repositories/users.ts';
import {
  assetFields,
  documentListFields,
  includedFields,
  listFields,
  pathsOf,
  summaryFields,
  valuationListFields,
} from '#test/support/fields.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';

let gateway: TestGateway;
let client: User;
let asset: string;

beforeAll(async () => {
  gateway = await startGateway();
  client = await makeClient(gateway.database);
  const item = await makeItem(gateway.database, client);
  await furnish(gateway.database, client, item);
  asset = `/assets/${item.registryId}`;
});
afterAll(() => gateway.stop());

/** Every scope alone, all, all but one, and pairs in which one scope adds members to the body of the other. */
const SETS: Scope[][] = [
  ...SCOPES.map((scope) => [scope]),
  [...SCOPES],
  ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
  ['registry', 'valuation'],
  ['registry', 'documentation'],
  ['valuation', 'documentation'],
];

const partnerWith = (scopes: Scope[]): Promise<Partner> => makePartner(gateway, { client, scopes: scopeSet(scopes) });

const fieldsOf = async (partner: Partner, path: string): Promise<string[]> => {
  const response = await partner.get(path);
  expect(response.status).toBe(200);
  return pathsOf(response.body);
};

describe.each(SETS.map((scopes) => ({ name: scopes.join('+'), scopes })))('with $name', ({ scopes }) => {
  let partner: Partner;
  beforeAll(async () => {
    partner = await partnerWith(scopes);
  });

  it('an asset and each asset of a list have the fields of the scopes', async () => {
    const data = ['data', ...assetFields(scopes).map((field) => `data.${field}`)].sort();
    expect(await fieldsOf(partner, asset)).toEqual(data);
    expect(await fieldsOf(partner, '/assets')).toEqual(listFields(assetFields(scopes)).sort());
  });

  it('included lists have the fields of the scopes as well', async () => {
    const include = [scopes.includes('valuation') && 'valuations', scopes.includes('documentation') && 'documents'];
    const query = include.some(Boolean) ? `?include=${include.filter(Boolean).join(',')}` : '';
    const data = ['data', ...includedFields(scopes).map((field) => `data.${field}`)].sort();
    expect(await fieldsOf(partner, asset + query)).toEqual(data);
    expect(await fieldsOf(partner, `/assets${query}`)).toEqual(listFields(includedFields(scopes)).sort());
  });

  it('the summary has the fields of the scopes as well', async () => {
    expect(await fieldsOf(partner, '/portfolio/summary')).toEqual(summaryFields(scopes).sort());
  });

  if (scopes.includes('valuation'))
    it('valuations have their registry id with the scope registry only', async () => {
      expect(await fieldsOf(partner, `${asset}/valuations`)).toEqual(valuationListFields(scopes).sort());
    });

  if (scopes.includes('documentation'))
    it('documents have their registry id with the scope registry only', async () => {
      expect(await fieldsOf(partner, `${asset}/documents`)).toEqual(documentListFields(scopes).sort());
    });

  if (scopes.includes('registry'))
    it('a delta also has `removed`', async () => {
      const gone = await makeItem(gateway.database, client);
      const since = new Date(Date.now() - 1).toISOString();
      await gateway.database.query({
        text: 'update grants set view_changed_at = $1',
        values: ['2026-01-01T00:00:00Z'],
      });
      await gateway.database.query({ text: 'delete from items where id = $1', values: [gone.id] });
      const all = await fieldsOf(partner, `/assets?updated_since=${since}`);
      expect(all.filter((field) => /^(removed|pagination|sync)/.test(field))).toEqual(
        listFields([], { delta: true })
          .filter((field) => field !== 'data')
          .sort(),
      );
    });
});

describe('effective scopes', () => {
  it.each([
    ['the key', ['registry'], ['registry', 'valuation', 'estate']],
    ['the grant', ['registry', 'valuation', 'estate'], ['registry']],
    ['both', ['registry', 'valuation'], ['registry', 'estate']],
  ] as [string, Scope[], Scope[]][])(
    'are those that key and grant share, with %s narrower',
    async (_who, keyScopes, grantScopes) => {
      const { database } = gateway;
      const key = await makeKey(database, await makeFirm(database), { scopes: scopeSet(keyScopes) });
      const partner = await makePartner(gateway, { client, key, scopes: scopeSet(grantScopes) });
      expect(await fieldsOf(partner, '/assets')).toEqual(listFields(assetFields(['registry'])).sort());
    },
  );
});

describe('a granted field without a value', () => {
  it('is null, an empty list is [], and nothing is left out', async () => {
    const { database } = gateway;
    const poor = await makeClient(database);
    const nothing = Object.fromEntries(
      'market_value market_value_as_of purchase_amount purchase_currency purchased_on insurance_amount insurance_currency description notes seller storage_location category_fields readiness verification'
        .split(' ')
        .map((column) => [column, null]),
    );
    const item = await makeItem(database, poor, { ...nothing, heirs: '[]', quantity: '0.0001' });
    const partner = await makePartner(gateway, { client: poor });
    const { body } = await partner.get(`/assets/${item.registryId}?include=valuations,documents`);
    expect(body.data).toEqual({
      id: item.id,
      registry_id: item.registryId,
      title: 'Chronograph 3448',
      category: 'WT',
      quantity: 0.0001,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      market_value: null,
      market_value_as_of: null,
      purchase_price: null,
      purchased_on: null,
      insurance_value: null,
      description: null,
      notes: null,
      seller: null,
      storage_location: null,
      collections: [],
      category_fields: null,
      documentation: { score: 0, present: [], missing: expect.any(Array) },
      estate: { heirs: [], share_links: [], readiness: null },
      verification: null,
      valuations: [],
      documents: [],
    });
    expect((await partner.get('/assets')).body.data[0]).toMatchObject({ market_value: null, verification: null });
  });
});
