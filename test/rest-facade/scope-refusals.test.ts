// Guarantee: filters, sideloads and endpoints are refused without the scope of what they would reveal.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { SCOPES, type Scope, scopeSet } from '#core/scopes.ts';
import type { User } from '#repositories/users.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { furnish, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';

let gateway: TestGateway;
let client: User;
let own: string;

beforeAll(async () => {
  gateway = await startGateway();
  client = await makeClient(gateway.database);
  const item = await makeItem(gateway.database, client);
  await furnish(gateway.database, client, item);
  own = item.registryId;
});
afterAll(() => gateway.stop());

const without = (scope: Scope) =>
  makePartner(gateway, { client, scopes: scopeSet(SCOPES.filter((other) => other !== scope)) });
const onlyWith = (scope: Scope) => makePartner(gateway, { client, scopes: scopeSet([scope]) });

const NEEDS: [string, Scope][] = [
  ['/assets?category=WT', 'registry'],
  ['/assets?updated_since=2026-01-01T00:00:00Z', 'registry'],
  ['/assets?min_value=1', 'valuation'],
  ['/assets?max_value=1', 'valuation'],
  ['/assets?min_value=0&max_value=99999999999999999999', 'valuation'],
  ['/assets?include=valuations', 'valuation'],
  ['/assets?include=documents', 'documentation'],
  ['/assets/ITEM?include=valuations', 'valuation'],
  ['/assets/ITEM?include=documents', 'documentation'],
  ['/assets/ITEM/valuations', 'valuation'],
  ['/assets/ITEM/valuations?source=appraisal', 'valuation'],
  ['/assets/ITEM/documents', 'documentation'],
];

describe.each(NEEDS)('GET %s needs the scope %s', (path, scope) => {
  const of = (id: string) => path.replace('ITEM', id);

  it('it is 403 insufficient_scope with every other scope, and the message names the scope', async () => {
    const partner = await without(scope);
    const response = await partner.get(of(own));
    expectError(response, 403, 'insufficient_scope');
    expect(response.body.error.message).toMatch(new RegExp(`\\b${scope}\\b`));
  });

  it('it is 200 with that scope alone', async () => {
    const partner = await onlyWith(scope);
    expect((await partner.get(of(own))).status).toBe(200);
  });

  it('it is refused before the asset is looked up', async () => {
    const partner = await without(scope);
    for (const id of [registryId('PTC', 'WT', newId('item')), 'nonsense'])
      expectError(await partner.get(of(id)), 403, 'insufficient_scope');
  });
});

describe('the message of a refusal', () => {
  const refusedAs = async (ofKey: readonly Scope[], ofGrant: readonly Scope[], path: string) => {
    const firm = await makeFirm(gateway.database);
    const key = await makeKey(gateway.database, firm, { scopes: scopeSet(ofKey) });
    const partner = await makePartner(gateway, { client, key, scopes: scopeSet(ofGrant) });
    return (await partner.get(path)).body.error.message;
  };

  it.each(['/assets?include=documents', `/assets/${registryId('PTC', 'WT', newId('item'))}/documents`])(
    'says whether the key or the grant lacks the scope: %s',
    async (path) => {
      const ofKey = 'This needs the scope documentation, which the key does not have.';
      expect(await refusedAs(SCOPES, ['registry'], path)).toBe(
        'This needs the scope documentation, which the client has not granted.',
      );
      expect(await refusedAs(['registry'], SCOPES, path)).toBe(ofKey);
      expect(await refusedAs(['registry'], ['registry'], path)).toBe(ofKey);
    },
  );

  it('says so of filters', async () => {
    expect(await refusedAs(SCOPES, ['registry'], '/assets?min_value=1')).toBe(
      'This filter needs the scope valuation, which the client has not granted.',
    );
  });
});

describe('two sideloads of which one is not granted', () => {
  it('are refused together, in either order', async () => {
    const partner = await without('documentation');
    for (const include of ['valuations,documents', 'documents,valuations']) {
      const response = await partner.get(`/assets?include=${include}`);
      expectError(response, 403, 'insufficient_scope');
      expect(response.body.error.message).toContain('documentation');
    }
    expect((await partner.get('/assets?include=valuations')).status).toBe(200);
  });
});

describe('an invalid value of a filter that is not granted', () => {
  it('is 400: parameters are checked first', async () => {
    const partner = await onlyWith('detail');
    expectError(await partner.get('/assets?category=XX'), 400, 'invalid_parameter', 'category');
    expectError(await partner.get('/assets?min_value=2&max_value=1'), 400, 'invalid_parameter', 'min_value');
  });
});

describe('endpoints without a required scope', () => {
  it.each(SCOPES)('answer with %s alone', async (scope) => {
    const partner = await onlyWith(scope);
    for (const path of ['/assets', `/assets/${own}`, '/portfolio/summary', '/assets?page=1&page_size=5'])
      expect((await partner.get(path)).status).toBe(200);
  });
});
