// Guarantee: money is exact decimal text in its currency's decimals, and a timestamp has exactly milliseconds, in UTC.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, makeClient, makeItem } from '#test/support/scenario.ts';

const INSTANT = /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let partner: Partner;
  beforeAll(async () => {
    gateway = await start();
    partner = await makePartner(gateway);
  });
  afterAll(() => gateway.stop());

  const one = async (columns: Record<string, unknown>, reader = partner) => {
    const { registryId } = await makeItem(gateway.database, reader.client, columns);
    return (await reader.get(`/assets/${registryId}`)).body.data;
  };

  it('amounts are exact, each in its own currency, and the market value in the client’s', async () => {
    const yen = await makePartner(gateway, { client: await makeClient(gateway.database, { currency: 'JPY' }) });
    const asset = await one(
      {
        market_value: '12345678901234567890',
        purchase_amount: '12345678901234567890.12',
        purchase_currency: 'USD',
        insurance_amount: '0.001',
        insurance_currency: 'BHD',
      },
      yen,
    );
    expect(asset.market_value).toEqual({ amount: '12345678901234567890', currency: 'JPY' });
    expect(asset.purchase_price).toEqual({ amount: '12345678901234567890.12', currency: 'USD' });
    expect(asset.insurance_value).toEqual({ amount: '0.001', currency: 'BHD' });
  });

  it.each([
    ['7', 'USD', '7.00'],
    ['7.5000', 'USD', '7.50'],
    ['7.555', 'USD', '7.555'],
    ['7', 'JPY', '7'],
    ['7.00', 'JPY', '7'],
    ['1.5', 'KWD', '1.500'],
    ['10', 'XAU', '10'],
  ])('%s %s, written by hand, is served as %s, alone and in totals', async (amount, currency, served) => {
    const reader = await makePartner(gateway, { client: await makeClient(gateway.database, { currency }) });
    const asset = await one({ market_value: amount, purchase_amount: amount, purchase_currency: currency }, reader);
    expect([asset.market_value, asset.purchase_price]).toEqual([
      { amount: served, currency },
      { amount: served, currency },
    ]);
    const { total_value, categories } = (await reader.get('/portfolio/summary')).body.data;
    expect([total_value, categories[0].total_value]).toEqual([
      { amount: served, currency },
      { amount: served, currency },
    ]);
  });

  it('a value of zero is zero, not absent', async () => {
    expect((await one({ market_value: '0.00' })).market_value).toEqual({ amount: '0.00', currency: 'USD' });
  });

  it.each([
    ['0.0001', 0.0001],
    ['1', 1],
    ['2.50', 2.5],
    ['99999999999.9999', 99999999999.9999],
  ])('the quantity %s is the JSON number %d', async (quantity, number) => {
    expect((await one({ quantity })).quantity).toBe(number);
  });

  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.12Z', '2026-01-02T03:04:05.120Z'],
    ['2026-01-02T03:04:05.006Z', '2026-01-02T03:04:05.006Z'],
    ['2026-01-02T03:04:05.6+05:30', '2026-01-01T21:34:05.600Z'],
    ['1890-06-01T00:00:00-03:00', '1890-06-01T03:00:00.000Z'],
  ])('the instant %s is %s', async (stored, wire) => {
    expect((await one({ market_value_as_of: stored })).market_value_as_of).toBe(wire);
  });

  it('every timestamp of every body has milliseconds in UTC, and every date is a date', async () => {
    const item = await makeItem(gateway.database, partner.client);
    await furnish(gateway.database, partner.client, item);
    const texts: [string, string][] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && /(_at|_as_of|^as_of|_on)$/.test(name)) texts.push([name, inner]);
        collect(inner);
      }
    };
    const since = '2026-01-01T00:00:00Z';
    for (const path of [
      `/assets/${item.registryId}?include=valuations,documents`,
      `/assets/${item.registryId}/valuations`,
      `/assets/${item.registryId}/documents`,
      `/assets?updated_since=${since}`,
      '/portfolio/summary',
    ])
      collect((await partner.get(path)).body);
    expect(texts.length).toBeGreaterThan(30);
    for (const [name, text] of texts) expect(text).toMatch(name.endsWith('_on') ? /^\d{4}-\d\d-\d\d$/ : INSTANT);
  });

  it('updated_since with the updated_at of an item returns exactly the later items', async () => {
    const { get, client } = await makePartner(gateway);
    // Ahead of now, so that the writes of this test do not move them, and the grant is older than all of them.
    const base = Date.now() + 3_600_000;
    for (const offset of [1, 2, 3])
      await makeItem(gateway.database, client, { updated_at: new Date(base + offset).toISOString() });
    const { data } = (await get('/assets')).body;
    const times: string[] = data.map(({ updated_at }: { updated_at: string }) => updated_at);
    for (const [index, time] of times.entries()) {
      const later = (await get(`/assets?updated_since=${time}`)).body;
      expect(later.sync.full).toBe(false);
      expect(later.data.map(({ updated_at }: { updated_at: string }) => updated_at)).toEqual(times.slice(index + 1));
      const just = time.replace('Z', '9999Z');
      expect((await get(`/assets?updated_since=${just}`)).body.data).toHaveLength(times.length - index - 1);
    }
  });
});
