// The receipt of a step is read in the portal, verified by the browser, and downloaded as a file that verifies.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopeSet } from '#core/scopes.ts';
import { readKeySet, verifyReceipt } from '#gateway/consent/receipt-signature.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { type Pages, PHONE, startPages, violationsInBothSchemes } from './browser.ts';

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());

async function makeAccess() {
  const firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  const member = await makeMember(pages.gateway, firm);
  const client = await makeClient(pages.database);
  const key = await makeKey(pages.database, firm, { name: 'Monthly report' });
  const grant = await makeGrant(pages.database, key, client, { scopes: scopeSet(['registry', 'valuation']) });
  return { member, client, grant };
}

it('a client reads a receipt that the browser has verified, and downloads it', async () => {
  const { client, grant } = await makeAccess();
  const { page, faults } = await pages.visitAs(client, { viewport: PHONE });
  await page.goto(`/portal/connected/${grant.id}`);
  const link = page.getByRole('link', { name: /^Receipt of/ });
  const title = (await link.getAttribute('aria-label')) ?? '';
  await link.click();
  await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
  expect(await page.title()).toBe(`${title} · Portico`);
  await page.getByText('Hartwell & Lyle').waitFor();
  await page.getByText('Monthly report').waitFor();
  const meaning = 'Market values, purchase prices, insurance values and valuation history';
  await page.getByText(`What it is worth: ${meaning}`).waitFor();
  await page.getByText('Until revoked').waitFor();
  await page.getByText('The signature is right: this browser has checked it.').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^receipt-${grant.id}\\.\\d+\\.json$`));
  const file = await readFile(await download.path(), 'utf8');
  expect(await verifyReceipt(file, await readKeySet(pages.database))).toMatchObject({ record_id: grant.id });
  expect(faults).toEqual([]);
});

it('a member of the firm reads a receipt; an invalid signature is reported', async () => {
  const { member, grant } = await makeAccess();
  const { page } = await pages.visitAs(member);
  await page.goto(`/portal/access/${grant.id}`);
  await page.route('**/.well-known/jwks.json', async (route) => {
    const { keys } = await readKeySet(pages.database);
    const others = keys.map((key) => ({ ...key, x: Buffer.alloc(32, 1).toString('base64url') }));
    await route.fulfill({ json: { keys: others } });
  });
  await page.getByRole('link', { name: /^Receipt of/ }).click();
  await page.getByText('The signature is invalid.').waitFor();
  await page.unroute('**/.well-known/jwks.json');
  await page.reload();
  await page.getByText('The signature is right').waitFor();
  await page.getByText('Valuation: Market values').waitFor();
  await page.goto(`/portal/access/${grant.id}/receipts/999999999`);
  await page.getByText('There is no such step of this access.').waitFor();
});

it('names the chosen items to their owner, on paper all of them, and to the firm their number', async () => {
  const firm = await makeFirm(pages.database);
  const member = await makeMember(pages.gateway, firm);
  const client = await makeClient(pages.database);
  const key = await makeKey(pages.database, firm);
  const items = [];
  for (let index = 0; index < 12; index++)
    items.push(await makeItem(pages.database, client, { title: `Minute repeater ${index}` }));
  const registryIds = items.map(({ registryId }) => registryId);
  const grant = await makeGrant(pages.database, key, client, { filter: { type: 'items', items: registryIds } });
  const { page } = await pages.visitAs(client);
  await page.goto(`/portal/connected/${grant.id}`);
  await page.getByRole('link', { name: /^Receipt of/ }).click();
  const listed = page.getByRole('list', { name: 'Chosen items' });
  await listed
    .getByText(/^Minute repeater/)
    .first()
    .waitFor();
  expect(await listed.getByText(/^Minute repeater/).count()).toBe(10);
  await listed.getByText('and 2 more, which the downloaded file names').waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  for (const id of registryIds) expect(await listed.textContent()).toContain(id);

  const { page: theirs } = await pages.visitAs(member);
  await theirs.goto(`/portal/access/${grant.id}`);
  await theirs.getByRole('link', { name: /^Receipt of/ }).click();
  await theirs.getByRole('heading', { name: /^Receipt of/ }).waitFor();
  await theirs.getByText('12 chosen items', { exact: true }).waitFor();
  expect(await theirs.getByRole('list', { name: 'Chosen items' }).count()).toBe(0);
});
