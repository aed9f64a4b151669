// Guarantee: private values (P0) never leave the database: not in a body, header, error, log line, record or metric.

import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snakeCase } from '#core/fields/field.ts';
import { entities } from '#database/entities/index.ts';
import { tierOf } from '#database/entities/tier.ts';
import { type ChildGateway, startChildGateway } from '#test/support/child-gateway.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { samplePaths } from '#test/support/sample-requests.ts';
import { CANARY, furnish, type Item, makeItem, type Response } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';
import { WHOLE_LIST } from '#test/support/whole-asset.ts';

const PORTFOLIO = new Set(['items', 'valuations', 'documents', 'share_links', 'collections']);

/** P0 columns of a portfolio's tables. */
const PRIVATE = entities.flatMap(({ meta: { tableName = '', properties } }) =>
  Object.entries(properties as Record<string, { comment?: string }>)
    .filter(([, { comment }]) => tierOf(comment) === 'P0' && PORTFOLIO.has(tableName))
    .map(([name]) => ({ table: tableName, column: snakeCase(name) })),
);

/** Their names, as in the database and as a schema would spell them. */
const PRIVATE_NAMES = /internal_?notes|file_?path|(?<!access_|next_)\btoken\b/i;

let home: TestGateway;
let gateway: ChildGateway;
let partner: Partner;
let item: Item;
let support: string;
let admin: string;
const seen: Response[] = [];

beforeAll(async () => {
  home = await startGateway();
  // A cached response would not fail.
  const settings = { LOG_LEVEL: 'trace', RESPONSE_CACHE_MB: '0' };
  gateway = await startChildGateway({ DATABASE_URL: home.databaseUrl, ...settings });
  partner = await makePartner({ url: gateway.url, database: home.database });
  item = await makeItem(home.database, partner.client);
  await furnish(home.database, partner.client, item);
  support = await makeServiceToken(home.database, 'support');
  admin = await makeServiceToken(home.database, 'admin');
});
afterAll(async () => {
  await gateway.stop();
  await home.stop();
});

async function look(response: Promise<Response>): Promise<Response> {
  const answer = await response;
  seen.push(answer);
  return answer;
}

const paths = () => samplePaths(item.registryId);

function expectNothingPrivate(text: string): void {
  expect(text).not.toContain(CANARY);
  expect(text.toLowerCase()).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 16).toLowerCase());
}

describe('the canaries', () => {
  it('are in the database: otherwise this file would prove nothing', async () => {
    expect(PRIVATE.length).toBeGreaterThanOrEqual(3);
    for (const { table, column } of PRIVATE) {
      const [row] = await home.database.query({
        text: `select count(*) as found from ${table} where ${column}::text like '%${CANARY}%'`,
      });
      expect(row?.found, `${table}.${column}`).toBeGreaterThan(0);
      expect(column).toMatch(PRIVATE_NAMES);
    }
  });
});

describe('area A reveals no private value', () => {
  it('in bodies and headers of any endpoint, with every scope', async () => {
    for (const path of paths()) expect((await look(partner.get(path))).status).toBe(200);
    for (const path of paths()) await look(partner.get(path, { method: 'HEAD' }));
  });

  it('in refusals', async () => {
    for (const query of ['?include=internal_notes', '?internal_notes=1', `?category=${CANARY.slice(0, 3)}`])
      expect((await look(partner.get(`/assets${query}`))).status).toBe(400);
    await look(partner.get(`/assets/${item.registryId}/files`));
  });

  it('in failures of queries and of data', async () => {
    const { database } = home;
    await database.query({ text: 'alter table documents rename column title to heading' });
    for (const path of paths()) await look(partner.get(path));
    expect(seen.at(-2)?.status).toBe(503);
    await database.query({ text: 'alter table documents rename column heading to title' });
    await database.query({ text: `update items set verification = '{"status":null}'` });
    expect((await look(partner.get('/assets'))).status).toBe(500);
    await database.query({ text: 'update items set verification = null' });
  });
});

describe('GraphQL reveals no private value', () => {
  it('to support or an admin that acts as the key', async () => {
    for (const token of [support, admin]) {
      const variables = { client: partner.client.id };
      const whole = await look(
        graphql(gateway.internalUrl, token, { query: WHOLE_LIST, variables }, { actAs: partner.key.id }),
      );
      expect(whole.body.data.assets.nodes).toHaveLength(1);
    }
  });

  it('or its name in the schema', async () => {
    const answer = await look(graphql(gateway.internalUrl, admin, { query: getIntrospectionQuery() }));
    expect(answer.body.data.__schema.types.length).toBeGreaterThan(20);
    const names = JSON.stringify(
      answer.body.data.__schema.types.filter(({ name }: { name: string }) => name !== 'IssuedToken'),
    );
    expect(names.match(/"name":"[^"]*"/g)?.filter((name) => PRIVATE_NAMES.test(name))).toEqual([]);
  });

  it.each(['internalNotes', 'internal_notes', 'documents { filePath }', 'estate { shareLinks { token } }'])(
    'to a query that names it, which gets an error without a suggestion: %s',
    async (field) => {
      const query = `query ($c: ID!) { assets(clientId: $c) { nodes { ${field} } } }`;
      const variables = { c: partner.client.id };
      const answer = await look(graphql(gateway.internalUrl, support, { query, variables }, { actAs: partner.key.id }));
      expect(answer.body.errors[0].extensions.code).toBe('invalid_query');
      expect(answer.body.data ?? null).toBeNull();
      expect(answer.text).not.toMatch(/did you mean.*(internal_?notes|file_?path|token)/i);
    },
  );
});

describe('no private value is', () => {
  it('in a header or body of the responses above', () => {
    expect(seen.length).toBeGreaterThanOrEqual(30);
    for (const { text, headers } of seen) expectNothingPrivate(`${text}\n${JSON.stringify([...headers])}`);
  });

  it('in the metrics', async () => {
    const metrics = await fetch(`${gateway.internalUrl}/metrics`);
    expectNothingPrivate(await metrics.text());
  });

  it('in the log, nor a secret, a query or what a client owns', async () => {
    const log = gateway.log();
    expect(log.split('\n').filter((line) => line.includes('"failure"')).length).toBeGreaterThan(1);
    expectNothingPrivate(log);
    for (const word of [
      partner.key.secret,
      support,
      admin,
      'Chronograph',
      'Vault 4',
      'Worn on',
      'client_id=',
      '@example',
    ])
      expect(log).not.toContain(word);
  });

  it('in the access record', async () => {
    await gateway.stop();
    const records = await home.database.query({ text: 'select * from recorded_calls' });
    expect(records.length).toBeGreaterThan(15);
    expectNothingPrivate(JSON.stringify(records));
    expect(JSON.stringify(records)).not.toContain('Chronograph');
  });
});
