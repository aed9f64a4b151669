// Guarantee: heirs, share links and readiness are returned as stored, and a share link is active exactly until it
// expires.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { insert, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
});
afterAll(() => gateway.stop());

describe('share links', () => {
  it('are listed in order of creation without their tokens, and are active until they expire', async () => {
    const item = await makeItem(gateway.database, partner.client);
    const hour = 3_600_000;
    const at = (offset: number) => new Date(Date.now() + offset).toISOString();
    const links = [
      { label: 'Ended', created_at: at(-9 * hour), expires_at: at(-hour) },
      { label: null, created_at: at(-8 * hour), expires_at: null },
      { label: 'Going on', created_at: at(-7 * hour), expires_at: at(hour) },
    ].map((link) => ({ id: newId('share_link'), ...link }));
    for (const link of links.toReversed())
      await insert(gateway.database, 'share_links', { ...link, item_id: item.id, token: 'secret' });
    const { estate } = (await partner.get(`/assets/${item.registryId}`)).body.data;
    expect(estate.share_links).toEqual(links.map((link, place) => ({ ...link, active: place > 0 })));
    expect((await partner.get('/assets')).body.data[0].estate).toEqual(estate);
  });
});

describe('heirs and readiness', () => {
  it('are returned as stored, shares with their decimals', async () => {
    const heirs = [
      { name: 'Ada', relationship: 'daughter', share_percent: 33.33 },
      { name: 'Max', relationship: null, share_percent: null },
    ];
    const readiness = { score: 0, missing: ['a will', 'an executor'] };
    const columns = { heirs: JSON.stringify(heirs), readiness: JSON.stringify(readiness) };
    const item = await makeItem(gateway.database, partner.client, columns);
    const { estate } = (await partner.get(`/assets/${item.registryId}`)).body.data;
    expect(estate).toEqual({ heirs, share_links: [], readiness });
  });
});
