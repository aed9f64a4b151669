// Guarantee: what the client sees under "Preview: what they see" is, byte for byte, what the API then serves.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages, violationsInBothSchemes } from './browser.ts';
import { type ConsentScene, makeConsent, scopes } from './consent-scene.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

/** Two responses differ only in their stamp. */
const unstamped = (text: string) => text.replace(/"as_of":"[^"]*"/, '"as_of":"…"');

const body = (page: Page) => page.getByRole('region', { name: 'What they are answered' });

/** The body as it is copied, once the panel shows the request. */
async function copied(page: Page, request: string): Promise<string> {
  await page.getByText(request, { exact: true }).waitFor();
  await expect.poll(() => body(page).getAttribute('aria-busy')).toBe('false');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  return page.evaluate(() => navigator.clipboard.readText());
}

const ENDPOINTS = [
  ['The list of items', () => '/assets'],
  ['One item', ({ items }: ConsentScene) => `/assets/${items.watch.registryId}`],
  ['Valuations of an item', ({ items }: ConsentScene) => `/assets/${items.watch.registryId}/valuations`],
  ['Papers of an item', ({ items }: ConsentScene) => `/assets/${items.watch.registryId}/documents`],
  ['The portfolio summary', () => '/portfolio/summary'],
] as const;

it('the preview of a grant equals the response of every endpoint, and is not recorded as a call', async () => {
  const scene = await makeConsent(pages, 'Previewed');
  await furnish(pages.database, scene.client, scene.items.watch);
  const grant = await makeGrant(pages.database, scene.key, scene.client, {
    scopes: scopes('registry', 'valuation', 'documentation', 'category_detail'),
    filter: { type: 'category', categories: ['WT'] },
  });
  const { page, faults } = await pages.visitAs(scene.client);
  const calls: (string | null)[] = [];
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByText('Technical', { exact: true }).click();
  await page.getByText('Exact', { exact: true }).click();
  for (const [label, pathOf] of ENDPOINTS) {
    const path = pathOf(scene);
    await page.getByLabel('They ask for').selectOption({ label });
    const shown = await copied(page, `/api/v1${path}?client_id=${scene.client.id}`);
    const served = await scene.read(path);
    calls.push(served.headers.get('x-request-id'));
    expect(served.status).toBe(200);
    expect([label, unstamped(shown)]).toEqual([label, unstamped(served.text)]);
    expect(unstamped((await body(page).textContent()) ?? '')).toBe(unstamped(served.text));
  }
  // A preview came before each call: once the last call is recorded, so would the previews be.
  const recordedCalls = async () => {
    const text = 'select request_id from recorded_calls where client_id = $1 order by request_id';
    const rows = await pages.database.query<{ request_id: string }>({ text, values: [scene.client.id] });
    return rows.map(({ request_id }) => request_id);
  };
  await expect.poll(recordedCalls).toContain(calls.at(-1));
  expect(await recordedCalls()).toEqual(calls.toSorted());
  expect(faults).toEqual([]);
});

it('the preview of a draft equals the response once the draft is approved', async () => {
  const scene = await makeConsent(pages, 'Drafted');
  const grant = await scene.ask();
  const { page } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByText('Technical', { exact: true }).click();
  const request = `/api/v1/assets?client_id=${scene.client.id}`;
  expect(JSON.parse(await copied(page, request)).data).toHaveLength(3);

  await page.getByRole('checkbox', { name: 'What it is worth' }).uncheck();
  await expect.poll(async () => await body(page).textContent()).not.toContain('market_value');
  await page.getByRole('radio', { name: 'Chosen items' }).check();
  await page.getByText('Choose what they see and of which items').waitFor();
  await page.getByRole('option', { name: /Chronograph/ }).click();
  await expect.poll(async () => await body(page).textContent()).toContain('Chronograph');
  await expect.poll(async () => await body(page).textContent()).not.toContain('Calatrava');
  const draft = await copied(page, request);

  expect((await scene.read('/assets')).status).toBe(403);
  await page.getByRole('button', { name: 'Approve with these limits' }).click();
  await page.getByText('Drafted can now see what you approved.').waitFor();
  const served = await scene.read('/assets');
  expect(unstamped(draft)).toBe(unstamped(served.text));
});

it('the body of one endpoint is never shown as the response of another', async () => {
  const scene = await makeConsent(pages, 'Switched');
  await furnish(pages.database, scene.client, scene.items.watch);
  const grant = await makeGrant(pages.database, scene.key, scene.client);
  const { page, faults } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  await body(page).getByText('Chronograph').waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/portal/graphql', async (route) => {
    if (route.request().postData()?.includes('/valuations')) await released;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.postData()?.includes('/valuations') === true);
  await page.getByLabel('They ask for').selectOption({ label: 'Valuations of an item' });
  await asked;
  expect(await body(page).count()).toBe(0);
  release();
  await body(page).waitFor();
  expect(await body(page).textContent()).not.toMatch(/Undefined|Chronograph/);
  expect(faults).toEqual([]);
});

it('the preview says in percent how complete papers and estate are, and what is missing', async () => {
  const scene = await makeConsent(pages, 'Percent');
  await furnish(pages.database, scene.client, scene.items.watch);
  const grant = await makeGrant(pages.database, scene.key, scene.client, {
    filter: { type: 'items', items: [scene.items.watch.registryId] },
  });
  const { page } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByText(/^20 % complete; present: purchase receipt; missing: appraisal report, certificate/).waitFor();
  await page.getByText('40 % complete; missing: will').waitFor();
});

it('the preview of what the grant does not cover equals the refusal, except for the request id', async () => {
  const scene = await makeConsent(pages, 'Refusing');
  const grant = await makeGrant(pages.database, scene.key, scene.client, { scopes: scopes('registry') });
  const { page } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByLabel('They ask for').selectOption({ label: 'Papers of an item' });
  await page.getByText('They are refused this').waitFor();
  await page.getByText('It was not given these details of your items.').waitFor();
  await page.getByText('Technical', { exact: true }).click();
  const path = `/assets/${scene.items.watch.registryId}/documents`;
  const shown = await copied(page, `/api/v1${path}?client_id=${scene.client.id}`);
  const served = await scene.read(path);
  expect(served.status).toBe(403);
  await page.getByText('403', { exact: true }).waitFor();
  const unnumbered = (text: string) => text.replace(/req_[0-9A-Z]{26}/, 'req_…');
  expect(unnumbered(shown)).toBe(unnumbered(served.text));
});

it('the preview of a later page of a list equals the response', async () => {
  const scene = await makeConsent(pages, 'Paged');
  await pages.database.query({
    text: `insert into items (id, registry_id, client_id, category, title, quantity)
      select 'itm_' || ulid, 'PTC-CN-' || ulid, $1, 'CN', 'Sovereign ' || n, 1
      from generate_series(1, 60) n, lateral (select '01KA' || lpad(n::text, 22, '0') as ulid) u`,
    values: [scene.client.id],
  });
  const grant = await makeGrant(pages.database, scene.key, scene.client, { scopes: scopes('registry') });
  const { page } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByRole('button', { name: '3', exact: true }).click();
  await page.getByText('Technical', { exact: true }).click();
  const shown = await copied(page, `/api/v1/assets?client_id=${scene.client.id}&page=3`);
  expect(unstamped(shown)).toBe(unstamped((await scene.read('/assets?page=3')).text));
});

it('cards show for each endpoint what the API sends, and name what is hidden', async () => {
  const scene = await makeConsent(pages, 'Carded');
  await furnish(pages.database, scene.client, scene.items.watch);
  const grant = await makeGrant(pages.database, scene.key, scene.client, {
    scopes: scopes('registry', 'valuation', 'documentation'),
  });
  const { page, faults } = await pages.visitAs(scene.client);
  await page.goto(`/portal/connected/${grant.id}`);
  const card = body(page).getByRole('listitem').filter({ hasText: 'Chronograph' });
  await card.getByText('US$12,500.00', { exact: true }).waitFor();
  await card.getByText('Hidden: where it is kept, its particulars, who inherits it and how it was verified').waitFor();
  expect(await body(page).textContent()).not.toMatch(/Vault 4|Patek|Ada|[{}"]|undefined|null/);
  await page.getByLabel('They ask for').selectOption({ label: 'Valuations of an item' });
  await body(page).getByText('Auction result', { exact: true }).waitFor();
  await page.getByLabel('They ask for').selectOption({ label: 'Papers of an item' });
  await body(page).getByText('Insurance policy', { exact: true }).waitFor();
  await page.getByLabel('They ask for').selectOption({ label: 'The portfolio summary' });
  await body(page).getByText('Watches', { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(faults).toEqual([]);

  const otherKey = await makeKey(pages.database, scene.firm);
  const blind = await makeGrant(pages.database, otherKey, scene.client, { scopes: scopes('valuation') });
  await page.goto(`/portal/connected/${blind.id}`);
  await body(page).getByText('An item without its name').first().waitFor();
  expect(await body(page).textContent()).not.toContain('Chronograph');
});
