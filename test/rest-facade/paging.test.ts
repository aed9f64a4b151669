// Guarantee: the pages of a list, by number and by cursor, give every item once and in order.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { expectError } from '#test/support/answers.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { call, makeClient, makeItem, type Response } from '#test/support/scenario.ts';

const idsOf = ({ body }: Response): string[] => body.data.map(({ id }: { id: string }) => id);

/** Targets of a Link header by relation. */
function linksOf({ headers }: Response): Record<string, string> {
  const parts = (headers.get('link') ?? '').split(', ').map((part) => /^<([^>]*)>; rel="(\w+)"$/.exec(part));
  return Object.fromEntries(parts.map((match) => [match?.[2] ?? 'unreadable', match?.[1] ?? '']));
}

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let partner: Partner;
  let ids: string[];

  beforeAll(async () => {
    gateway = await start();
    const client = await makeClient(gateway.database);
    // Ids with past times, created out of order, and creation times in another order.
    const times = [5, 3, 1, 4, 2, 7, 6].map((day) => Date.UTC(2025, 0, day));
    const made: string[] = [];
    for (const time of times) {
      const id = newId('item', time);
      await makeItem(gateway.database, client, { id, created_at: new Date(2e12 - time).toISOString() });
      made.push(id);
    }
    ids = made.sort();
    partner = await makePartner(gateway, { client });
  });
  afterAll(() => gateway.stop());

  const follow = (path: string) => call(gateway.url + path, partner.key.secret);

  it('items are in ascending order of the ULID of their id, not of created_at', async () => {
    expect(idsOf(await partner.get('/assets'))).toEqual(ids);
  });

  it('pages by number follow that order and give their position', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => partner.get(`/assets?page_size=3&page=${page}`)));
    expect(pages.flatMap(idsOf)).toEqual(ids);
    const bare = pages.map(({ body }) => ({ ...body.pagination, next_cursor: typeof body.pagination.next_cursor }));
    const all = { page_size: 3, total_items: 7, total_pages: 3 };
    expect(bare).toEqual([
      { page: 1, ...all, has_more: true, next_cursor: 'string' },
      { page: 2, ...all, has_more: true, next_cursor: 'string' },
      { page: 3, ...all, has_more: false, next_cursor: 'object' },
    ]);
  });

  it('a page that ends with the list has no next page', async () => {
    const { body } = await partner.get('/assets?page_size=7');
    expect(body.pagination).toMatchObject({ total_pages: 1, has_more: false, next_cursor: null });
  });

  it('page_size is 25 and page 1 by default', async () => {
    expect((await partner.get('/assets')).body.pagination).toMatchObject({ page: 1, page_size: 25 });
  });

  it('a page past the end is an empty list with the totals', async () => {
    for (const page of [4, 1_000_000, 2_147_483_647]) {
      const response = await partner.get(`/assets?page_size=3&page=${page}`);
      expect(response.status).toBe(200);
      expect(response.body.data).toEqual([]);
      const pagination = { page, page_size: 3, total_items: 7, total_pages: 3, has_more: false, next_cursor: null };
      expect(response.body.pagination).toEqual(pagination);
      expect(linksOf(response)).not.toHaveProperty('next');
      const { prev, last } = linksOf(response);
      expect(prev).toBe(last);
      expect(idsOf(await follow(prev ?? ''))).toEqual(ids.slice(6));
    }
  });

  it('an empty list has total_pages 0', async () => {
    const { get } = await makePartner(gateway);
    const response = await get('/assets');
    expect(response.body.data).toEqual([]);
    expect(response.body.pagination).toEqual({
      page: 1,
      page_size: 25,
      total_items: 0,
      total_pages: 0,
      has_more: false,
      next_cursor: null,
    });
    for (const path of ['/assets', '/assets?page=4'])
      expect(Object.keys(linksOf(await get(path)))).toEqual(['first', 'last']);
  });

  it('Link has first, prev and last by page number and next by cursor, with the other parameters', async () => {
    const middle = await partner.get('/assets?category=WT,PM&page=2&page_size=3');
    const links = linksOf(middle);
    expect(Object.keys(links).sort()).toEqual(['first', 'last', 'next', 'prev']);
    const query = (path = '') => Object.fromEntries(new URL(path, gateway.url).searchParams);
    const same = { client_id: partner.client.id, category: 'WT,PM', page_size: '3' };
    expect(query(links.first)).toEqual({ ...same, page: '1' });
    expect(query(links.prev)).toEqual({ ...same, page: '1' });
    expect(query(links.last)).toEqual({ ...same, page: '3' });
    expect(query(links.next)).toEqual({ ...same, cursor: middle.body.pagination.next_cursor });
    expect(idsOf(await follow(links.prev ?? ''))).toEqual(ids.slice(0, 3));
    expect(idsOf(await follow(links.last ?? ''))).toEqual(ids.slice(6));
  });

  it('following next from the first page gives every item once, and page numbers increase', async () => {
    for (const size of [1, 2, 3, 7]) {
      const found: string[] = [];
      let response = await partner.get(`/assets?page_size=${size}&min_value=1`);
      for (let page = 1; ; page++) {
        expect(response.body.pagination).toMatchObject({ page, page_size: size, total_items: 7 });
        found.push(...idsOf(response));
        const { next } = linksOf(response);
        expect(response.body.pagination.has_more).toBe(next !== undefined);
        if (next === undefined) break;
        response = await follow(next);
      }
      expect(found).toEqual(ids);
    }
  });

  it('following next skips no item if items of earlier pages are deleted meanwhile', async () => {
    const { get, client } = await makePartner(gateway);
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.push((await makeItem(gateway.database, client)).id);
    const first = await get('/assets?page_size=2');
    await gateway.database.query({ text: 'delete from items where id = any($1)', values: [made.slice(0, 2)] });
    const second = await get(`/assets?page_size=2&cursor=${first.body.pagination.next_cursor}`);
    expect(idsOf(second)).toEqual(made.slice(2, 4));
    expect(second.body.pagination.total_items).toBe(3);
  });

  it('responses that are not paged have no Link', async () => {
    const { registry_id } = (await partner.get('/assets?page_size=1')).body.data[0];
    for (const path of ['/portfolio/summary', `/assets/${registry_id}`, `/assets/${registry_id}/documents`])
      expect((await partner.get(path)).headers.get('link')).toBeNull();
  });

  it('a cursor is refused together with page, even page=1', async () => {
    const { next_cursor } = (await partner.get('/assets?page_size=2')).body.pagination;
    expectError(
      await partner.get(`/assets?page_size=2&page=1&cursor=${next_cursor}`),
      400,
      'invalid_parameter',
      'cursor',
    );
  });
});
