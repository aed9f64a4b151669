// Choosing among 10,000 items with the mouse and the keyboard.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import type { User } from '#repositories/users.ts';
import { makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages, type Visit, violations } from './browser.ts';

let pages: Pages;
let client: User;
let firm: Firm;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  client = await makeClient(database);
  firm = await makeFirm(database, { name: 'Hartwell & Lyle' });
  await database.query({
    text: `insert into items (id, registry_id, client_id, category, title, quantity)
      select 'itm_' || ulid, 'PTC-' || category || '-' || ulid, $1, category, 'Lot ' || lpad(n::text, 5, '0'), 1
      from generate_series(1, 10000) n,
        lateral (select '01KA' || lpad(n::text, 22, '0') as ulid, (array['WT', 'AR', 'CN', 'WN'])[n % 4 + 1] as category) u`,
    values: [client.id],
  });
});

afterAll(() => pages.stop());

beforeEach(async () => {
  visit = await pages.visitAs(client);
  page = visit.page;
  const key = await makeKey(pages.database, firm);
  await page.goto(`/portal/connected/new?key=${key.id}`);
  await page.getByRole('radio', { name: 'Chosen items' }).check();
  await page.getByText('10,000 items', { exact: true }).waitFor();
});

const list = () => page.getByRole('listbox', { name: 'Your items' });
const option = (title: string) => page.getByRole('option', { name: title });

const focusedText = (text: string) =>
  expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(text);

it('the list scrolls through all items, and renders only those in view', async () => {
  await option('Lot 10000').waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(40);
  for (const [share, title] of [
    [0.5, 'Lot 05000'],
    [1, 'Lot 00001'],
  ] as const) {
    await list().evaluate((box, part) => box.scrollTo(0, box.scrollHeight * part), share);
    await option(title).waitFor();
    expect(await page.getByRole('option').count()).toBeLessThan(40);
  }
  expect(await option('Lot 00001').getAttribute('aria-posinset')).toBe('10000');
  expect(await violations(page)).toEqual([]);
});

it('chosen items stay listed while the list is searched and filtered', async () => {
  await page.getByLabel('Search').fill('lot 00042');
  await page.getByText('1 item', { exact: true }).waitFor();
  await option('Lot 00042').click();
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Category').last().selectOption('AR');
  await page.getByText('2,500 items', { exact: true }).waitFor();
  await option('Lot 09997').click();
  await page.getByText('2 items chosen').waitFor();
  const chosen = page.getByRole('list', { name: 'Chosen items' });
  expect(await chosen.getByRole('listitem').allTextContents()).toEqual(['Lot 09997', 'Lot 00042']);
  await page.getByRole('button', { name: 'Remove Lot 00042' }).click();
  await focusedText('1 item chosen');
  await page.getByRole('checkbox', { name: 'Only chosen' }).check();
  await page.getByText('1 item', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Choose none' }).click();
  await focusedText('No item chosen yet');
  await page.getByRole('checkbox', { name: 'Only chosen' }).click();
  await expect.poll(() => page.getByLabel('Search').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByText('2,500 items', { exact: true }).waitFor();
});

it('all 10,000 items are chosen with one click and granted', async () => {
  await page.getByRole('button', { name: 'Choose all 10,000' }).click();
  await page.getByText('10,000 items chosen').waitFor();
  await page.getByText('and 9,996 more').waitFor();
  await page.getByRole('button', { name: 'Give access' }).click();
  await page.getByText('Hartwell & Lyle can now see what you gave.').waitFor();
  const [row] = await pages.database.query<{ items: number }>({
    text: `select jsonb_array_length(filter->'items') as items from grants where client_id = $1`,
    values: [client.id],
  });
  expect(row?.items).toBe(10_000);
});

it('says that later items could not be loaded, and loads them on “Try again”', async () => {
  await option('Lot 10000').waitFor();
  await page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes('"operation":"OwnItems"') ? route.abort() : route.continue(),
  );
  await list().evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
  await page.getByRole('alert').filter({ hasText: 'The portal cannot be reached.' }).waitFor();
  await option('Could not be loaded').first().waitFor();
  await expect.poll(() => option('Loading…').count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await option('Lot 05000').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
});

it('the keyboard moves, jumps, selects and deselects', async () => {
  await option('Lot 10000').waitFor();
  await list().focus();
  const active = () =>
    list().evaluate((box) => document.getElementById(box.getAttribute('aria-activedescendant') ?? '')?.textContent);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.getByText('1 item chosen').waitFor();
  expect(await active()).toContain('Lot 09999');
  await page.keyboard.press('End');
  await expect.poll(active).toContain('Lot 00001');
  await page.keyboard.press('Space');
  await page.getByText('2 items chosen').waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('1 item chosen').waitFor();
});

/** Withholds the answer to “Choose all” until the returned function is called, after which the page has used it. */
async function withholdAnswer(): Promise<() => Promise<void>> {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/portal/graphql', async (route) => {
    if (!route.request().postData()?.includes('"OwnItemIds"')) return route.continue();
    const response = await route.fetch();
    await promise;
    await route.fulfill({ response });
  });
  return async () => {
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate(() => fetch('/portal/auth/options').then((response) => response.text()));
  };
}

it('“Choose all” whose answer is late does not undo a later choice of none, or of other items', async () => {
  const giveFirst = await withholdAnswer();
  await page.getByLabel('Search').fill('lot 0004');
  await page.getByText('10 items', { exact: true }).waitFor();
  await option('Lot 00042').click();
  await page.getByRole('button', { name: 'Choose all 10' }).click();
  await page.getByRole('button', { name: 'Choose none' }).click();
  await giveFirst();
  await page.getByText('No item chosen yet').waitFor();
  // Nothing is left of the first attempt.
  await page.getByRole('button', { name: 'Choose all 10' }).click();
  await page.getByText('10 items chosen').waitFor();
  expect(await page.getByText('The items could not be read').count()).toBe(0);

  const giveSecond = await withholdAnswer();
  await page.getByLabel('Search').fill('lot 0005');
  await option('Lot 00053').waitFor();
  const asked = page.waitForRequest((request) => request.postData()?.includes('"OwnItemIds"') === true);
  await page.getByRole('button', { name: 'Choose all 10' }).click();
  await asked;
  await page.getByRole('radio', { name: 'Some categories' }).check();
  await giveSecond();
  expect(await page.getByRole('radio', { name: 'Some categories' }).isChecked()).toBe(true);
});

// The last test, since it deletes items.
it('items that disappear while the list is read shorten it', async () => {
  await option('Lot 10000').waitFor();
  const text = `delete from items where client_id = $1 and title <= 'Lot 00150'`;
  await pages.database.query({ text, values: [client.id] });
  await list().evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.getByText('9,850 items', { exact: true }).waitFor();
  await list().evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await option('Lot 00151').waitFor();
  await expect.poll(() => option('Loading…').count()).toBe(0);
});
