// Notifications are chosen on a page of their own, or turned off by the link in a mail without signing in.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { User } from '#repositories/users.ts';
import { makeClient } from '#test/support/scenario.ts';
import { type Pages, PHONE, smallTargets, startPages, violations } from './browser.ts';

let pages: Pages;
let client: User;
beforeAll(async () => {
  pages = await startPages();
  client = await makeClient(pages.database);
});
afterAll(() => pages.stop());

const muted = async () =>
  (
    await pages.database.query<{ topic: string }>({
      text: 'select topic from muted_topics where user_id = $1',
      values: [client.id],
    })
  ).map(({ topic }) => topic);

it('the page of notifications is reached from the account, and saves each choice', async () => {
  const { page, faults } = await pages.visitAs(client);
  await page.goto('/portal/account');
  await page.getByRole('link', { name: 'Choose notifications' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  const first = page.getByRole('checkbox', { name: 'First use' });
  expect(await first.isChecked()).toBe(true);
  await first.click();
  await expect.poll(muted).toEqual(['first_use']);
  await expect.poll(() => first.isChecked()).toBe(false);
  expect(await first.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.reload();
  await expect.poll(() => first.isChecked()).toBe(false);
  await first.click();
  await expect.poll(muted).toEqual([]);
  expect(await page.getByRole('checkbox', { name: 'Receipts' }).isEnabled()).toBe(false);
  // This gateway has no mail server.
  expect(await page.getByText('No mails are sent').isVisible()).toBe(true);
  expect(faults).toEqual([]);
});

it('the link in a mail turns a notification off after a confirmation', async () => {
  const { page, faults } = await pages.visit({ viewport: PHONE });
  // The link of a mail, as the gateway signs it.
  const { createUnsubscribeLinks } = await import('#portal/notices/unsubscribe-links.ts');
  const { readPortalSecret } = await import('#repositories/reference.ts');
  const secret = (await readPortalSecret(pages.database)).toString('base64url');
  const url = createUnsubscribeLinks(secret, pages.url).url(client.id, 'requests');
  await page.goto(url);
  await page.getByRole('heading', { name: 'No more of these mails?' }).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  expect(await smallTargets(page)).toEqual([]);
  expect(await muted()).toEqual([]);
  await page.getByRole('button', { name: 'Stop these mails' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  expect(await muted()).toEqual(['requests']);
  expect(await violations(page)).toEqual([]);
  await page.goto(`${url}x`);
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  expect(faults).toEqual([]);
});
