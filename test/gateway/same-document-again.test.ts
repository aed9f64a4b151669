// Guarantee: a repeated document is judged again: by its variables, by its sender and by the current state of the
// database.

import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, type ScopeSet, scopeSet } from '#core/scopes.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';
import { codesOf, graphql, makeServiceToken, type Operation } from '#test/support/tools.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
const tokens = { support: '', ops: '' };

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  await furnish(gateway.database, partner.client, await makeItem(gateway.database, partner.client));
  for (const role of ['support', 'ops'] as const) tokens[role] = await makeServiceToken(gateway.database, role);
});
afterAll(() => gateway.stop());

const send = (operation: Operation, { role = 'support' as keyof typeof tokens, who = partner } = {}) =>
  graphql(gateway.internalUrl, tokens[role], operation, { actAs: who.key.id });

const PAGE = `query Page($c: ID!, $n: Int, $v: Int! = 1, $with: Boolean! = false) {
  assets(clientId: $c, first: $n) { nodes { title notes @include(if: $with) valuations(first: $v) { id } } } }`;
const page = (variables: object, who = partner) =>
  send({ query: PAGE, variables: { c: who.client.id, ...variables } }, { who });

describe('the same text', () => {
  it('is refused for variables that are invalid or cost too much, and accepted for others', async () => {
    for (let round = 0; round < 3; round++) {
      expect(codesOf(await page({ n: 2 }))).toEqual([]);
      expect(codesOf(await page({ n: 100, v: 100 }))).toEqual(['query_too_complex']);
      expect(codesOf(await page({ n: 101 }))).toContain('invalid_parameter');
      expect(codesOf(await page({ n: 0 }))).toContain('invalid_parameter');
      expect(codesOf(await page({ n: 'two' }))).toEqual(['invalid_query']);
      expect(codesOf(await page({ n: 2, v: null }))).toEqual(['invalid_query']);
      expect(codesOf(await send({ query: PAGE }))).toEqual(['invalid_query']);
    }
  });

  it('returns the fields that its variables select', async () => {
    for (const on of [false, true, false, true]) {
      const [node] = (await page({ with: on })).body.data.assets.nodes;
      expect(Object.keys(node)).toEqual(on ? ['title', 'notes', 'valuations'] : ['title', 'valuations']);
    }
  });

  it('reads the client and runs the operation that each request names', async () => {
    const other = await makePartner(gateway);
    expect((await page({}, other)).body.data.assets.nodes).toEqual([]);
    expect((await page({})).body.data.assets.nodes).toHaveLength(1);
    expect(codesOf(await send({ query: PAGE, variables: { c: other.client.id } }))).toEqual(['no_active_grant']);
    const query = 'query A { limiterState } query B { __typename } mutation C { issuePlantToken(account: "x") { id } }';
    const ask = (operationName?: string) => send({ query, ...(operationName && { operationName }) }, { role: 'ops' });
    for (let round = 0; round < 2; round++) {
      expect((await ask('A')).body.data).toEqual({ limiterState: 'standalone' });
      expect((await ask('B')).body.data).toEqual({ __typename: 'Query' });
      expect(codesOf(await ask('C'))).toEqual(['forbidden']);
      for (const unknown of ['D', undefined]) expect(codesOf(await ask(unknown))).toEqual(['invalid_query']);
    }
  });

  it('fails the same way each time', async () => {
    for (const query of ['{', '{ nothing }', `{ ${'__typename '.repeat(1_001)} }`, '{ assets { nodes { title } } }']) {
      const [first, ...again] = [await send({ query }), await send({ query }), await send({ query })];
      expect(codesOf(first as never)).not.toEqual([]);
      for (const each of again) expect([each.status, each.text]).toEqual([first?.status, first?.text]);
    }
  });

  it('returns fields and clients only as long as key and grant cover them', async () => {
    const who = await makePartner(gateway);
    await makeItem(gateway.database, who.client);
    const narrow = (scopes: ScopeSet) =>
      gateway.database.query({ text: 'update grants set scopes = $1 where id = $2', values: [scopes, who.grant.id] });
    const ask = () => page({ with: true }, who);
    expect(codesOf(await ask())).toEqual([]);
    await narrow(scopeSet(['registry']));
    const refused = await ask();
    expect(new Set(codesOf(refused))).toEqual(new Set(['insufficient_scope']));
    expect(refused.text).not.toContain('Worn on Sundays');
    await narrow(ALL_SCOPES);
    expect(codesOf(await ask())).toEqual([]);
    await revokeGrant(gateway.database, who.grant.id, operator);
    expect(codesOf(await ask())).toEqual(['grant_revoked']);
    await revokeKey(gateway.database, who.key.id, operator);
    expect(codesOf(await ask())).toEqual(['invalid_api_key']);
    const role = 'ops';
    expect(codesOf(await send({ query: PAGE, variables: { c: partner.client.id } }, { role }))).toEqual(['forbidden']);
  });
});

describe('introspection', () => {
  const whole = (options = {}) => getIntrospectionQuery(options);

  it('as GraphiQL sends it is within the limit', async () => {
    const options = {
      ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
      ...{ inputValueDeprecation: true, oneOf: true, descriptions: true },
    };
    for (const query of [whole(), whole(options)]) expect(codesOf(await send({ query }))).toEqual([]);
  });

  it('counts towards the cost, so that it cannot be repeated in one operation', async () => {
    const text = whole();
    const operation = text.slice(0, text.indexOf('fragment')).trim();
    const body = operation.slice(operation.indexOf('__schema'), -1);
    const times = (count: number) => {
      const fields = Array.from({ length: count }, (_, at) => `s${at}: ${body}`);
      return text.replace(body, fields.join('\n'));
    };
    expect(codesOf(await send({ query: times(1) }))).toEqual([]);
    const refused = await send({ query: times(3) });
    expect([codesOf(refused), refused.body.data ?? null]).toEqual([['query_too_complex'], null]);
  });
});
