// Bounds on what a first visit loads, and on how much of a long list is rendered.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '#core/scopes.ts';
import { makeMember, makeScene, type Scene } from '#test/support/portal-scene.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { overflow, PASSWORD, type Pages, settled, startPages, type Visit } from './browser.ts';

const MAX_BYTES = 300_000;
const MAX_REQUESTS = 20;

let pages: Pages;
let scene: Scene;

beforeAll(async () => {
  pages = await startPages();
  scene = await makeScene(pages.gateway);
});

afterAll(() => pages.stop());

/** The shortest interval at which a page repeats its reads, in seconds. */
const SHORTEST_INTERVAL = 3;

interface Loads {
  bytes: number;
  requests: number;
  /** Waits until nothing has been loading for half a second. */
  complete(): Promise<void>;
}

/**
 * What a page loads over the network, including the headers of responses. The browser's cache is not counted, nor are
 * reads that the page repeats at intervals: how many there are depends on how long the page takes.
 */
async function countLoads({ page, context }: Visit): Promise<Loads> {
  const asked = new Map<string, number>();
  const outstanding = new Set<string>();
  let begun = 0;
  const loads = {
    bytes: 0,
    requests: 0,
    async complete() {
      const quiet = async () => {
        const before = begun;
        await page.waitForTimeout(500);
        return outstanding.size === 0 && begun === before;
      };
      await expect.poll(quiet).toBe(true);
    },
  };
  const session = await context.newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ requestId, timestamp, request: { url, postData } }) => {
    const what = `${url} ${postData}`;
    const repeated = timestamp - (asked.get(what) ?? timestamp) >= SHORTEST_INTERVAL;
    asked.set(what, timestamp);
    if (repeated) return;
    begun += 1;
    outstanding.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!outstanding.delete(requestId)) return;
    loads.bytes += encodedDataLength;
    if (encodedDataLength > 0) loads.requests += 1;
  });
  session.on('Network.loadingFailed', ({ requestId }) => outstanding.delete(requestId));
  await session.send('Network.enable');
  return loads;
}

describe('the first visit', () => {
  it('loads less than 300 kB, compressed, up to the first page after the sign-in', async () => {
    const member = await makeMember(pages.gateway, await makeFirm(pages.database));
    await pages.givePassword(member);
    const visit = await pages.visit();
    const { page, faults } = visit;
    const loads = await countLoads(visit);
    await page.goto('/portal/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await loads.complete();
    expect(loads.requests).toBeGreaterThan(4);
    expect(loads.requests).toBeLessThanOrEqual(MAX_REQUESTS);
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await loads.complete();
    expect(loads.bytes).toBeGreaterThan(100_000);
    expect(loads.bytes).toBeLessThan(MAX_BYTES);
    expect(faults).toEqual([]);
  });

  it.each(['member', 'client', 'operator'] as const)(
    'takes at most 20 requests and 300 kB for the first page of a signed-in %s',
    async (who) => {
      const { here, operator } = scene;
      const visit = await pages.visitAs({ member: here.member, client: here.client, operator }[who]);
      const loads = await countLoads(visit);
      await visit.page.goto('/portal/');
      await settled(visit.page);
      await loads.complete();
      expect(loads.bytes).toBeGreaterThan(100_000);
      expect(loads.bytes).toBeLessThan(MAX_BYTES);
      expect(loads.requests).toBeLessThanOrEqual(MAX_REQUESTS);
    },
  );
});

describe('500 keys', () => {
  it('are all listed, one with a name longer than any column, but only those in view are rendered', async () => {
    const firm = await makeFirm(pages.database);
    const member = await makeMember(pages.gateway, firm);
    await pages.database.query({
      text: `insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix,
          secret_last_four, created_by)
        select id, id, $1, 'Integration ' || case n when 499 then repeat('with a very long name ', 8) else n::text end,
          'production', $2, sha256(id::bytea), 'sk_live_', lpad(n::text, 4, '0'), 'firm_member:' || $3
        from generate_series(1, 500) n, lateral (select 'key_01KA' || lpad(n::text, 22, '0') as id) key`,
      values: [firm.id, ALL_SCOPES, member.id],
    });
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    const table = page.getByRole('table', { name: 'API keys' });
    await table.getByRole('link', { name: 'Integration 500' }).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('501');
    // The first 120 are rendered until the module that selects the rows in view has been loaded.
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(60);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const last = table.getByRole('link', { name: 'Integration 1', exact: true });
    // Rows are measured when they come into view, so the end moves until then.
    await expect.poll(() => page.keyboard.press('End').then(() => last.isVisible())).toBe(true);
    await page.getByLabel('Name or last four').fill('Integration 25');
    await expect.poll(() => table.getByRole('row').count()).toBe(12);
  });
});
