// Guarantee: a second factor that is required can be set up even if the window is left or the session ends, and requiring it takes nothing
// from a page that shows or holds something.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireSecondFactor } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { afterEvent, type Pages, startPages, type Visit, violations } from './browser.ts';
import { beginSetUp, finishSetUp, openSetUp, recoveryCodes } from './signing-in.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

const require = ({ id }: Firm) => requireSecondFactor(pages.database, id, true, { kind: 'operator', id: 'test' });

/** Returns once the page has read again who is signed in, and shows the answer. */
const returnToWindow = (page: Page) => afterEvent(page, 'focus', '**/portal/graphql');

const needed = (page: Page) => page.getByRole('heading', { name: 'A second factor is required' });

/** Turns the second factor on up to the first code. */
const begin = async (page: Page) => beginSetUp(page, await openSetUp(page));

async function asked(): Promise<Visit> {
  const firm = await makeFirm(pages.database);
  const member = await makeMember(pages.gateway, firm);
  await require(firm);
  const visit = await pages.visitAs(member);
  await visit.page.goto('/portal/activity');
  await needed(visit.page).waitFor();
  return visit;
}

describe('a required second factor', () => {
  it('is set up with one secret, however often the window is left, or the portal cannot be reached', async () => {
    const { page } = await asked();
    const totp = await begin(page);
    const secret = page.getByText(totp.secret.base32);
    await page.getByLabel('Code that the app shows').fill('123');
    await returnToWindow(page);
    expect(await secret.count()).toBe(1);
    await page.route('**/portal/graphql', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await returnToWindow(page);
    await page.unroute('**/portal/graphql');
    await returnToWindow(page);
    expect(await secret.count()).toBe(1);
    expect(await page.getByLabel('Code that the app shows').inputValue()).toBe('123');
    await finishSetUp(page, totp);
  });

  it('shows its recovery codes until they are saved or given up, and then the requested page', async () => {
    const { page, faults } = await asked();
    await finishSetUp(page, await begin(page));
    const shown = await recoveryCodes(page).textContent();
    await returnToWindow(page);
    expect(await recoveryCodes(page).textContent()).toBe(shown);
    await page.getByRole('button', { name: 'Continue' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without the recovery codes?' });
    await question.getByRole('button', { name: 'Stay here' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await recoveryCodes(page).textContent()).toBe(shown);
    await page.getByRole('button', { name: 'Continue' }).click();
    await question.getByRole('button', { name: 'Leave without them' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows its recovery codes even if the session ends', async () => {
    const { page, context } = await asked();
    await finishSetUp(page, await begin(page));
    await context.clearCookies();
    await returnToWindow(page);
    await page.getByText(/Your session has ended/).waitFor();
    expect(await recoveryCodes(page).count()).toBe(1);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

describe('requiring a second factor', () => {
  it('says first who has none, and is undone without a question', async () => {
    const firm = await makeFirm(pages.database);
    await makeMember(pages.gateway, firm, 'Nora New');
    const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
    await page.goto('/portal/team');
    const rule = page.getByRole('switch', { name: 'Every member needs a second factor' });
    const question = page.getByRole('dialog', { name: 'Require a second factor of every member?' });
    await rule.press('Space');
    await question.getByText('2 of 2 members have none, you included.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await rule.isChecked()).toBe(false);
    await rule.press('Space');
    await question.getByRole('button', { name: 'Require second factor' }).click();
    await finishSetUp(page, await begin(page));
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await rule.press('Space');
    await expect.poll(() => rule.isChecked()).toBe(false);
    expect(await question.count()).toBe(0);
  });

  it('leaves a secret on the page that shows it, and says what is next', async () => {
    const firm = await makeFirm(pages.database);
    const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
    await page.goto('/portal/keys/new');
    await page.getByLabel('Name').fill('Ledger sync');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = page.getByRole('status', { name: 'Secret' });
    const shown = await secret.textContent();
    await require(firm);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.getByText(/A second factor is required now\. Save what is shown here first/).waitFor();
    expect(await secret.textContent()).toBe(shown);
    await page.getByRole('link', { name: 'I have saved the secret' }).click();
    await needed(page).waitFor();
  });

  it('keeps what was filled in for after it is set up', async () => {
    const firm = await makeFirm(pages.database);
    await makeKey(pages.database, firm);
    const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
    await page.goto('/portal/access/ask');
    await page.getByLabel('Purpose').fill('The insurance renewal');
    await require(firm);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await needed(page).waitFor();
    await finishSetUp(page, await begin(page));
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Purpose').waitFor();
    expect(await page.getByLabel('Purpose').inputValue()).toBe('The insurance renewal');
  });
});
