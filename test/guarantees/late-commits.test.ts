// Guarantee: changes that commit late, or out of the order of their timestamps, are in the next sync.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { changeGrant } from '#repositories/grants/grants.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { type Item, insert, makeItem } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
let item: Item;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  partner = await makePartner(gateway);
  item = await makeItem(gateway.database, partner.client);
  await sleep(5);
});

async function asOf(since?: string): Promise<string> {
  return (await partner.get(since === undefined ? '/assets' : `/assets?updated_since=${since}`)).body.sync.as_of;
}

async function changed(since: string): Promise<string[]> {
  const { body } = await partner.get(`/assets?updated_since=${since}`);
  expect(body.sync.full).toBe(false);
  return body.data.map((asset: { registry_id: string }) => asset.registry_id);
}

/** Begins a transaction, does `work` in it and leaves it open; returns a function that commits it. */
async function begin(work: (sql: Sql) => Promise<unknown>): Promise<() => Promise<void>> {
  const { promise: released, resolve: commit } = Promise.withResolvers<void>();
  const { promise: done, resolve: worked } = Promise.withResolvers<void>();
  const transaction = gateway.database.transaction(async (sql) => {
    await work(sql);
    worked();
    await released;
  });
  await Promise.race([done, transaction]);
  return async () => {
    commit();
    await transaction;
  };
}

const retitle = (id: string, title: string) => (sql: Sql) =>
  sql.query({ text: 'update items set title = $2 where id = $1', values: [id, title] });

describe('a change that commits late', () => {
  it('is in the first sync after its commit, however many syncs were made before', async () => {
    const commit = await begin(retitle(item.id, 'Late'));
    await sleep(30);
    let since = await asOf();
    for (let count = 0; count < 3; count++) since = await asOf(since);
    await commit();
    expect(await changed(since)).toEqual([item.registryId]);
  });

  it('does not delay changes that others committed', async () => {
    const other = await makeItem(gateway.database, partner.client);
    await sleep(5);
    const since = await asOf();
    const commit = await begin(retitle(item.id, 'Late'));
    await retitle(other.id, 'Early')(gateway.database);
    expect(await changed(since)).toEqual([other.registryId]);
    await commit();
    expect(await changed(since)).toHaveLength(2);
  });

  it('is found if its first savepoint, which registered the writer, was rolled back', async () => {
    const commit = await begin(async (sql) => {
      await sql.query({ text: 'savepoint first' });
      await retitle(item.id, 'Undone')(sql);
      await sql.query({ text: 'rollback to savepoint first' });
      await sleep(20);
      await retitle(item.id, 'Late')(sql);
    });
    await sleep(20);
    const since = await asOf();
    await commit();
    expect(await changed(since)).toEqual([item.registryId]);
  });

  it('is found if it is the removal of an item', async () => {
    const commit = await begin((sql) => sql.query({ text: 'delete from items where id = $1', values: [item.id] }));
    await sleep(20);
    const since = await asOf();
    await commit();
    const { body } = await partner.get(`/assets?updated_since=${since}`);
    expect(body.removed).toMatchObject([{ registry_id: item.registryId, reason: 'deleted' }]);
  });
});

describe('a change of something that an item contains', () => {
  it('puts the item into the next sync, also if the transaction wrote its internal notes first', async () => {
    const since = await asOf();
    await gateway.database.transaction(async (sql) => {
      await sql.query({ text: "update items set internal_notes = 'new' where id = $1", values: [item.id] });
      await insert(sql as never, 'documents', {
        id: newId('document'),
        item_id: item.id,
        type: 'purchase_receipt',
        title: 'Paper',
      });
    });
    expect(await changed(since)).toEqual([item.registryId]);
  });

  it('does not put the item into the next sync if only internal notes changed', async () => {
    const since = await asOf();
    await gateway.database.query({
      text: "update items set internal_notes = 'new' where id = $1",
      values: [item.id],
    });
    expect(await changed(since)).toEqual([]);
  });

  it('puts an item into the next sync that was added to a collection while the collection was renamed', async () => {
    const { database } = gateway;
    const id = newId('collection');
    await insert(database, 'collections', { id, client_id: partner.client.id, name: 'Old' });
    const commitMembership = await begin((sql) =>
      sql.query({
        text: 'insert into item_collections (item_id, collection_id) values ($1, $2)',
        values: [item.id, id],
      }),
    );
    await sleep(20);
    const renaming = begin((sql) =>
      sql.query({ text: "update collections set name = 'New' where id = $1", values: [id] }),
    );
    await sleep(50);
    await commitMembership();
    const commitRename = await renaming;
    const since = await asOf();
    await commitRename();
    expect(await changed(since)).toEqual([item.registryId]);
  });
});

describe('a program other than Portico', () => {
  it('inserts an item with an older updated_at, and the next sync has it', async () => {
    const since = await asOf();
    const added = await makeItem(gateway.database, partner.client, { updated_at: '2020-01-01T00:00:00Z' });
    expect(await changed(since)).toEqual([added.registryId]);
  });

  it.each(['repeatable read', 'serializable'])('cannot write in a %s transaction', async (level) => {
    const writes = [
      `update items set title = 'Other' where id = '${item.id}'`,
      `insert into valuations (id, item_id, source, amount, currency, valued_at)
        values ('${newId('valuation')}', '${item.id}', 'appraisal', 1, 'USD', now())`,
      `update collections set name = 'Other'`,
      `delete from item_collections`,
    ];
    for (const text of writes)
      await expect(
        gateway.database.transaction(async (sql) => {
          await sql.query({ text: `set transaction isolation level ${level}` });
          await sql.query({ text });
        }),
      ).rejects.toMatchObject({ code: '25001' });
  });
});

describe('a view that changes as a whole', () => {
  it('makes the next sync full if the change commits late', async () => {
    const narrow = { scopes: scopeSet(['registry', 'detail']) };
    const commit = await begin((sql) => changeGrant(sql, partner.grant.id, narrow, operator));
    await sleep(20);
    const since = await asOf();
    await commit();
    const { body } = await partner.get(`/assets?updated_since=${since}`);
    expect(body.sync.full).toBe(true);
  });

  it('makes the next sync full if the first items were inserted by a transaction open during the last', async () => {
    const newcomer = await makePartner(gateway);
    await sleep(5);
    const commit = await begin(async (sql) => {
      await makeItem(sql as never, newcomer.client, { updated_at: '2024-01-01T00:00:00Z' });
    });
    await sleep(20);
    const { body: before } = await newcomer.get('/assets');
    await commit();
    const { body } = await newcomer.get(`/assets?updated_since=${before.sync.as_of}`);
    expect(before.data).toEqual([]);
    expect(body.sync.full).toBe(true);
    expect(body.data).toHaveLength(1);
  });

  it('is used at once or makes the next sync full if the change commits while the horizon is read', async () => {
    const list = async () => (await partner.get('/assets')).body;
    const body = await whileReading(list, () =>
      changeGrant(gateway.database, partner.grant.id, { scopes: scopeSet(['registry', 'detail']) }, operator),
    );
    const shown = body.data.every((asset: object) => !('market_value' in asset));
    const { full } = (await partner.get(`/assets?updated_since=${body.sync.as_of}`)).body.sync;
    expect(shown || full).toBe(true);
  });
});

describe('a cached page', () => {
  it('is not sent with a horizon later than a change that it lacks', async () => {
    for (let count = 0; count < 5; count++) await asOf();
    const page = await whileReading(
      async () => (await partner.get('/assets')).body,
      () => retitle(item.id, 'Meanwhile')(gateway.database),
    );
    const shown = page.data.map(({ title }: { title: string }) => title);
    if (!shown.includes('Meanwhile')) expect(await changed(page.sync.as_of)).toEqual([item.registryId]);
  });
});

/** Result of `read` if `change` commits after its first statement has begun and before that reads the horizon. */
async function whileReading<Result>(read: () => Promise<Result>, change: () => Promise<unknown>): Promise<Result> {
  const { database } = gateway;
  await database.query({ text: 'alter function sync_horizon() rename to sync_horizon_at_once' });
  try {
    await database.query({
      text: `create function sync_horizon() returns timestamptz language plpgsql volatile as $$
        begin perform pg_sleep(0.3); return sync_horizon_at_once(); end $$`,
    });
    const reading = read();
    await sleep(100);
    await change();
    return await reading;
  } finally {
    await database.query({ text: 'drop function sync_horizon()' });
    await database.query({ text: 'alter function sync_horizon_at_once() rename to sync_horizon' });
  }
}
