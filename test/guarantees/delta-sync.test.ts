// Guarantee: a partner that synchronises by `as_of` gets every committed change, whatever transactions are open.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { insert, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';
import { PartnerCopy } from './partner-copy.ts';
import { insertItem, type Stage } from './portfolio-steps.ts';
import { startWriters, type WritersLog } from './portfolio-writers.ts';

const ITEMS = 250;
const WRITERS = 8;
const ROUNDS = 2;
const ROUND_MS = 5_000;
/** A round lasts until this many transactions and syncs are done, however slow the machine is. */
const MIN_TRANSACTIONS = 100;
const MIN_SYNCS = 20;

let gateway: TestGateway;
/** The writers' own connections. */
let platform: Database;
let client: User;
let stage: Stage;
const chance = new Chance();

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  platform = await openDatabase({ url: gateway.databaseUrl, connections: WRITERS });
  client = await makeClient(database);
  const collections = [newId('collection'), newId('collection')];
  for (const id of collections) await insert(database, 'collections', { id, client_id: client.id, name: 'Family' });
  stage = { clientId: client.id, collections };
  for (let count = 0; count < ITEMS; count++) await insertItem(database, stage, chance);
  await database.query({
    text: 'insert into item_collections select id, $2 from items where client_id = $1 order by id limit 80',
    values: [client.id, collections[0]],
  });
});

afterAll(async () => {
  await platform.close();
  await gateway.stop();
});

async function filters(): Promise<Record<string, AssetFilter>> {
  const rows = await gateway.database.query<{ registry_id: string }>({
    text: 'select registry_id from items where client_id = $1 order by id limit 120',
    values: [client.id],
  });
  return {
    all: { type: 'all' },
    category: { type: 'category', categories: ['AR', 'WT'] },
    items: { type: 'items', items: rows.map((row) => row.registry_id).sort() },
    collection: { type: 'collection', collection: stage.collections[0] ?? '' },
  };
}

/** Changes committed before `before` that the copy of the whole portfolio lacks. */
function missing(copy: PartnerCopy, { committed, deleted }: WritersLog, before: number): string[] {
  const notes = new Map([...copy.assets.values()].map((asset) => [asset.id, Number(asset.notes ?? 0)]));
  return committed
    .filter(({ itemId, at }) => at < before && !deleted.has(itemId))
    .filter(({ itemId, notes: wanted }) => (notes.get(itemId) ?? -1) < wanted)
    .map(({ itemId, notes: wanted }) => `${itemId} lacks its change ${wanted}`);
}

describe(`delta sync while ${WRITERS} writers change a portfolio (seed ${chance.seed})`, () => {
  it('gives a partner the exact view with every kind of filter, and each commit with the next sync', async () => {
    const { database, url } = gateway;
    const firm = await makeFirm(database);
    const copies: Record<string, PartnerCopy> = {};
    for (const [name, filter] of Object.entries(await filters())) {
      const key = await makeKey(database, firm);
      await makeGrant(database, key, client, { filter });
      copies[name] = new PartnerCopy(url, key, client.id, 5 + chance.below(30));
    }
    let transactions = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const writers = startWriters(platform, stage, chance.fork(100 * round), WRITERS);
      let running = true;
      const partners = Object.entries(copies).map(async ([name, copy]) => {
        while (running) {
          const started = performance.now();
          await copy.sync();
          if (name === 'all') expect(missing(copy, writers.log, started)).toEqual([]);
          await sleep(20);
        }
      });
      await sleep(ROUND_MS);
      const enough = () =>
        writers.log.transactions > MIN_TRANSACTIONS && Object.values(copies).every(({ syncs }) => syncs > MIN_SYNCS);
      while (!enough()) await sleep(50);
      await writers.stop();
      running = false;
      await Promise.all(partners);
      transactions += writers.log.transactions;
      for (const [name, copy] of Object.entries(copies)) {
        await copy.sync();
        const truth = await copy.truth();
        expect([...copy.assets.keys()].sort(), `${name}: which items`).toEqual([...truth.keys()].sort());
        for (const [id, asset] of truth) expect(copy.assets.get(id), `${name}: ${id}`).toEqual(asset);
      }
    }
    expect(transactions).toBeGreaterThan(100);
    for (const copy of Object.values(copies)) {
      expect(copy.syncs).toBeGreaterThan(20);
      expect(copy.full).toBe(1);
    }
  }, 300_000);
});
