// Guarantee: a walk along `next` shows each item that exists throughout once, while writers change the rows.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { insert } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';
import { walk } from './partner-copy.ts';
import { insertItem, type Stage } from './portfolio-steps.ts';
import { startWriters } from './portfolio-writers.ts';

const ITEMS = 300;
const WRITERS = 4;
const WALKS = 2;
const CHANGES = 20;

let gateway: TestGateway;
let platform: Database;
let partner: Partner;
let stage: Stage;
/** Later than the view and earlier than most of its items: a delta from here is not full. */
let since: string;
const chance = new Chance();

beforeAll(async () => {
  gateway = await startGateway();
  platform = await openDatabase({ url: gateway.databaseUrl, connections: WRITERS });
  partner = await makePartner(gateway);
  const collections = [newId('collection'), newId('collection')];
  for (const id of collections) {
    await insert(gateway.database, 'collections', { id, client_id: partner.client.id, name: 'Family' });
  }
  stage = { clientId: partner.client.id, collections };
  await insertItem(gateway.database, stage, chance);
  await sleep(5);
  since = (await partner.get('/assets')).body.sync.as_of;
  for (let count = 1; count < ITEMS; count++) await insertItem(gateway.database, stage, chance);
});

afterAll(async () => {
  await platform.close();
  await gateway.stop();
});

async function present(): Promise<Set<string>> {
  const rows = await gateway.database.query<{ registry_id: string }>({
    text: 'select registry_id from items where client_id = $1 and updated_at > $2',
    values: [stage.clientId, since],
  });
  return new Set(rows.map((row) => row.registry_id));
}

describe.each([
  ['in the order of creation', () => 'page_size=9'],
  ['of a delta, in the order of change', () => `page_size=9&updated_since=${since}`],
  ['of a full sync', () => 'page_size=9&updated_since=2020-01-01T00:00:00Z'],
])(`a walk %s (seed ${chance.seed})`, (_name, query) => {
  it('shows each item that exists throughout exactly once', async () => {
    const writers = startWriters(platform, stage, chance.fork(Math.floor(performance.now())), WRITERS);
    try {
      // On a slow machine too, enough changes happen during the walks.
      for (let count = 0; count < WALKS || writers.log.transactions <= CHANGES; count++) {
        const before = await present();
        const { assets } = await walk(gateway.url, partner.key, partner.client.id, query(), () =>
          sleep(chance.below(40)),
        );
        const after = await present();
        const shown = new Set(assets.map((asset) => asset.registry_id));
        const missed = [...before].filter((id) => after.has(id) && !shown.has(id));
        expect(missed, 'present before and after, but not shown').toEqual([]);
      }
    } finally {
      await writers.stop();
    }
  });
});
