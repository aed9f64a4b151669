// Guarantee: an internal tool may do what its role allows: operations read limits, admins administer, others nothing.

import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import { newId, registryId } from '#core/ids.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makePlantCaller } from '#test/support/plants.ts';
import { call, makeItem } from '#test/support/scenario.ts';
import { requestStatements } from '#test/support/statements.ts';
import { codesOf, graphql, makeServiceToken } from '#test/support/tools.ts';

let gateway: TestGateway;
let partner: Partner;
const tokens = { support: '', ops: '', admin: '' };

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  await makeItem(gateway.database, partner.client);
  for (const role of ['support', 'ops', 'admin'] as const)
    tokens[role] = await makeServiceToken(gateway.database, role);
});
afterAll(() => gateway.stop());

const ask = (role: keyof typeof tokens, query: string, variables: Record<string, unknown> = {}, actAs?: string) =>
  graphql(gateway.internalUrl, tokens[role], { query, variables }, actAs === undefined ? {} : { actAs });

const TITLES = 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }';

describe('without a service token', () => {
  it.each([
    ['none', () => null],
    ['nonsense', () => 'svc_nonsense'],
    ['one never issued', () => makeToken('service').text],
    ['an API key', () => partner.key.secret],
  ])('everything is 401, introspection too: %s', async (_what, token) => {
    for (const query of ['{ __typename }', getIntrospectionQuery(), TITLES, '{ limiterState }', 'not GraphQL']) {
      const response = await graphql(gateway.internalUrl, token(), { query, variables: { c: partner.client.id } });
      expect([response.status, response.body.error.code]).toEqual([401, 'invalid_access_token']);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await call(`${gateway.internalUrl}/graphql?query={__typename}`, token())).status).toBe(401);
  });

  it('everything is 401 with a plant token, a revoked token and an expired one', async () => {
    const plants = await makePlantCaller(gateway, 'a');
    const [revoked, expired] = [
      await makeServiceToken(gateway.database, 'ops'),
      await makeServiceToken(gateway.database, 'ops'),
    ];
    const hash = (token: string) => `sha256('${token}'::bytea)`;
    await gateway.database.query({
      text: `update service_tokens set revoked_at = now() where token_hash = ${hash(revoked)}`,
    });
    await gateway.database.query({
      text: `update service_tokens set expires_at = now() - interval '1 ms' where token_hash = ${hash(expired)}`,
    });
    for (const token of [plants.token, revoked, expired])
      expect((await graphql(gateway.internalUrl, token, { query: '{ __typename }' })).status).toBe(401);
  });

  it('the paths are not on the public listener', async () => {
    for (const path of ['/graphql', '/metrics', '/livez', '/readyz'])
      expect((await call(gateway.url + path, tokens.admin)).body.error.code).toBe('route_not_found');
  });
});

describe('ops', () => {
  it('sees limits and their use, without counting as a request', async () => {
    await partner.get('/assets');
    const query = `{ limit(keyId: "${partner.key.id}") { tier limit used remaining } limiterState limits { keyId } }`;
    const { body } = await ask('ops', query);
    expect(body.data.limiterState).toBe('standalone');
    expect(body.data.limits.map(({ keyId }: { keyId: string }) => keyId)).toContain(partner.key.id);
    const { used } = body.data.limit;
    expect(body.data.limit).toEqual({ tier: 'enterprise', limit: 20_000, used, remaining: 20_000 - used });
    expect((await ask('ops', query)).body.data.limit.used).toBe(used);
  });

  it('sees no client data, with or without a key', async () => {
    for (const actAs of [undefined, partner.key.id]) {
      const answer = await ask('ops', TITLES, { c: partner.client.id }, actAs);
      expect([codesOf(answer), answer.body.data ?? null]).toEqual([['forbidden'], null]);
    }
  });

  it('issues no tokens', async () => {
    expect(codesOf(await ask('ops', 'mutation { issuePlantToken(account: "x") { token } }'))).toEqual(['forbidden']);
  });
});

describe('admin', () => {
  it('issues plant tokens that work, and sets tiers that take effect', async () => {
    const { body } = await ask('admin', 'mutation { issuePlantToken(account: "new") { id token } }');
    expect((await call(`${gateway.url}/plants`, body.data.issuePlantToken.token)).status).toBe(200);
    const set = (tier: string) =>
      ask('admin', `mutation { setKeyTier(keyId: "${partner.key.id}", tier: ${tier}, reason: "x") { tier } }`);
    expect((await set('"standard"')).body.data.setKeyTier.tier).toBe('standard');
    expect((await partner.get('/assets')).headers.get('x-ratelimit-limit')).toBe('1000');
    expect((await set('null')).body.data.setKeyTier.tier).toBe('enterprise');
    expect(codesOf(await set('"gold"'))).toEqual(['invalid_parameter']);
    const unknown = `mutation { setKeyTier(keyId: "${newId('key')}", tier: "standard", reason: "x") { tier } }`;
    expect(codesOf(await ask('admin', unknown))).toEqual(['resource_not_found']);
  });

  it('has a refused mutation executed once', async () => {
    const late = 'mutation { issuePlantToken(account: "late", expiresAt: "2020-01-01T00:00:00.000Z") { id } }';
    const statements = await requestStatements(gateway.database, async () =>
      expect(codesOf(await ask('admin', late))).toEqual(['invalid_parameter']),
    );
    expect(statements.filter(({ text }) => !text.includes('service_tokens'))).toHaveLength(1);
  });
});

it('is told what it wrote where a value has another form than its type', async () => {
  const written = async (argument: string) => {
    const { body } = await ask('support', `{ assets(clientId: "${partner.client.id}", ${argument}) { nodes { id } } }`);
    return body.errors.map(({ message }: { message: string }) => message);
  };
  expect(await written('minValue: 100.5')).toEqual(['not a Decimal: 100.5']);
  expect(await written('minValue: "1e3"')).toEqual(['not a Decimal: "1e3"']);
  expect(await written('updatedSince: 1767225600')).toEqual(['not a Timestamp: 1767225600']);
});

describe('no tool', () => {
  it('may read a portfolio without the key that it acts as, and is told so rather than that a scope is missing', async () => {
    const at = `clientId: "${partner.client.id}"`;
    const item = `${at}, registryId: "${registryId('PTC', 'WT', newId('item'))}"`;
    for (const role of ['support', 'ops', 'admin'] as const)
      for (const query of [
        `{ assets(${at}) { nodes { title } } }`,
        `{ asset(${item}) { title } }`,
        `{ valuations(${item}) { nodes { id } } }`,
        `{ documents(${item}) { completeness { score } } }`,
        `{ portfolioSummary(${at}) { itemCount } }`,
      ])
        expect(codesOf(await ask(role, query)), `${role} ${query}`).toEqual(['forbidden']);
  });

  it('may read plants', async () => {
    for (const role of ['support', 'ops', 'admin'] as const)
      expect(codesOf(await ask(role, '{ plants(limit: 1) { name } }'))).toEqual(['forbidden']);
  });
});
