// Guarantee: support sees what the key it names would see of a client, refusals included, and nothing else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, type Item, makeItem } from '#test/support/scenario.ts';
import { codesOf, graphql, makeServiceToken } from '#test/support/tools.ts';
import { WHOLE_LIST } from '#test/support/whole-asset.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
let item: Item;
const tokens = { support: '', ops: '', admin: '' };

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  item = await makeItem(gateway.database, partner.client);
  await furnish(gateway.database, partner.client, item);
  for (const role of ['support', 'ops', 'admin'] as const)
    tokens[role] = await makeServiceToken(gateway.database, role);
});
afterAll(() => gateway.stop());

const ask = (role: keyof typeof tokens, query: string, variables: Record<string, unknown> = {}, actAs?: string) =>
  graphql(gateway.internalUrl, tokens[role], { query, variables }, actAs === undefined ? {} : { actAs });

const TITLES = 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }';

/** As support, through the partner's key. */
const asKey = (query: string, who = partner) => ask('support', query, { c: who.client.id }, who.key.id);

describe('support', () => {
  it('sees no client without a key', async () => {
    const answer = await ask('support', TITLES, { c: partner.client.id });
    expect([codesOf(answer), answer.body.data ?? null]).toEqual([['forbidden'], null]);
    expect(answer.body.errors[0].message).toBe('Portfolios are read as a key: name it in X-Act-As-Key.');
  });

  it('sees through X-Act-As-Key all that the key sees', async () => {
    const whole = await ask('support', WHOLE_LIST, { client: partner.client.id }, partner.key.id);
    expect(codesOf(whole)).toEqual([]);
    const { body } = await partner.get('/assets?include=valuations,documents');
    const [node] = whole.body.data.assets.nodes;
    expect(node).toMatchObject({ title: body.data[0].title, marketValue: body.data[0].market_value });
    expect(node.documents).toHaveLength(2);
  });

  it('gets a refusal before execution with status 400, and with 200 as application/json', async () => {
    const revoked = await makePartner(gateway);
    await revokeGrant(gateway.database, revoked.grant.id, operator);
    const operation = { query: TITLES, variables: { c: revoked.client.id } };
    for (const [accept, status] of [
      ['application/graphql-response+json', 400],
      ['application/json', 200],
    ] as const) {
      const acting = { actAs: revoked.key.id, headers: { Accept: accept } };
      const answer = await graphql(gateway.internalUrl, tokens.support, operation, acting);
      expect([answer.status, codesOf(answer), Object.keys(answer.body)]).toEqual([
        status,
        ['grant_revoked'],
        ['errors'],
      ]);
      expect(Object.keys(answer.body.errors[0].extensions)).toEqual(['code']);
    }
  });

  it('gets an error with a code, and no value, for a field the grant does not cover', async () => {
    const narrow = await makePartner(gateway, { client: partner.client, scopes: scopeSet(['registry']) });
    for (const field of [
      'notes',
      'marketValue { amount }',
      'estate { heirs { name } }',
      'valuations(first: 1) { id }',
    ]) {
      const answer = await asKey(`query ($c: ID!) { assets(clientId: $c) { nodes { title ${field} } } }`, narrow);
      expect([...new Set(codesOf(answer))]).toEqual(['insufficient_scope']);
      expect(answer.text).not.toMatch(/Worn on Sundays|12500|Ada|val_/);
      expect(answer.body.errors[0].message).toMatch(/needs the scope/);
    }
    expect((await asKey(TITLES, narrow)).body.data.assets.nodes).toEqual([{ title: 'Chronograph 3448' }]);
  });

  it('is refused the arguments the scopes do not cover, with the code of REST', async () => {
    const narrow = await makePartner(gateway, { client: partner.client, scopes: scopeSet(['detail']) });
    for (const filter of [
      'minValue: "1"',
      'maxValue: "1"',
      'categories: ["WT"]',
      'updatedSince: "2026-01-01T00:00:00Z"',
    ]) {
      const query = `query ($c: ID!) { assets(clientId: $c, ${filter}) { nodes { notes } } }`;
      expect(codesOf(await asKey(query, narrow))).toEqual(['insufficient_scope']);
    }
  });

  it('is refused as the key would be, with the codes of REST', async () => {
    const code = async (actAs: string | undefined, client: string) =>
      codesOf(await ask('support', TITLES, { c: client }, actAs));
    const other = await makePartner(gateway);
    expect(await code(newId('key'), partner.client.id)).toEqual(['resource_not_found']);
    expect(await code('nonsense', partner.client.id)).toEqual(['resource_not_found']);
    expect(await code(partner.key.id, other.client.id)).toEqual(['no_active_grant']);
    expect(await code(partner.key.id, newId('user'))).toEqual(['no_active_grant']);
    await revokeGrant(gateway.database, other.grant.id, operator);
    expect(await code(other.key.id, other.client.id)).toEqual(['grant_revoked']);
    const set = (text: string) => gateway.database.query({ text, values: [other.key.firmId] });
    await set('update firms set plan_active = false where id = $1');
    expect(await code(other.key.id, other.client.id)).toEqual(['plan_inactive']);
    await set("update api_keys set expires_at = now() - interval '1 ms' where firm_id = $1");
    expect(await code(other.key.id, other.client.id)).toEqual(['expired_api_key']);
    await revokeKey(gateway.database, other.key.id, operator);
    expect(await code(other.key.id, other.client.id)).toEqual(['invalid_api_key']);
  });

  it('gets the refusals of the key for an asset', async () => {
    const narrow = await makePartner(gateway, { client: partner.client });
    await changeGrant(
      gateway.database,
      narrow.grant.id,
      { filter: { type: 'category', categories: ['PM'] } },
      operator,
    );
    const asset = (id: string) =>
      asKey(`query ($c: ID!) { asset(clientId: $c, registryId: "${id}") { title } }`, narrow);
    expect(codesOf(await asset(item.registryId))).toEqual(['asset_not_in_grant']);
    expect(codesOf(await asset(registryId('PTC', 'WT', newId('item'))))).toEqual(['asset_not_found']);
    expect(codesOf(await asset('nonsense'))).toEqual(['asset_not_found']);
  });

  it('reads one client per operation', async () => {
    const query = `query ($c: ID!) { a: assets(clientId: $c) { nodes { title } } b: assets(clientId: "${newId('user')}") { nodes { title } } }`;
    const answer = await asKey(query);
    expect([codesOf(answer), answer.body.data ?? null]).toEqual([['invalid_query'], null]);
  });

  it('cannot read another client through a default, a fragment or an inline fragment', async () => {
    const other = await makePartner(gateway);
    await makeItem(gateway.database, other.client);
    for (const query of [
      `query ($c: ID!, $d: ID! = "${other.client.id}") { a: assets(clientId: $c) { nodes { title } } b: assets(clientId: $d) { nodes { title } } }`,
      `query ($c: ID!) { a: assets(clientId: $c) { nodes { title } } ...F } fragment F on Query { b: assets(clientId: "${other.client.id}") { nodes { title } } }`,
      `query ($c: ID!) { a: assets(clientId: $c) { nodes { title } } ... on Query { b: portfolioSummary(clientId: "${other.client.id}") { itemCount } } }`,
    ]) {
      const answer = await asKey(query);
      expect(codesOf(answer).length).toBeGreaterThan(0);
      expect(answer.body.data?.b ?? null).toBeNull();
    }
  });

  it('may neither read limits nor administer', async () => {
    for (const query of [
      '{ limits { keyId } }',
      '{ limiterState }',
      '{ tierShadows { tier } }',
      `{ limit(keyId: "${partner.key.id}") { used } }`,
    ])
      expect(codesOf(await ask('support', query))).toEqual(['forbidden']);
    for (const mutation of [
      `setKeyTier(keyId: "${partner.key.id}", tier: "elevated", reason: "x") { tier }`,
      `setKeyShadow(keyId: "${partner.key.id}", shadowed: true, reason: "x") { tier }`,
      'setTierShadow(tier: "standard", shadowed: true, reason: "x") { tier }',
      'issuePlantToken(account: "x") { token }',
    ])
      expect(codesOf(await ask('support', `mutation { ${mutation} }`))).toEqual(['forbidden']);
  });
});
