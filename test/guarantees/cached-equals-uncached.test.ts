// Guarantee: caching changes no response: bodies, tags and 304s are those of a gateway without a response cache.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { steadyClock } from '#core/clock.ts';
import { newId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { ResponseCache } from '#rest-facade/response-cache.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { samplePaths } from '#test/support/sample-requests.ts';
import { call, furnish, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import { requestStatements } from '#test/support/statements.ts';
import { Chance } from './chance.ts';
import { STEPS, type Stage } from './portfolio-steps.ts';

const CHANGES = 150;

let cached: TestGateway;
let uncached: TestGateway;
let partners: Partner[];
let stage: Stage;
let paths: string[];

beforeAll(async () => {
  cached = await startGateway();
  uncached = await startGateway({ databaseUrl: cached.databaseUrl, env: { RESPONSE_CACHE_MB: '0' } });
  const whole = await makePartner(cached);
  const { client } = whole;
  const collections: string[] = [];
  for (const category of ['WT', 'AR', 'GM', 'OT']) {
    const item = await makeItem(cached.database, client, { category });
    collections.push((await furnish(cached.database, client, item)).collectionId);
    paths = samplePaths(item.registryId);
  }
  // A share link that expires changes its asset without a write.
  await cached.database.query({
    text: "update share_links set expires_at = now() + interval '1 hour' where id < 'shl_2'",
  });
  const [collection = ''] = collections;
  partners = [
    whole,
    await makePartner(cached, { client, filter: { type: 'category', categories: ['WT', 'OT'] } }),
    await makePartner(cached, { client, filter: { type: 'collection', collection }, scopes: 17 }),
  ];
  stage = { clientId: client.id, collections };
});
afterAll(async () => {
  await uncached.stop();
  await cached.stop();
});

const asOf = /"as_of":"[^"]*"|"next_cursor":"[^"]*"|"request_id":"[^"]*"/g;
const ask = (gateway: TestGateway, partner: Partner, path: string, tag?: string) =>
  call(
    gateway.url + pathFor(partner.client.id, path),
    partner.key.secret,
    tag ? { headers: { 'If-None-Match': tag } } : {},
  );

it(`pages, includes, deltas, summaries and 304s are the same after each of ${CHANGES} changes`, async () => {
  const chance = new Chance();
  const tags = new Map<string, string>();
  for (let change = 0; change < CHANGES; change++) {
    const step = chance.pick(STEPS);
    await cached.database.transaction((sql) => step(sql, stage, chance));
    await expect(differences(cached.database), `seed ${chance.seed}, change ${change}`).resolves.toEqual([]);
    const partner = chance.pick(partners);
    for (const path of [chance.pick(paths), chance.pick(paths)]) {
      const name = partner.key.id + path;
      const conditional = await ask(cached, partner, path, tags.get(name));
      const [one, other] = [await ask(cached, partner, path), await ask(uncached, partner, path)];
      const where = `seed ${chance.seed}, change ${change}, ${path}`;
      expect([one.status, one.text.replace(asOf, '')], where).toEqual([other.status, other.text.replace(asOf, '')]);
      const tag = other.headers.get('etag') ?? '';
      expect(one.headers.get('etag') ?? '', where).toBe(tag);
      if (tags.get(name) === tag) expect(conditional.status, where).toBe(tag === '' ? other.status : 304);
      else expect(conditional.status, where).toBe(other.status);
      tags.set(name, tag);
    }
  }
  await cached.database.query({ text: 'select fold_portfolio_totals()' });
  await expect(differences(cached.database)).resolves.toEqual([]);
});

/** Totals and scores stored by triggers that differ from computed ones. */
const differences = (database: TestGateway['database']) =>
  database.query({
    text: `
select 'totals' as what, client_id, category from (
  select client_id, category, count(*) as items, coalesce(sum(market_value), 0) as value from items group by 1, 2
  union all
  select client_id, category, -sum(items), -sum(value) from portfolio_totals group by 1, 2) t
group by 2, 3 having sum(items) <> 0 or sum(value) <> 0
union all
select 'score', i.id, i.category from items i join categories c on c.code = i.category
left join item_completeness s on s.item_id = i.id and s.category = i.category and s.client_id = i.client_id
where s.score is distinct from score_of(i.id, c.recommended_documents)`,
  });

it('a page requested repeatedly is read from the database only after a change', async () => {
  const { database } = cached;
  const [, , partner] = partners as [Partner, Partner, Partner];
  const item = await makeItem(database, partner.client, { title: 'First' });
  const [collection] = stage.collections as [string];
  await database.query({
    text: 'insert into item_collections (item_id, collection_id) values ($1, $2)',
    values: [item.id, collection],
  });
  const titles = async () =>
    (await ask(cached, partner, '/assets')).body.data.map((asset: { title: string }) => asset.title);
  for (let count = 0; count < 4; count++) expect(await titles()).toContain('First');
  const pagesDuring = async (title: string) => {
    const statements = await requestStatements(database, async () => expect(await titles()).toContain(title));
    return statements.filter(({ name }) => name === 'assets page').length;
  };
  for (let count = 0; count < 4; count++) expect(await pagesDuring('First')).toBe(0);
  await database.query({ text: "update items set title = 'Second' where id = $1", values: [item.id] });
  expect(await pagesDuring('Second')).toBe(1);
});

it('a 304 reads the change log, but neither key nor grant', async () => {
  const { database } = cached;
  const partner = await makePartner(cached);
  await makeItem(database, partner.client);
  const tag = (await ask(cached, partner, '/assets')).headers.get('etag') ?? '';
  for (let count = 0; count < 3; count++) expect((await ask(cached, partner, '/assets', tag)).status).toBe(304);
  const statements = await requestStatements(database, async () => {
    expect((await ask(cached, partner, '/assets', tag)).status).toBe(304);
  });
  expect(statements).toHaveLength(1);
  expect(statements[0]?.name).toBe('changes');
  expect(statements[0]?.text).not.toMatch(/\b(?:api_keys|grants|firms|users)\b/);
  await revokeGrant(database, partner.grant.id, { kind: 'operator', id: 'test' });
  expectError(await ask(cached, partner, '/assets', tag), 403, 'grant_revoked');
});

it('a document stops counting on the day after it expires, without a write', async () => {
  const { database } = cached;
  const [partner] = partners as [Partner];
  const complete = async () => (await ask(cached, partner, '/portfolio/summary')).body.data.documentation_completeness;
  const item = await makeItem(database, partner.client, { category: 'OT' });
  await database.query({ text: "update items set category = 'VH' where id = $1", values: [item.id] });
  const before = await complete();
  // The state after midnight: a score that was valid until yesterday.
  await database.query({
    text: 'update item_completeness set score = 100, until = current_date - 1 where item_id = $1',
    values: [item.id],
  });
  expect(await complete()).toEqual(before);
  await database.query({
    text: 'update item_completeness set until = current_date where item_id = $1',
    values: [item.id],
  });
  expect((await complete()).complete_items).toBe(before.complete_items + 1);
});

it('an empty portfolio has its total in another currency as soon as the client has', async () => {
  const partner = await makePartner(cached);
  const currency = async () => (await ask(cached, partner, '/portfolio/summary')).body.data.total_value.currency;
  for (let count = 0; count < 3; count++) expect(await currency()).toBe(partner.client.reportingCurrency);
  await cached.database.query({
    text: "update users set reporting_currency = 'JPY' where id = $1",
    values: [partner.client.id],
  });
  expect(await currency()).toBe('JPY');
});

it('a response with the completeness of documents is cached until the end of the UTC day, others are not bound to it', async () => {
  const partner = await makePartner(cached);
  const unaffected = await makePartner(cached, { client: partner.client, scopes: scopeSet(['registry', 'valuation']) });
  const { registryId } = await makeItem(cached.database, partner.client);
  const endOfDay = () => (Math.floor(Date.now() / DAY_MS) + 1) * (DAY_MS / 1_000);
  const stored = vi.spyOn(ResponseCache.prototype, 'store');
  const endsOf = async (of: Partner, path: string) => {
    // The second request is cached.
    for (let count = 0; count < 2; count++) expect((await ask(cached, of, path)).status).toBe(200);
    return stored.mock.lastCall?.[1].endsAt;
  };
  for (const path of ['/assets', `/assets/${registryId}`, `/assets/${registryId}/documents`, '/portfolio/summary']) {
    const before = endOfDay();
    expect([before, endOfDay()]).toContain(await endsOf(partner, path));
  }
  for (const path of ['/assets', '/portfolio/summary'])
    expect(await endsOf(unaffected, path)).toBe(Number.POSITIVE_INFINITY);
  stored.mockRestore();
});

it('no statement is run for a bad checksum, nor for a key or an address that was just over its limit', async () => {
  const gateway = await startGateway({ databaseUrl: cached.databaseUrl });
  try {
    const { database } = gateway;
    const partner = await makePartner(gateway, {
      key: await makeKey(database, await makeFirm(database), { environment: 'sandbox' }),
      client: await makeClient(database, { environment: 'sandbox' }),
    });
    const send = async (count: number, secret: string | (() => string), clients: string[] = [partner.client.id]) => {
      const ask = (index: number) =>
        call(
          gateway.url + pathFor(clients[index % clients.length] ?? '', '/assets'),
          typeof secret === 'string' ? secret : secret(),
        );
      let responses: Awaited<ReturnType<typeof call>>[] = [];
      const statements = await requestStatements(database, async () => {
        responses = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
      });
      return { statements: statements.length, responses };
    };
    // A stopped clock keeps all requests within the second for which an exceeded limit is remembered.
    vi.spyOn(steadyClock, 'now').mockReturnValue(steadyClock.now());
    const wrong = `${partner.key.secret.slice(0, -1)}${partner.key.secret.endsWith('0') ? '1' : '0'}`;
    const malformed = await send(5, wrong);
    expect(malformed.statements).toBe(0);
    for (const response of malformed.responses) expectError(response, 401, 'invalid_api_key');
    await send(105, partner.key.secret);
    const refused = await send(20, partner.key.secret);
    expect(refused.statements).toBe(0);
    for (const response of refused.responses) expectError(response, 429, 'rate_limit_exceeded');
    const others = Array.from({ length: 20 }, () => newId('user'));
    const varied = await send(20, partner.key.secret, others);
    expect(varied.statements).toBe(0);
    for (const response of varied.responses) expectError(response, 429, 'rate_limit_exceeded');
    const forged = () => makeKeySecret('sandbox').text;
    await send(105, forged);
    // The hashes of all keys may be loaded once.
    const flood = await send(400, forged);
    expect(flood.statements).toBeLessThanOrEqual(1);
    for (const response of flood.responses) expectError(response, 429, 'rate_limit_exceeded');
  } finally {
    vi.restoreAllMocks();
    // Stopping saves the pending access records.
    await gateway.stop();
  }
  const unknownClients = await cached.database.query({
    text: 'select client_id from recorded_calls where client_id not in (select id from users)',
  });
  expect(unknownClients).toEqual([]);
});
