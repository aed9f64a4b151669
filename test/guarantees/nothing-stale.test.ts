// Guarantee: what a gateway keeps of earlier answers never shows: bodies, tags and 304s are those of one that keeps nothing.

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { steadyClock } from '#core/clock.ts';
import { newId } from '#core/ids.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { samplePaths } from '#test/support/sample-requests.ts';
import { call, furnish, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import { requestStatements } from '#test/support/statements.ts';
import { Chance } from './chance.ts';
import { STEPS, type Stage } from './portfolio-steps.ts';

const CHANGES = 150;

let keeping: TestGateway;
let forgetful: TestGateway;
let partners: Partner[];
let stage: Stage;
let paths: string[];

beforeAll(async () => {
  keeping = await startGateway();
  forgetful = await startGateway({ databaseUrl: keeping.databaseUrl, env: { RESPONSE_CACHE_MB: '0' } });
  const whole = await makePartner(keeping);
  const { client } = whole;
  const collections: string[] = [];
  for (const category of ['WT', 'AR', 'GM', 'OT']) {
    const item = await makeItem(keeping.database, client, { category });
    collections.push((await furnish(keeping.database, client, item)).collectionId);
    paths = samplePaths(item.registryId);
  }
  // A link that ends makes its asset another without any change.
  await keeping.database.query({
    text: "update share_links set expires_at = now() + interval '1 hour' where id < 'shl_2'",
  });
  const [collection = ''] = collections;
  partners = [
    whole,
    await makePartner(keeping, { client, filter: { type: 'category', categories: ['WT', 'OT'] } }),
    await makePartner(keeping, { client, filter: { type: 'collection', collection }, scopes: 17 }),
  ];
  stage = { clientId: client.id, collections };
});
afterAll(async () => {
  await forgetful.stop();
  await keeping.stop();
});

const asOf = /"as_of":"[^"]*"|"next_cursor":"[^"]*"|"request_id":"[^"]*"/g;
const ask = (gateway: TestGateway, partner: Partner, path: string, tag?: string) =>
  call(
    gateway.url + pathFor(partner.client.id, path),
    partner.key.secret,
    tag ? { headers: { 'If-None-Match': tag } } : {},
  );

it(`after each of ${CHANGES} changes, in pages, includes, deltas, summaries and conditional requests`, async () => {
  const chance = new Chance();
  const tags = new Map<string, string>();
  for (let change = 0; change < CHANGES; change++) {
    const step = chance.pick(STEPS);
    await keeping.database.transaction((sql) => step(sql, stage, chance));
    await expect(differences(keeping.database), `seed ${chance.seed}, change ${change}`).resolves.toEqual([]);
    const partner = chance.pick(partners);
    for (const path of [chance.pick(paths), chance.pick(paths)]) {
      const name = partner.key.id + path;
      const told = await ask(keeping, partner, path, tags.get(name));
      const [one, other] = [await ask(keeping, partner, path), await ask(forgetful, partner, path)];
      const where = `seed ${chance.seed}, change ${change}, ${path}`;
      expect([one.status, one.text.replace(asOf, '')], where).toEqual([other.status, other.text.replace(asOf, '')]);
      const tag = other.headers.get('etag') ?? '';
      expect(one.headers.get('etag') ?? '', where).toBe(tag);
      if (tags.get(name) === tag) expect(told.status, where).toBe(tag === '' ? other.status : 304);
      else expect(told.status, where).toBe(other.status);
      tags.set(name, tag);
    }
  }
  await keeping.database.query({ text: 'select fold_portfolio_totals()' });
  await expect(differences(keeping.database)).resolves.toEqual([]);
});

/** Where the figures that triggers keep are not what counting gives. */
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

it('a page asked for again and again is not read again until something changes, and then is', async () => {
  const { database } = keeping;
  const [, , partner] = partners as [Partner, Partner, Partner];
  const item = await makeItem(database, partner.client, { title: 'First' });
  const [collection] = stage.collections as [string];
  await database.query({
    text: 'insert into item_collections (item_id, collection_id) values ($1, $2)',
    values: [item.id, collection],
  });
  const titles = async () =>
    (await ask(keeping, partner, '/assets')).body.data.map((asset: { title: string }) => asset.title);
  for (let count = 0; count < 4; count++) expect(await titles()).toContain('First');
  const pagesDuring = async (title: string) => {
    const statements = await requestStatements(database, async () => expect(await titles()).toContain(title));
    return statements.filter(({ name }) => name === 'assets page').length;
  };
  for (let count = 0; count < 4; count++) expect(await pagesDuring('First')).toBe(0);
  await database.query({ text: "update items set title = 'Second' where id = $1", values: [item.id] });
  expect(await pagesDuring('Second')).toBe(1);
});

it('a 304 asks whether anything has changed, and reads neither key nor grant again', async () => {
  const { database } = keeping;
  const partner = await makePartner(keeping);
  await makeItem(database, partner.client);
  const tag = (await ask(keeping, partner, '/assets')).headers.get('etag') ?? '';
  for (let count = 0; count < 3; count++) expect((await ask(keeping, partner, '/assets', tag)).status).toBe(304);
  const statements = await requestStatements(database, async () => {
    expect((await ask(keeping, partner, '/assets', tag)).status).toBe(304);
  });
  expect(statements).toHaveLength(1);
  expect(statements[0]?.name).toBe('changes');
  expect(statements[0]?.text).not.toMatch(/\b(?:api_keys|grants|firms|users)\b/);
  await revokeGrant(database, partner.grant.id, { kind: 'operator', id: 'test' });
  expectError(await ask(keeping, partner, '/assets', tag), 403, 'grant_revoked');
});

it('a document that expires counts no more from the next day on, although nothing was written', async () => {
  const { database } = keeping;
  const [partner] = partners as [Partner];
  const complete = async () => (await ask(keeping, partner, '/portfolio/summary')).body.data.documentation_completeness;
  const item = await makeItem(database, partner.client, { category: 'OT' });
  await database.query({ text: "update items set category = 'VH' where id = $1", values: [item.id] });
  const before = await complete();
  // As the night would leave it: the score of yesterday, good until yesterday.
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

it('nothing is asked of the database for a bad checksum, nor where the key or the address was over its limit a moment ago', async () => {
  const gateway = await startGateway({ databaseUrl: keeping.databaseUrl });
  try {
    const { database } = gateway;
    const partner = await makePartner(gateway, {
      key: await makeKey(database, await makeFirm(database), { environment: 'sandbox' }),
      client: await makeClient(database, { environment: 'sandbox' }),
    });
    const asked = async (count: number, secret: string | (() => string), clients: string[] = [partner.client.id]) => {
      const ask = (index: number) =>
        call(
          gateway.url + pathFor(clients[index % clients.length] ?? '', '/assets'),
          typeof secret === 'string' ? secret : secret(),
        );
      let answers: Awaited<ReturnType<typeof call>>[] = [];
      const statements = await requestStatements(database, async () => {
        answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
      });
      return { statements: statements.length, answers };
    };
    // However long the requests take, it is all within the second for which a limit that was reached is remembered.
    vi.spyOn(steadyClock, 'now').mockReturnValue(steadyClock.now());
    const wrong = `${partner.key.secret.slice(0, -1)}${partner.key.secret.endsWith('0') ? '1' : '0'}`;
    const strangers = await asked(5, wrong);
    expect(strangers.statements).toBe(0);
    for (const answer of strangers.answers) expectError(answer, 401, 'invalid_api_key');
    await asked(105, partner.key.secret);
    const refused = await asked(20, partner.key.secret);
    expect(refused.statements).toBe(0);
    for (const answer of refused.answers) expectError(answer, 429, 'rate_limit_exceeded');
    const others = Array.from({ length: 20 }, () => newId('user'));
    const varied = await asked(20, partner.key.secret, others);
    expect(varied.statements).toBe(0);
    for (const answer of varied.answers) expectError(answer, 429, 'rate_limit_exceeded');
    const forged = () => makeKeySecret('sandbox').text;
    await asked(105, forged);
    // The hashes of all keys may be read once.
    const flood = await asked(400, forged);
    expect(flood.statements).toBeLessThanOrEqual(1);
    for (const answer of flood.answers) expectError(answer, 429, 'rate_limit_exceeded');
  } finally {
    vi.restoreAllMocks();
    // Whatever is on its way to the record is written at the end.
    await gateway.stop();
  }
  const strange = await keeping.database.query({
    text: 'select client_id from recorded_calls where client_id not in (select id from users)',
  });
  expect(strange).toEqual([]);
});
