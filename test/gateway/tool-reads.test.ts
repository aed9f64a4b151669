// Guarantee: what a tool reads as a key is in the client's record, with the tool that read it, and in the metrics.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { findNamedGrant } from '#repositories/grants/grant-queries.ts';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { until } from '#test/support/ports.ts';
import { type Item, makeItem } from '#test/support/scenario.ts';
import { codesOf, graphql, makeServiceToken } from '#test/support/tools.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
let items: Item[];
const tokens = { support: '', ops: '', admin: '' };

beforeAll(async () => {
  gateway = await startGateway();
  for (const role of ['support', 'ops', 'admin'] as const)
    tokens[role] = await makeServiceToken(gateway.database, role);
});
afterAll(() => gateway.stop());

async function scene(): Promise<void> {
  partner = await makePartner(gateway);
  items = [await makeItem(gateway.database, partner.client), await makeItem(gateway.database, partner.client)];
}

const ask = (role: keyof typeof tokens, query: string, who = partner) =>
  graphql(gateway.internalUrl, tokens[role], { query, variables: { c: who.client.id } }, { actAs: who.key.id });

const tokenId = async (role: string) => {
  const text = 'select id from service_tokens where role = $1';
  const [row] = await gateway.database.query<{ id: string }>({ text, values: [role] });
  return row?.id;
};

interface Line {
  request_id: string;
  endpoint: string;
  registry_id: string | null;
  status: number;
  error_code: string | null;
  tool_role: string | null;
  tool_id: string | null;
  related: boolean;
}

/** The client's record once it has at least `lines` lines. */
async function recordOf(who: Partner, lines: number): Promise<Line[]> {
  let found: Line[] = [];
  await until(
    async () => {
      const text = 'select * from recorded_calls where client_id = $1 order by endpoint, registry_id';
      found = await gateway.database.query<Line & Record<string, unknown>>({ text, values: [who.client.id] });
      return found.length >= lines;
    },
    60_000,
    () => new Error(`${found.length} of ${lines} lines`),
  );
  return found;
}

const ONE = (id: string) => `asset(clientId: $c, registryId: "${id}") { title }`;

it('each read is a line with role and id of the token, by either way of execution', async () => {
  await scene();
  const [first, second] = items.map(({ registryId }) => registryId) as [string, string];
  await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }');
  // Several at once, and one of them twice; an alias, a fragment.
  const several = `query ($c: ID!) { a: ${ONE(first)} b: ${ONE(second)} again: ${ONE(first)} ...More }
    fragment More on Query { portfolioSummary(clientId: $c) { itemCount } }`;
  expect(codesOf(await ask('admin', several))).toEqual([]);
  const lines = await recordOf(partner, 4);
  const of = (role: string, id: string | undefined) => ({
    ...{ status: 200, error_code: null, tool_role: role, tool_id: id },
    ...{ firm_id: partner.key.firmId, key_id: partner.key.id, related: false },
  });
  const [support, admin] = [of('support', await tokenId('support')), of('admin', await tokenId('admin'))];
  expect(lines).toMatchObject([
    { endpoint: 'GraphQL asset', registry_id: [first, second].sort()[0], ...admin },
    { endpoint: 'GraphQL asset', registry_id: [first, second].sort()[1], ...admin },
    { endpoint: 'GraphQL assets', registry_id: null, ...support },
    { endpoint: 'GraphQL portfolioSummary', registry_id: null, ...admin },
  ]);
  expect(lines).toHaveLength(4);
  expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(4);
});

it('only what the chosen operation reads is recorded, and counts for the client that it names', async () => {
  await scene();
  const [first, second] = items.map(({ registryId }) => registryId) as [string, string];
  const another = await makePartner(gateway);
  const send = (other: string, client: string) =>
    graphql(
      gateway.internalUrl,
      tokens.support,
      {
        query: `query A($c: ID!) { ...OfA } query B { ...OfB }
          fragment OfA on Query { ...Within } fragment Within on Query { ${ONE(first)} }
          fragment OfB on Query { asset(clientId: "${client}", registryId: "${other}") { title } }`,
        ...{ variables: { c: partner.client.id }, operationName: 'A' },
      },
      { actAs: partner.key.id },
    );
  expect(codesOf(await send(second, another.client.id))).toEqual([]);
  expect(codesOf(await send(second, partner.client.id))).toEqual([]);
  const lines = await recordOf(partner, 2);
  expect(lines.map(({ registry_id, status }) => [registry_id, status])).toEqual([
    [first, 200],
    [first, 200],
  ]);
});

it('a read through the default of a variable is recorded', async () => {
  await scene();
  const [first, second] = items.map(({ registryId }) => registryId) as [string, string];
  const query = `query ($c: ID!, $d: ID! = "${partner.client.id}", $r: String! = "${second}") {
    a: ${ONE(first)} b: asset(clientId: $d, registryId: $r) { title } }`;
  const answer = await ask('support', query);
  expect([codesOf(answer), answer.body.data.b.title]).toEqual([[], expect.any(String)]);
  const lines = await recordOf(partner, 2);
  expect(lines.map(({ registry_id }) => registry_id).sort()).toEqual([first, second].sort());
});

it('a read within an inline fragment is recorded', async () => {
  await scene();
  const [first] = items.map(({ registryId }) => registryId) as [string];
  const query = `query ($c: ID!) { ... { ${ONE(first)} } ... on Query { portfolioSummary(clientId: $c) { itemCount } } }`;
  expect(codesOf(await ask('support', query))).toEqual([]);
  const lines = await recordOf(partner, 2);
  expect(lines.map(({ endpoint, status }) => [endpoint, status])).toEqual([
    ['GraphQL asset', 200],
    ['GraphQL portfolioSummary', 200],
  ]);
});

it('a read as a key that has ended is recorded as refused', async () => {
  await scene();
  await revokeKey(gateway.database, partner.key.id, operator);
  await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }');
  expect(await recordOf(partner, 1)).toMatchObject([
    { endpoint: 'GraphQL assets', status: 401, error_code: 'invalid_api_key', tool_role: 'support' },
  ]);
});

it('a refused read is recorded with its code, and a read with a refused field as a read', async () => {
  await scene();
  const [first] = items.map(({ registryId }) => registryId) as [string];
  const unknown = first.replace(/.{26}$/, newId('item').slice(4));
  const both = `query ($c: ID!) { a: ${ONE(unknown)} b: ${ONE(first)} assets(clientId: $c) { nodes { title } } }`;
  const codes = codesOf(await ask('support', both));
  expect(codes).toEqual(['asset_not_found']);
  const lines = await recordOf(partner, 1);
  const seen = lines.map(({ registry_id, status, error_code }) => [registry_id, status, error_code]);
  expect(seen).toContainEqual([unknown, 404, 'asset_not_found']);

  const revoked = await makePartner(gateway);
  await revokeGrant(gateway.database, revoked.grant.id, operator);
  await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }', revoked);
  expect(await recordOf(revoked, 1)).toMatchObject([
    { endpoint: 'GraphQL assets', status: 403, error_code: 'grant_revoked', scopes: 0, tool_role: 'support' },
  ]);
  const narrow = await makePartner(gateway);
  await changeGrant(gateway.database, narrow.grant.id, { scopes: 1 }, operator);
  await makeItem(gateway.database, narrow.client);
  await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title notes } } }', narrow);
  expect(await recordOf(narrow, 1)).toMatchObject([
    { endpoint: 'GraphQL assets', status: 200, error_code: null, scopes: 1, tool_role: 'support' },
  ]);
});

it("a read is neither in the firm's calls nor a use of its key or grant", async () => {
  await scene();
  const { client: stranger } = await makePartner(gateway);
  for (const who of [partner, { ...partner, client: stranger }]) {
    await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }', who);
    await recordOf(who, 1);
  }
  const [key] = await gateway.database.query({
    text: `select last_used_at, (select count(*) from access_days d where d.key_id = k.id) as days,
        (select count(*) from firm_refusals r join access_keys n on n.number = r.key where n.key_id = k.id) as refusals
      from api_keys k where id = $1`,
    values: [partner.key.id],
  });
  expect(key).toEqual({ last_used_at: null, days: 0, refusals: 0 });
  const owner = { kind: 'client', id: partner.client.id } as const;
  const grant = await findNamedGrant(gateway.database, owner, partner.grant.id);
  expect(grant).toMatchObject({ lastSeenAt: null, calls30Days: 0 });
});

it('the command line lists the tool', async () => {
  await scene();
  await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }');
  await partner.get('/assets');
  await recordOf(partner, 2);
  const { stdout } = await runHere(
    { DATABASE_URL: gateway.databaseUrl },
    ...['access', 'list', '--client', partner.client.id, '--json'],
  );
  const listed = JSON.parse(stdout).map((line: Record<string, unknown>) => [
    line.endpoint,
    line.tool_role,
    line.tool_id,
  ]);
  expect(listed).toEqual([
    ['GET /api/v1/assets', null, null],
    ['GraphQL assets', 'support', await tokenId('support')],
  ]);
});

it('a read is counted by role in the metrics and recorded with its request id', async () => {
  await scene();
  const counted = async (labels: string) => {
    const text = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`portico_tool_requests_total{${labels}}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const acting = 'role="support",acting="true"';
  const before = await counted(acting);
  const answer = await ask('support', 'query ($c: ID!) { assets(clientId: $c) { nodes { title } } }');
  expect(await counted(acting)).toBe(before + 1);
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  const [line] = await recordOf(partner, 1);
  expect(line).toMatchObject({ request_id: answer.headers.get('x-request-id') });
  await ask('ops', '{ limiterState }');
  expect(await counted('role="ops",acting="false"')).toBeGreaterThan(0);
});
