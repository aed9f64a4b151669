// Guarantee: the calls listed for an item are exactly those that carried it, and those of which this is unknown are
// marked.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCursors } from '#core/cursor.ts';
import { newId } from '#core/ids.ts';
import type { Principal } from '#core/principal.ts';
import { SCOPES, scopeSet } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { readWalk, toWalkPage, type WalkRequest } from '#gateway/paging/keyset-pagination.ts';
import { BY_TIME } from '#gateway/paging/paging.ts';
import { contentsOf } from '#repositories/access-record/item-calls.ts';
import { type AccessEntry, listAccess, listAccessWithin } from '#repositories/access-record/pages.ts';
import { saveAccessRecords } from '#repositories/access-record/writer.ts';
import { changeGrant } from '#repositories/grants/grants.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { type Item, makeItem } from '#test/support/scenario.ts';

const cursors = createCursors(Buffer.alloc(32, 1));
const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
let items: [Item, Item, Item];
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  partner = await makePartner(gateway);
  const make = () => makeItem(gateway.database, partner.client);
  items = [await make(), await make(), await make()];
});

const run = (text: string, ...values: unknown[]) => gateway.database.query({ text, values });

const UNFILTERED = {
  ...{ firmId: null, keyId: null, outcome: null, endpoint: null },
  ...{ requestId: null, since: null, until: null },
};

/** Newest first. */
const entriesOf = ({ registryId }: Item): Promise<AccessEntry[]> =>
  listAccess(gateway.database, partner.client.id, { ...UNFILTERED, registryId }, { size: 100, after: null });

/** The calls of an item, oldest first, each as `endpoint status contents`. */
const callsOf = async (item: Item): Promise<string[]> => (await entriesOf(item)).map(lineOf).reverse();

const lineOf = (entry: AccessEntry) =>
  `${entry.endpoint.replace('GET /api/v1', '').replace('{registry_id}', 'one')} ${entry.status} ${contentsOf(entry)}`;

/** The client's calls of lists, in SQL. */
const OF_THE_LIST = `pair in (select number from access_pairs where client_id = $1)
  and shape in (select number from access_shapes where endpoint = 'GET /api/v1/assets')`;

it('a page of a list is listed for its own items only, executed, cached or 304', async () => {
  const [first, second, third] = items;
  const page = '/assets?page_size=2';
  const answers = [await partner.get(page), await partner.get(page), await partner.get(page)];
  const tag = answers[0]?.headers.get('etag') ?? '';
  await partner.get(page, { headers: { 'If-None-Match': tag } });
  await partner.get('/assets?page_size=2&page=2');
  await partner.get(page, { method: 'HEAD' });
  await recorded(gateway, 6, partner.client.id);
  const ofPage = [...Array(3).fill('/assets 200 items'), '/assets 304 items'];
  for (const item of [first, second]) expect(await callsOf(item)).toEqual(ofPage);
  expect(await callsOf(third)).toEqual(['/assets 200 items']);
});

it('a call that named an item is listed with any outcome, and not for another item', async () => {
  const [first, second] = items;
  await partner.get(`/assets/${first.registryId}`);
  await partner.get(`/assets/${first.registryId}/valuations`);
  await partner.get(`/assets/${second.registryId}/documents`);
  await partner.get(`/assets/${first.registryId}`, { version: null });
  await recorded(gateway, 4, partner.client.id);
  expect(await callsOf(first)).toEqual([
    '/assets/one 200 items',
    '/assets/one/valuations 200 items',
    '/assets/one 400 nothing',
  ]);
});

it('a deleted item is still named, with the calls that carried it or reported its removal', async () => {
  const [first, second] = items;
  const { body } = await partner.get('/assets');
  await run('delete from items where id = $1', first.id);
  await expect
    .poll(async () => (await partner.get(`/assets?updated_since=${body.sync.as_of}`)).body.removed)
    .toHaveLength(1);
  await run('delete from items where id = $1', second.id);
  await recorded(gateway, 2, partner.client.id);
  expect((await callsOf(first)).slice(0, 2)).toEqual(['/assets 200 items', '/assets 200 items']);
  const { stdout } = await runHere(
    { DATABASE_URL: gateway.databaseUrl },
    ...['access', 'list', '--client', partner.client.id, '--item', first.registryId, '--json'],
  );
  const lines = JSON.parse(stdout);
  expect(lines.at(-1)).toMatchObject({
    items: items.map(({ registryId }) => registryId),
    ...{ contents: 'items', disclosed_scopes: SCOPES, includes: [], version: '2026-01-15', removed_items: [] },
  });
  expect(lines[0]).toMatchObject({ items: [], disclosed_scopes: [], removed_items: [first.registryId] });
  const table = await runHere(
    { DATABASE_URL: gateway.databaseUrl },
    ...['access', 'list', '--client', partner.client.id, '--item', first.registryId],
  );
  expect(table.stdout).toMatch(/CARRIED[\s\S]*1 removed[\s\S]*3 items/);
});

it('a call that reported the removal of an item from before items had numbers is marked', async () => {
  const [first, second] = items;
  const { body } = await partner.get('/assets');
  await run('delete from items where id = $1', first.id);
  await run('delete from deleted_items where registry_id = $1', first.registryId);
  await expect
    .poll(async () => (await partner.get(`/assets?updated_since=${body.sync.as_of}`)).body.removed)
    .toHaveLength(1);
  await expect.poll(() => callsOf(second)).toContain('/assets 200 unrecorded');
});

it('truncating the table keeps the numbers of its items', async () => {
  const [first] = items;
  await partner.get('/assets');
  await recorded(gateway, 1, partner.client.id);
  await run('truncate items cascade');
  expect(await callsOf(first)).toEqual(['/assets 200 items']);
});

it('the number of an item does not change and is not reused', async () => {
  const [first] = items;
  await expect(run('update items set number = number + 1000000 where id = $1', first.id)).rejects.toThrow(
    'keeps its number',
  );
  await expect(run('update items set number = null where id = $1', first.id)).resolves.toBeDefined();
  const before = await run('select number from items where id = $1', first.id);
  await run('delete from items where id = $1', first.id);
  const next = await makeItem(gateway.database, partner.client);
  const [{ number } = { number: 0 }] = (await run('select number from items where id = $1', next.id)) as {
    number: number;
  }[];
  expect(number).toBeGreaterThan((before[0] as { number: number }).number);
});

it('totals and calls without recorded items are listed, and marked, if a grant covered the item', async () => {
  const [first, second] = items;
  await changeGrant(
    gateway.database,
    partner.grant.id,
    { filter: { type: 'items', items: [first.registryId] } },
    operator,
  );
  // Grants and calls within a minute of each other count as simultaneous.
  await run(`update grant_events set at = at - interval '10 minutes' where grant_id = $1`, partner.grant.id);
  await run(`update grants set activated_at = activated_at - interval '10 minutes' where id = $1`, partner.grant.id);
  await partner.get('/portfolio/summary');
  await partner.get('/assets');
  await recorded(gateway, 2, partner.client.id);
  await run(`update access_calls set items = null where ${OF_THE_LIST}`, partner.client.id);
  expect(await callsOf(first)).toEqual(['/portfolio/summary 200 totals', '/assets 200 unrecorded']);
  expect(await callsOf(second)).toEqual([]);
  // Before it was narrowed, the grant covered the second item, too.
  await run(`update access_calls set at = at - interval '30 minutes' where ${OF_THE_LIST}`, partner.client.id);
  await run(`update grants set activated_at = activated_at - interval '1 hour' where id = $1`, partner.grant.id);
  await run(
    `insert into grant_events (grant_id, at, actor, action, details)
     overriding system value select $1, now() - interval '1 hour', 'operator:test', 'grant', '{"filter": {"type": "all"}}'`,
    partner.grant.id,
  );
  expect(await callsOf(second)).toEqual(['/assets 200 unrecorded']);
});

it('totals are listed for an item whatever creation time the platform gave it', async () => {
  const [first] = items;
  await run(`update items set created_at = now() + interval '1 day' where id = $1`, first.id);
  await partner.get('/portfolio/summary');
  await recorded(gateway, 1, partner.client.id);
  expect(await callsOf(first)).toEqual(['/portfolio/summary 200 totals']);
});

it('totals are listed for an item that was deleted, and by a grant that ended, in a transaction that was open then', async () => {
  const [first] = items;
  await partner.get('/portfolio/summary');
  await recorded(gateway, 1, partner.client.id);
  await run('delete from items where id = $1', first.id);
  // The time is that of the statement: here its transaction stayed open for an hour, and the call was made meanwhile.
  await run(
    `update deleted_items set deleted_at = deleted_at - interval '1 hour' where registry_id = $1`,
    first.registryId,
  );
  await run(
    `update grants set status = 'revoked', ended_at = now() - interval '1 hour',
       activated_at = now() - interval '2 hours' where id = $1`,
    partner.grant.id,
  );
  expect(await callsOf(first)).toEqual(['/portfolio/summary 200 totals']);
  await run(
    `update deleted_items set deleted_at = deleted_at - interval '2 days' where registry_id = $1`,
    first.registryId,
  );
  expect(await callsOf(first)).toEqual([]);
});

it('totals are listed for an item that may have had a category of the grant when removals are no longer kept', async () => {
  const [first] = items;
  const filter = { type: 'category' as const, categories: ['AR'] };
  await changeGrant(gateway.database, partner.grant.id, { filter }, operator);
  await run(`update grant_events set at = at - interval '1 year' where grant_id = $1`, partner.grant.id);
  await run(`update grants set activated_at = activated_at - interval '1 year' where id = $1`, partner.grant.id);
  const call = (daysAgo: number) => ({
    ...{ requestId: newId('request'), at: new Date(Date.now() - daysAgo * DAY_MS).toISOString() },
    ...{ firmId: partner.key.firmId, keyId: partner.key.id, clientId: partner.client.id, grantId: partner.grant.id },
    ...{ endpoint: 'GET /api/v1/portfolio/summary', registryId: null, scopes: scopeSet(SCOPES), status: 200 },
    ...{
      errorCode: null,
      disclosure: { items: Buffer.alloc(0), removed: null, scopes: scopeSet(SCOPES), includes: 0 },
    },
  });
  const old = call(100);
  await saveAccessRecords(gateway.database, [old, call(80)]);
  for (const category of ['AR', 'WN']) await run('update items set category = $2 where id = $1', first.id, category);
  expect(await entriesOf(first)).toHaveLength(2);
  await run('delete from removals where registry_id = $1', first.registryId);
  expect((await entriesOf(first)).map(({ requestId }) => requestId)).toEqual([old.requestId]);
});

it('a search that stops after some calls continues from there, to each call of the item once', async () => {
  const [first, second] = items;
  const asked = [first, second, second, second, second, first, second, first];
  for (const { registryId } of asked) await partner.get(`/assets/${registryId}`);
  await recorded(gateway, asked.length, partner.client.id);
  const query = { ...UNFILTERED, registryId: first.registryId };
  const context = { principal: { kind: 'client', userId: partner.client.id } as Principal, cursors };
  const sizes: number[] = [];
  const found: AccessEntry[] = [];
  let after: string | null = null;
  do {
    const request: WalkRequest = readWalk({ first: 2, after }, { list: 'calls', query, keys: BY_TIME }, context);
    const { entries, stoppedAt } = await listAccessWithin(gateway.database, partner.client.id, query, request.walk, 2);
    const page = toWalkPage(entries, request, ({ at, requestId }) => [at, requestId], stoppedAt);
    sizes.push(page.nodes.length);
    found.push(...page.nodes);
    after = page.nextCursor;
  } while (after !== null);
  expect(sizes).toEqual([1, 1, 0, 1, 0]);
  expect(found.map(({ requestId }) => requestId)).toEqual((await entriesOf(first)).map(({ requestId }) => requestId));
  expect(found).toHaveLength(3);
});

it('a call is found behind 12,000 later ones', async () => {
  const [first] = items;
  await partner.get(`/assets/${first.registryId}`);
  await recorded(gateway, 1, partner.client.id);
  await run(
    `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status, items, disclosed, includes)
     select 'req_0' || upper(substr(md5(n::text || $3::text), 1, 25)), now() + n * interval '1 second', $1, $2, $3, 'GET /api/v1/assets', 1, 200,
       '\\x01', 1, 0 from generate_series(1, 12000) n`,
    ...[partner.key.firmId, partner.key.id, partner.client.id],
  );
  expect(await callsOf(first)).toEqual(['/assets/one 200 items']);
});
