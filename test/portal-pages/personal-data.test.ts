// Clients download all data about them from their account page; members are not offered it.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { makeClient, makeFirm, makeItem } from '#test/support/scenario.ts';
import { type Pages, PHONE, smallTargets, startPages, violations } from './browser.ts';

const OFFER = { name: 'Download all data about you' } as const;

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());

it('a client downloads all data about them as a file', async () => {
  const client = await makeClient(pages.database);
  await makeItem(pages.database, client, { title: 'Own clock' });
  const { page, faults } = await pages.visitAs(client, { viewport: PHONE });
  await page.goto('/portal/account');
  const offer = page.getByRole('link', OFFER);
  await offer.waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent('download'), offer.click()]);
  expect(download.suggestedFilename()).toMatch(/^portico-personal-data-[\d-]+\.ndjson$/);
  const text = readFileSync(await download.path(), 'utf8');
  for (const own of [client.id, client.email, 'Own clock', '"kind":"end"']) expect(text).toContain(own);
  expect(faults).toEqual([]);
});

it('a firm’s member is not offered the download', async () => {
  const { id: firmId } = await makeFirm(pages.database);
  const email = 'mia@personal-data.example.com';
  const member = await createUser(pages.database, { role: 'firm_member', email, name: 'Mia', firmId });
  const { page } = await pages.visitAs(member);
  await page.goto('/portal/account');
  await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
  expect(await page.getByRole('link', OFFER).count()).toBe(0);
});
