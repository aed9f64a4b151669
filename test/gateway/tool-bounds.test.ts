// Guarantee: an operation larger than allowed is refused before anything is read for it.

import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { call, makeItem, type Response } from '#test/support/scenario.ts';
import { codesOf, graphql, makeServiceToken, withToolScene } from '#test/support/tools.ts';

const scene = withToolScene();

const query = (selection: string) =>
  scene.ask({ query: `query ($c: ID!) { ${selection} }`, variables: { c: scene.partner.client.id } });

async function expectRefused(response: Response, code: string): Promise<void> {
  expect(codesOf(response)).toContain(code);
  expect(response.body.data ?? null).toBeNull();
  expect(scene.statementCount()).toBe(0);
}

const aliases = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: title`).join(' ');
describe('the endpoint refuses', () => {
  it('more than 30 aliases', async () => {
    await expectRefused(await query(`assets(clientId: $c) { nodes { ${aliases(31)} } }`), 'query_too_complex');
    const fits = await query(`assets(clientId: $c) { nodes { ${aliases(30)} } }`);
    expect([codesOf(fits), fits.body.data.assets.nodes.length]).toEqual([[], 1]);
    expect(scene.statementCount()).toBeGreaterThan(0);
  });

  it('more than 1000 tokens', async () => {
    const fields = (count: number) => `assets(clientId: $c) { nodes { ${'title '.repeat(count)} } }`;
    await expectRefused(await query(fields(1_000)), 'query_too_complex');
    expect(codesOf(await query(fields(150)))).toEqual([]);
  });

  it('more fields side by side than can be compared with each other', async () => {
    const response = await scene.ask({ query: `{ ${'__typename '.repeat(900)} }` });
    await expectRefused(response, 'query_too_complex');
    expect(response.body.errors[0].message).toBe('The operation selects too many fields side by side.');
  });

  it('circular introspection', async () => {
    const round = `${'fields { type { '.repeat(5)}name${' } }'.repeat(5)}`;
    await expectRefused(await scene.ask({ query: `{ __schema { types { ${round} } } }` }), 'invalid_query');
  });

  it('a cost above the configured limit', async () => {
    const wide = 'valuations(first: 100) { id source value { amount currency } valuedAt appraiser createdAt }';
    const response = await query(`assets(clientId: $c, first: 100) { nodes { ${wide} } }`);
    await expectRefused(response, 'query_too_complex');
  });

  it('a cost that depends on variables, given or by default', async () => {
    const text = (variables: string) =>
      `query ($c: ID!, $n: Int${variables}) { assets(clientId: $c, first: $n) { nodes { valuations(first: 50) { id } } } }`;
    const c = scene.partner.client.id;
    await expectRefused(await scene.ask({ query: text(''), variables: { c, n: 100 } }), 'query_too_complex');
    await expectRefused(await scene.ask({ query: text(' = 100'), variables: { c } }), 'query_too_complex');
    expect(codesOf(await scene.ask({ query: text(' = 100'), variables: { c, n: 2 } }))).toEqual([]);
  });

  it.each([101, 0, -1, -100_000, 2_147_483_647])('pages of %d', async (size) => {
    await expectRefused(await query(`assets(clientId: $c, first: ${size}) { nodes { title } }`), 'invalid_parameter');
    await expectRefused(
      await query(`assets(clientId: $c) { nodes { valuations(first: ${size}) { id } } }`),
      'invalid_parameter',
    );
    const variables = { c: scene.partner.client.id, n: size };
    const text = 'query ($c: ID!, $n: Int) { assets(clientId: $c, first: $n) { nodes { title } } }';
    await expectRefused(await scene.ask({ query: text, variables }), 'invalid_parameter');
    const byDefault = `query ($c: ID!, $n: Int = ${size}) { assets(clientId: $c, first: $n) { nodes { title } } }`;
    await expectRefused(
      await scene.ask({ query: byDefault, variables: { c: scene.partner.client.id } }),
      'invalid_parameter',
    );
  });

  it('batches', async () => {
    const one = { query: '{ __typename }' };
    const response = await scene.ask([one, one]);
    expect(response.status).toBe(400);
    expect(response.text).not.toContain('"Query"');
    expect(scene.statementCount()).toBe(0);
  });

  it('circular fragments', async () => {
    const text = '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }';
    await expectRefused(await scene.ask({ query: text }), 'invalid_query');
  });

  it('documents that are not GraphQL or do not match the schema', async () => {
    for (const text of ['', '{', 'query {', '{ nothing }', '{ assets { nodes { title } } }', 'subscription { x }'])
      expect(codesOf(await scene.ask({ query: text }))).not.toEqual([]);
    for (const text of ['{', '{ nothing }']) await expectRefused(await scene.ask({ query: text }), 'invalid_query');
  });

  it('bodies that are not a GraphQL request', async () => {
    for (const body of ['5', 'null', '{"query":5}', '{"query":"{ __typename }","variables":5}']) {
      const response = await scene.ask(body);
      expect([body, response.status]).toEqual([body, 400]);
      expect(codesOf(response)).toEqual(['invalid_query']);
    }
    for (const body of ['', '{']) expect(codesOf(await scene.ask(body))).toEqual(['invalid_query']);
    expect(scene.statementCount()).toBe(0);
  });

  it('mutations by GET', async () => {
    const url = `${scene.gateway.internalUrl}/graphql?query=${encodeURIComponent('mutation { issuePlantToken(account: "x") { token } }')}`;
    const response = await call(url, await makeServiceToken(scene.gateway.database, 'admin'), { version: null });
    expect(response.status).toBe(405);
  });
});

describe('the limits of all keys', () => {
  const asOps = async (selection: string) =>
    graphql(scene.gateway.internalUrl, await makeServiceToken(scene.gateway.database, 'ops'), { query: selection });

  it('are read once, however often an operation names them', async () => {
    const before = scene.statementCount();
    const one = await asOps('{ limits { keyId used } }');
    const cost = scene.statementCount() - before;
    const thirty = await asOps(`{ ${Array.from({ length: 30 }, (_, at) => `a${at}: limits { keyId }`).join(' ')} }`);
    expect([codesOf(one), codesOf(thirty)]).toEqual([[], []]);
    expect(Object.keys(thirty.body.data)).toHaveLength(30);
    expect(thirty.body.data.a29).toEqual(one.body.data.limits.map(({ keyId }: { keyId: string }) => ({ keyId })));
    expect(scene.statementCount() - before).toBe(2 * cost);
    expect(cost).toBeGreaterThan(0);
  });

  it('cost as much as a page of 100', async () => {
    const history = 'tierHistory { at tier reason actor { name } }';
    const refused = await asOps(`{ limits { keyId ${history} shadowHistory { at reason } } }`);
    await expectRefused(refused, 'query_too_complex');
    expect(codesOf(await asOps(`{ limits { keyId tierHistory { at tier reason } } }`))).toEqual([]);
  });
});

describe('introspection', () => {
  it('of the whole schema is open to every authenticated tool', async () => {
    for (const role of ['support', 'ops', 'admin'] as const) {
      const own = await makeServiceToken(scene.gateway.database, role);
      const answer = await graphql(scene.gateway.internalUrl, own, { query: getIntrospectionQuery() });
      expect(codesOf(answer)).toEqual([]);
      expect(answer.body.data.__schema.queryType.name).toBe('Query');
    }
  });
});

describe('a page of a connection', () => {
  it('has edges and page information, and its end cursor gives the next page', async () => {
    await makeItem(scene.gateway.database, scene.partner.client);
    const page = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
    const first = (await query(`assets(clientId: $c, first: 1) { ${page} }`)).body.data.assets;
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(first.pageInfo.endCursor).toBe(first.edges[0].cursor);
    const second = (await query(`assets(clientId: $c, first: 1, after: "${first.pageInfo.endCursor}") { ${page} }`))
      .body;
    expect(second.data.assets.edges[0].node.id > first.edges[0].node.id).toBe(true);
    expect(second.data.assets.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });
});
