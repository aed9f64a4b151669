// The demo data: their contents, a repeated load, and the refusal to load them into a database in use.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeySecret } from '#auth/key-format.ts';
import { describeDemo, loadDemo } from '#cli/demo.ts';
import { createFirm } from '#repositories/firms.ts';
import { openMigrated } from '#test/repositories/parties.ts';

type Opened = Awaited<ReturnType<typeof openMigrated>>;

let opened: Opened;
beforeAll(async () => {
  opened = await openMigrated();
});
afterAll(() => opened.close());

const settings = { host: '0.0.0.0', port: 8123, platformPrefix: 'PTC' };
const rows = (text: string) => opened.database.query<Record<string, number>>({ text });

describe('the demo', () => {
  it('has clients of both environments, grants of every kind and a command for each thing to try', async () => {
    const demo = await loadDemo(opened.database, settings);
    expect(demo.clients.map(({ environment, reporting_currency }) => `${environment} ${reporting_currency}`)).toEqual([
      'sandbox USD',
      'sandbox EUR',
      'sandbox JPY',
      'production CHF',
    ]);
    expect(demo.grants.map(({ filter }) => filter.type)).toEqual([
      'all',
      'category',
      'collection',
      'items',
      'all',
      'all',
    ]);
    expect(demo.keys.every(({ secret, environment }) => readKeySecret(secret)?.environment === environment)).toBe(true);
    expect(demo.curl.every(({ command }) => command.includes('http://127.0.0.1:8123/'))).toBe(true);
    for (const { command } of demo.curl) expect(describeDemo(demo)).toContain(command);
  });

  it('can be loaded again: the data stay unchanged, and new keys and tokens replace the earlier ones', async () => {
    const data = 'select count(*) as items, max(updated_at)::text as latest from items';
    const before = await rows(data);
    const demo = await loadDemo(opened.database, settings);
    expect(await rows(data)).toEqual(before);
    expect(await rows('select count(*) from item_changes')).toEqual([{ count: 0 }]);
    const active = await rows(
      'select id from api_keys where revoked_at is null and (expires_at is null or expires_at > now()) order by id',
    );
    expect(active.map(({ id }) => id)).toEqual(demo.keys.map(({ id }) => id).sort());
    expect(await rows('select count(*) from plant_tokens where revoked_at is null')).toEqual([{ count: 1 }]);
    expect(await rows(`select count(*) from grants where status = 'active'`)).toEqual([{ count: demo.grants.length }]);
  });

  it('is not loaded into a database with other data, because the password of its operators is public', async () => {
    const others = await openMigrated();
    try {
      await createFirm(others.database, { name: 'A firm', plan: 'enterprise', planActive: true, tier: 'standard' });
      await expect(loadDemo(others.database, settings)).rejects.toThrow('is not empty');
      expect(await others.database.query({ text: 'select from users' })).toEqual([]);
    } finally {
      await others.close();
    }
    // A database that began with the demo may get other data, too.
    await createFirm(opened.database, { name: 'A firm', plan: 'enterprise', planActive: true, tier: 'standard' });
    await loadDemo(opened.database, settings);
  });
});
