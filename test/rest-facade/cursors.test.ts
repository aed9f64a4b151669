// Guarantee: a cursor works for the list it came from, and anything else in its place is 400, never 500.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { call, furnish, type Item, makeGrant, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let items: Item[];
let cursor: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  items = [];
  for (let count = 0; count < 3; count++) {
    const item = await makeItem(gateway.database, partner.client);
    await furnish(gateway.database, partner.client, item);
    items.push(item);
  }
  cursor = (await partner.get('/assets?page_size=1')).body.pagination.next_cursor;
});
afterAll(() => gateway.stop());

const refused = async (path: string, who = partner) =>
  expectError(await who.get(path), 400, 'invalid_parameter', 'cursor');

describe('a cursor of another list', () => {
  it.each([
    ['another page_size', '/assets?page_size=2'],
    ['the default page_size', '/assets?'],
    ['an additional category', '/assets?page_size=1&category=WT'],
    ['an additional bound', '/assets?page_size=1&min_value=0'],
    ['an additional bound', '/assets?page_size=1&max_value=99999999'],
    ['a delta', '/assets?page_size=1&updated_since=2026-01-01T00:00:00Z'],
  ])('is refused: %s', async (_what, path) => refused(`${path}&cursor=${cursor}`));

  it("is refused: another client's", async () => {
    const other = await makePartner(gateway, { key: partner.key });
    await makeItem(gateway.database, other.client);
    await refused(`/assets?page_size=1&cursor=${cursor}`, other);
  });

  it('is refused: of assets for valuations, and of valuations for another asset, source or since', async () => {
    const [first, second] = items.map(({ registryId }) => `/assets/${registryId}/valuations?page_size=1`);
    const { next_cursor } = (await partner.get(first ?? '')).body.pagination;
    await refused(`${first}&cursor=${cursor}`);
    await refused(`${second}&cursor=${next_cursor}`);
    await refused(`${first}&source=appraisal&cursor=${next_cursor}`);
    await refused(`${first}&since=2020-01-01T00:00:00Z&cursor=${next_cursor}`);
    expect((await partner.get(`${first}&cursor=${next_cursor}`)).status).toBe(200);
  });

  it('is refused: of a delta for another since, or for none', async () => {
    const { body } = await partner.get('/assets?page_size=1&updated_since=2026-01-01T00:00:00Z');
    const { next_cursor } = body.pagination;
    await refused(`/assets?page_size=1&updated_since=2026-01-01T00:00:01Z&cursor=${next_cursor}`);
    await refused(`/assets?page_size=1&cursor=${next_cursor}`);
    // Another spelling of the same instant is the same list.
    const path = `/assets?page_size=1&updated_since=2026-01-01T01:00:00.000%2B01:00&cursor=${next_cursor}`;
    expect((await partner.get(path)).status).toBe(200);
  });
});

describe('garbage in place of a cursor', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    'x',
    '0',
    '-',
    '..%2F',
    '%00',
    '%F0%9F%92%8E',
    'A'.repeat(38),
    'A'.repeat(5_000),
    json(null),
    json([]),
    json({}),
    json({ page: 2, after: ['itm_00000000000000000000000000'] }),
    json({ of: 'x', page: 2, after: ["'; drop table items; --"] }),
  ])('is 400: %s', async (text) => {
    await refused(`/assets?page_size=1&cursor=${text}`);
    await refused(`/assets/${items[0]?.registryId}/valuations?page_size=1&cursor=${text}`);
  });

  it('is 400: a cursor that was changed, cut off or extended', async () => {
    const broken = [...cursor].flatMap((letter, at) => {
      const other = letter === 'A' ? 'B' : 'A';
      return at % 7 === 0 ? [cursor.slice(0, at) + other + cursor.slice(at + 1), cursor.slice(0, at)] : [];
    });
    for (const text of [...broken.filter((text) => text !== ''), `${cursor}AAAA`, cursor.toLowerCase()])
      await refused(`/assets?page_size=1&cursor=${text}`);
  });

  it('is 400: a cursor with foreign characters before, in or after it', async () => {
    const [start, rest] = [cursor.slice(0, 20), cursor.slice(20)];
    for (const text of [`${cursor}=`, `${cursor}!`, `%20${cursor}`, `${start}.${rest}`, `${start}%0A${rest}`])
      await refused(`/assets?page_size=1&cursor=${text}`);
  });
});

describe('a cursor', () => {
  it('is the same for the same page, so that the tag does not change', async () => {
    const [one, two] = await Promise.all([partner.get('/assets?page_size=1'), partner.get('/assets?page_size=1')]);
    expect(one.headers.get('etag')).toBe(two.headers.get('etag'));
    expect(one.body.pagination.next_cursor).toBe(cursor);
  });

  it('is valid for every key that may read the client', async () => {
    const other = await makePartner(gateway);
    await makeGrant(gateway.database, other.key, partner.client);
    const path = `/assets?page_size=1&cursor=${cursor}&client_id=${partner.client.id}`;
    expect((await call(`${gateway.url}/api/v1${path}`, other.key.secret)).status).toBe(200);
  });

  it('gives access to no more than the current grant', async () => {
    await gateway.database.query({
      text: 'update grants set filter = $1 where id = $2',
      values: [JSON.stringify({ type: 'items', items: [items[0]?.registryId] }), partner.grant.id],
    });
    const { body } = await partner.get(`/assets?page_size=1&cursor=${cursor}`);
    expect(body).toMatchObject({ data: [], pagination: { total_items: 1, has_more: false } });
  });
});
