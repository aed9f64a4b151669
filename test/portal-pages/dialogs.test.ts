// Guarantee: after a dialog that was opened and left by the keyboard, the focus is on the button that opened it.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { freePort } from '#test/support/ports.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages } from './browser.ts';

let pages: Pages;
let member: Page;
let operator: Page;

beforeAll(async () => {
  const port = String(await freePort());
  // Passkeys belong to a host name; an IP address cannot have any.
  const url = `http://localhost:${port}`;
  pages = await startPages({ env: { PORT: port, PORTAL_URL: url }, url });
  const { database, gateway } = pages;
  const firm = await makeFirm(database);
  await makeKey(database, firm, { environment: 'sandbox' });
  ({ page: member } = await pages.visitAs(await makeMember(gateway, firm, 'Imogen Hartwell')));
  const staff = await createUser(database, { role: 'ops', email: 'olga@example.com', name: 'Olga Operator' });
  ({ page: operator } = await pages.visitAs(staff));
  await member.goto('/portal/sandbox');
  await member.getByRole('button', { name: 'Create a test client' }).click();
  await member.getByRole('button', { name: 'Ask for access with “Key”' }).click();
  await member.getByRole('button', { name: 'Approve less' }).waitFor();
});
afterAll(() => pages.stop());

/** Of each page, the buttons that open a dialog, by an item of their menu if they have one. */
const OPENERS: Record<string, [name: string | RegExp, item?: string][]> = {
  sandbox: [['Approve less'], [/^Delete /]],
  team: [
    ['Change Imogen Hartwell', 'Change role'],
    ['Change Imogen Hartwell', 'Leave the firm'],
  ],
  account: [['Turn on'], ['Add a passkey']],
  limits: [['Key']],
};

it.each(Object.entries(OPENERS))('/%s', async (path, openers) => {
  const page = path === 'limits' ? operator : member;
  await page.goto(`/portal/${path}`);
  for (const [name, item] of openers) {
    const opener = page.getByRole('button', { name, exact: true });
    await opener.press('Enter');
    if (item !== undefined) await page.getByRole('menuitem', { name: item }).press('Enter');
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
  }
});
