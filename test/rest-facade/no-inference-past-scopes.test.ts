// Guarantee: two portfolios that differ only in what the scopes do not cover give the same responses, byte for byte.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { SCOPES, type Scope, scopeSet } from '#core/scopes.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { portrait } from '#test/support/portrait.ts';
import { furnish, type Item, insert, makeClient, makeItem } from '#test/support/scenario.ts';
import { withoutTriggers } from '#test/support/without-triggers.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Statements that change everything that a scope covers and nothing else. */
const CHANGES: Record<Scope, string[]> = {
  registry: [
    "update items set title = title || ' II', quantity = quantity + 1, created_at = created_at - interval '1 year'",
    "update items set updated_at = updated_at + interval '1 hour'",
  ],
  valuation: [
    "update items set market_value = 7, market_value_as_of = null, purchase_amount = null, purchase_currency = null, purchased_on = null, insurance_amount = 1, insurance_currency = 'EUR'",
    "delete from valuations where source = 'appraisal'",
    'update valuations set amount = amount * 2',
  ],
  detail: [
    'update items set description = null, notes = repeat(notes, 50), seller = null, storage_location = null',
    "update collections set name = name || ' II'",
    'delete from item_collections',
  ],
  category_detail: ['update items set category_fields = \'{"brand":"Other","more":[1,2,3]}\''],
  documentation: [
    "delete from documents where type = 'purchase_receipt'",
    "update documents set title = 'Other', issued_on = null, expires_on = null, file_size = 9",
  ],
  estate: ["update items set heirs = '[]', readiness = null", 'delete from share_links'],
  verification: ['update items set verification = null'],
};

/** What the triggers would do in addition to moving `updated_at`. */
const CONSEQUENCES = [
  'update items set revision = revision + 1',
  'delete from portfolio_totals',
  `insert into portfolio_totals (client_id, category, items, value)
   select client_id, category, count(*), coalesce(sum(market_value), 0) from items group by 1, 2`,
  'select rescore_items(array(select id from items))',
];

/** Without the triggers, which would move `updated_at`: that it moves with any change is documented. */
async function change(scope: Scope): Promise<void> {
  await withoutTriggers(gateway.database, async (sql) => {
    for (const text of [...CHANGES[scope], ...CONSEQUENCES]) await sql.query({ text });
  });
}

async function scene(scopes: Scope[]) {
  const client = await makeClient(gateway.database);
  const items: Item[] = [];
  for (const category of ['WT', 'PM', 'AR']) {
    const item = await makeItem(gateway.database, client, { category });
    await furnish(gateway.database, client, item);
    items.push(item);
  }
  const partner = await makePartner(gateway, { client, scopes: scopeSet(scopes) });
  return { partner, ids: items.map(({ registryId }) => registryId), items };
}

describe.each(SCOPES)('what %s covers', (scope) => {
  it('is not visible with any other single scope', async () => {
    const scenes = await Promise.all(SCOPES.filter((other) => other !== scope).map((other) => scene([other])));
    const look = () => Promise.all(scenes.map(({ partner, ids }) => portrait(partner, ids)));
    const before = await look();
    await change(scope);
    expect(await look()).toEqual(before);
  });

  it('is not visible with all others together, and visible with it', async () => {
    const others = await scene(SCOPES.filter((other) => other !== scope));
    const alone = await scene([scope]);
    const before = await portrait(others.partner, others.ids);
    const own = await portrait(alone.partner, alone.ids);
    await change(scope);
    expect(await portrait(others.partner, others.ids)).toEqual(before);
    expect(await portrait(alone.partner, alone.ids)).not.toEqual(own);
  });
});

describe('the category of an item', () => {
  it('is not visible without registry, except in the documents recommended for it', async () => {
    const scenes = await Promise.all(
      (['valuation', 'detail', 'category_detail', 'estate', 'verification'] as Scope[]).map((scope) => scene([scope])),
    );
    const look = () => Promise.all(scenes.map(({ partner }) => portrait(partner, [])));
    const before = await look();
    await gateway.database.query({ text: "update items set category = 'BK'" });
    expect(await look()).toEqual(before);
  });
});

describe('the ids of items', () => {
  it.each(SCOPES.filter((scope) => scope !== 'registry'))(
    'are in no response for %s alone, cursors included',
    async (scope) => {
      const { partner, items } = await scene([scope]);
      const seen = JSON.stringify(await portrait(partner, []));
      const decoded = [...seen.matchAll(/[\w-]{40,}/g)].map(([text]) =>
        Buffer.from(text, 'base64url').toString('latin1'),
      );
      for (const { id } of items) {
        const ulid = id.slice(4);
        expect(seen).not.toContain(ulid);
        for (const text of decoded) expect(text).not.toContain(ulid);
      }
    },
  );
});

describe('the number of rows that are not covered', () => {
  it('does not affect the length or the tag of a body', async () => {
    const { partner, ids, items } = await scene(['registry', 'detail']);
    const before = await portrait(partner, ids);
    await withoutTriggers(gateway.database, async (sql) => {
      for (const { id } of items)
        for (let count = 0; count < 20; count++)
          await insert({ ...gateway.database, query: sql.query }, 'valuations', {
            id: newId('valuation'),
            item_id: id,
            source: 'appraisal',
            amount: '1.00',
            currency: 'USD',
            valued_at: '2026-01-01T00:00:00Z',
          });
    });
    expect(await portrait(partner, ids)).toEqual(before);
  });
});
