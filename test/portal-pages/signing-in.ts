// Test support: signing in on the page, and the set-up of a second factor.
import { type TOTP, URI } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { PASSWORD } from './browser.ts';

export async function enter(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Opens the question for the password before a second factor is set up, and answers it without sending. */
export async function openSetUp(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  return dialog;
}

/** Sends that answer; the page then asks for the first code. */
export async function beginSetUp(page: Page, dialog: Locator): Promise<TOTP> {
  const answered = page.waitForResponse('**/two-factor/enable');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const { totpURI } = (await (await answered).json()) as { totpURI: string };
  return URI.parse(totpURI) as TOTP;
}

export const recoveryCodes = (page: Page): Locator => page.getByRole('list', { name: 'Recovery codes' });

/** Enters the first code; the page then shows the recovery codes. */
export async function finishSetUp(page: Page, totp: TOTP): Promise<void> {
  await page.getByLabel('Code that the app shows').fill(totp.generate());
  await page.getByRole('button', { name: 'Turn on' }).click();
  await recoveryCodes(page).waitFor();
}
