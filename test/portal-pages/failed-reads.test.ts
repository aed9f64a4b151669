// Guarantee: what a page could not read is reported as such, and never shown as a fact or as loading for ever.

import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { type Key, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages } from './browser.ts';

const UNAVAILABLE = { code: 'service_unavailable', message: 'The service is temporarily unavailable.' };

let pages: Pages;
let firm: Firm;
let key: Key;
let member: User;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  firm = await makeFirm(database);
  key = await makeKey(database, firm, { environment: 'sandbox' });
  member = await makeMember(pages.gateway, firm);
  const testClient = await makeClient(database, { environment: 'sandbox' });
  const text = "update users set test_firm_id = $1, name = 'A test client' where id = $2";
  await database.query({ text, values: [firm.id, testClient.id] });
});

afterAll(() => pages.stop());

/** Opens the page while this operation fails. */
async function openWithout(operation: string, user: User, path: string) {
  const visit = await pages.visitAs(user);
  const { page } = visit;
  await page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes(`"operation":"${operation}"`)
      ? route.fulfill({ status: 503, json: { error: UNAVAILABLE } })
      : route.continue(),
  );
  await page.goto(`/portal${path}`);
  return visit;
}

const fault = (page: Page) => page.locator('#main').getByRole('alert').filter({ hasText: UNAVAILABLE.message });

it.each(['GatewayProcesses', 'TierShadows'])('Limits reports that %s could not be read', async (operation) => {
  const email = `olga-${newId('user').toLowerCase()}@example.com`;
  const operator = await createUser(pages.database, { role: 'ops', email, name: 'Olga Operator' });
  const { page } = await openWithout(operation, operator, '/limits');
  await fault(page).first().waitFor();
  if (operation === 'GatewayProcesses')
    expect(await page.locator('#main').textContent()).not.toContain('Processes that serve');
  await page.unroute('**/portal/graphql');
  await page.getByText('Processes that serve').waitFor();
  await page.getByRole('listitem', { name: 'Standard' }).waitFor();
});

it('Sandbox reports that keys could not be read, instead of that there are none', async () => {
  const { page } = await openWithout('KeyChoices', member, '/sandbox');
  await fault(page).waitFor();
  expect(await page.locator('#main').textContent()).not.toContain('There is no sandbox key');
});

it('Getting started reports that the clients of the key could not be read', async () => {
  const { page } = await openWithout('Grants', member, '/start');
  await fault(page).first().waitFor();
  expect(await page.locator('#main').textContent()).not.toContain('Looking for one');
});

it.each(['/activity', '/access'])('the filter of %s by a key is shown while keys cannot be read', async (path) => {
  const { page } = await openWithout('KeyChoices', member, `${path}?key=${key.id}`);
  const select = page.getByLabel('Key', { exact: true });
  await select.waitFor();
  const shown = () => select.evaluate((element) => (element as HTMLSelectElement).selectedOptions[0]?.textContent);
  expect(await shown()).toBe('The chosen key');
  await page.unroute('**/portal/graphql');
  await page.reload();
  await expect.poll(shown).not.toBe('The chosen key');
});

it('a preview of one item says that the client has none, or that they could not be read', async () => {
  const client = await makeClient(pages.database, { environment: 'sandbox' });
  const grant = await makeGrant(pages.database, key, client);
  const { page } = await openWithout('OwnItems', client, `/connected/${grant.id}`);
  await page.getByLabel('They ask for').selectOption({ label: 'One item' });
  await fault(page).waitFor();
  await page.unroute('**/portal/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('You have no items yet.').waitFor();
});

it('a read without a response is given up, and can be repeated', async () => {
  const { page } = await pages.visitAs(member);
  await page.clock.install();
  const isRead = (request: Request) => request.postData()?.includes('"operation":"FirmKeys"') ?? false;
  await page.route('**/portal/graphql', (route) => (isRead(route.request()) ? undefined : route.continue()));
  const sent = page.waitForRequest(isRead);
  await page.goto('/portal/keys');
  await sent;
  await page.clock.fastForward(25_000);
  await page.locator('#main').getByRole('alert').getByText('There was no response. Try again.').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'API keys' }).waitFor();
});
