// The pages of clients and operations on every screen and in both colour schemes; clients' pages also while they are
// empty, loading and failed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { createUser, type User } from '#repositories/users.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { faultsOnEveryScreen, type Pages, settled, startPages, type Visit, violations } from './browser.ts';
import { type ConsentScene, makeConsent, scopes } from './consent-scene.ts';

const LONG = 'The Venerable Company of Estate Stewards, Trustees and Executors of the County of Northumberland'.repeat(
  2,
);

let pages: Pages;
let scene: ConsentScene;
let newClient: User;
let operator: User;
let paths: { client: string[]; ops: string[] };

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  scene = await makeConsent(pages, LONG.slice(0, 200));
  const request = await scene.ask();
  const key = await makeKey(database, await makeFirm(database, { name: 'Hartwell & Lyle' }));
  const grant = await makeGrant(database, key, scene.client, {
    scopes: scopes('registry', 'valuation', 'estate'),
    filter: { type: 'items', items: [scene.items.watch.registryId, scene.items.picture.registryId] },
    expiresAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  });
  await scene.read('/assets');
  await recorded(pages.gateway, 1, scene.client.id);
  // More calls than are drawn at once, and more steps than fit on one page of the history.
  await database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - n * interval '1 minute', $1, $2, $3, 'GET /api/v1/assets', 3, 200
      from generate_series(1, 150) n`,
    values: [key.firmId, key.id, scene.client.id],
  });
  await database.query({
    text: `insert into grant_events (grant_id, actor, action, details)
      select $1, 'client:' || $2, 'change', '{}' from generate_series(1, 60)`,
    values: [grant.id, scene.client.id],
  });
  newClient = await makeClient(database);
  const email = `olga-${newId('user').toLowerCase()}@example.com`;
  operator = await createUser(database, { role: 'ops', email, name: 'Olga Operator' });
  const free = await makeKey(database, await makeFirm(database, { name: 'Not yet' }));
  const connected = [request.id, grant.id, `${grant.id}?change=1`, `new?key=${free.id}`];
  paths = {
    client: ['connected', ...connected.map((rest) => `connected/${rest}`), 'record', 'history'],
    ops: ['limits', `limits?key=${key.id}`, 'limits/what-if'],
  };
});

afterAll(() => pages.stop());

async function faultsAt({ page }: Visit, all: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of all) {
    await page.goto(`/portal/${path}`);
    await settled(page);
    found.push(...(await faultsOnEveryScreen(page)).map((line) => `${path}: ${line}`));
  }
  return found;
}

describe('in both colour schemes, on a desktop, a tablet and a phone', () => {
  it.each(['client', 'ops'] as const)('axe finds nothing on the pages of %s, which fit the screen', async (role) => {
    const visit = await pages.visitAs(role === 'ops' ? operator : scene.client);
    expect(await faultsAt(visit, paths[role])).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('axe finds nothing on empty pages, which fit the screen', async () => {
    const visit = await pages.visitAs(newClient);
    expect(await faultsAt(visit, ['connected', 'connected/new', 'record', 'history'])).toEqual([]);
  });
});

it('each page of a client says that it is loading, then that loading failed, and offers another try', async () => {
  const { page } = await pages.visitAs(scene.client);
  for (const path of paths.client) {
    const held: (() => void)[] = [];
    await page.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('"Viewer"')) return route.continue();
      await new Promise<void>((go) => held.push(go));
      await route.fulfill({
        status: 503,
        json: { error: { code: 'service_unavailable', message: 'The service is away.', request_id: 'req_1' } },
      });
    });
    await page.goto(`/portal/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main').getByText('Loading…').first().waitFor({ state: 'attached' });
    const release = setInterval(() => {
      for (const go of held.splice(0)) go();
    }, 50);
    await page.getByText('The service is away.').first().waitFor();
    expect(await violations(page)).toEqual([]);
    clearInterval(release);
    await page.unroute('**/portal/graphql');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('The service is away.').first().waitFor({ state: 'detached' });
  }
});
