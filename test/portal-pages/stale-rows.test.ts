// Rows that were read before a filter changed are never shown as its result.

import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember, recorded } from '#test/support/portal-scene.ts';
import { makeGrant } from '#test/support/scenario.ts';
import { type Pages, startPages } from './browser.ts';
import { type ConsentScene, makeConsent } from './consent-scene.ts';

let pages: Pages;
let scene: ConsentScene;
let member: User;
let operator: User;

beforeAll(async () => {
  pages = await startPages();
  scene = await makeConsent(pages, 'Hartwell & Lyle');
  member = await makeMember(pages.gateway, scene.firm);
  operator = await createUser(pages.database, { role: 'ops', email: 'olga@example.com', name: 'Olga Operator' });
  await makeGrant(pages.database, scene.key, scene.client);
  for (const path of ['/assets', '/portfolio/summary', '/assets?page=0']) await scene.read(path);
  await recorded(pages.gateway, 3, scene.client.id);
});

afterAll(() => pages.stop());

/** A list or figure with a filter: its operation, and a text that it shows before the filter changes. */
interface List {
  operation: string;
  path(): string | Promise<string>;
  by: 'client' | 'member' | 'operator';
  before: string | RegExp;
  /** Part of the request after the filter has changed, if others of the same operation are sent as well. */
  asks?: string;
  /** Where it is shown, if not in the main part of the page. */
  place?: string;
  change(page: Page): Promise<unknown>;
}

const LISTS: List[] = [
  {
    operation: 'Grants',
    path: () => '/access',
    by: 'member',
    before: 'All items',
    change: (page) => page.getByLabel('Client').fill('nobody'),
  },
  {
    operation: 'Calls',
    path: () => '/activity',
    by: 'member',
    before: '200',
    change: (page) => page.getByLabel('Outcome').selectOption('failed'),
  },
  {
    operation: 'Activity',
    path: () => '/activity',
    by: 'member',
    before: 'By day',
    change: (page) => page.getByLabel('Time span').selectOption('7'),
  },
  {
    operation: 'AccessRecord',
    path: () => '/record',
    by: 'client',
    before: 'By whom',
    change: (page) => page.getByLabel('Outcome').selectOption('refused'),
  },
  {
    operation: 'OwnItems',
    path: async () => `/connected/new?key=${(await makeConsent(pages, 'Another firm')).key.id}`,
    by: 'client',
    before: 'Calatrava 96',
    change: (page) => page.getByLabel('Search').fill('horse'),
  },
  {
    operation: 'KeyUse',
    path: () => `/keys/${scene.key.id}`,
    by: 'member',
    before: 'By day',
    change: (page) => page.getByLabel('Time span').selectOption('7'),
  },
  {
    operation: 'LimitHistory',
    path: () => `/limits?key=${scene.key.id}`,
    by: 'operator',
    before: /In the last hour/,
    asks: '"span":"day"',
    place: '[role=dialog]',
    change: (page) => page.getByRole('dialog').getByText('Last 24 hours').click(),
  },
];

async function open(page: Page, path: string, { before, operation, place = '#main' }: List): Promise<void> {
  await page.goto(`/portal${path}`);
  if (operation === 'OwnItems') await page.getByRole('radio', { name: 'Chosen items' }).check();
  await page.locator(place).getByText(before).first().waitFor();
  await expect.poll(() => page.locator(`${place} [aria-busy=true]`).count()).toBe(0);
}

it.each(LISTS.map((list) => [list.operation, list] as const))(
  '%s, after its filter has changed, is outdated until the response arrives; offline it is replaced by an error until it is read',
  async (operation, list) => {
    const { page, context } = await pages.visitAs({ client: scene.client, member, operator }[list.by]);
    const { asks = `"${operation}"` } = list;
    const path = await list.path();
    const place = page.locator(list.place ?? '#main');
    await open(page, path, list);
    const held: Route[] = [];
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes(asks) ? void held.push(route) : route.continue(),
    );
    await list.change(page);
    const busy = place.locator('[aria-busy=true]').filter({ hasText: list.before });
    // Even before the request is sent: a search waits for a pause in typing.
    expect(await busy.count()).toBe(1);
    expect(Number(await busy.evaluate((element) => getComputedStyle(element).opacity))).toBeLessThan(1);
    await expect.poll(() => held.length).toBe(1);
    expect(await busy.count()).toBe(1);
    await held[0]?.continue();
    await expect.poll(() => busy.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });

    await open(page, path, list);
    await context.setOffline(true);
    await list.change(page);
    await place
      .getByRole('alert')
      .getByText(/You are offline/)
      .waitFor();
    expect(await place.getByText(list.before, { exact: true }).count()).toBe(0);
    await context.setOffline(false);
    await expect.poll(() => place.getByRole('alert').count()).toBe(0);
  },
);

it('a button that waits for a response has its loader in its centre', async () => {
  const { page } = await pages.visitAs(member);
  await page.goto('/portal/keys/new');
  await page.getByLabel('Name').fill('Under way');
  await page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes('"CreateKey"') ? undefined : route.continue(),
  );
  const button = page.getByRole('button', { name: 'Create key' });
  await button.click();
  const middles = await page.locator('.mantine-Button-loader').evaluate((loader) => {
    const ofBoth = [loader, loader.closest('button') as HTMLElement].map((element) => element.getBoundingClientRect());
    return ofBoth.map(({ x, y, width, height }) => [Math.round(x + width / 2), Math.round(y + height / 2)]);
  });
  expect(middles[0]).toEqual(middles[1]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
