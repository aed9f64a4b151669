// Guarantee: a link from a mail can be opened again in the same tab, and what it has done is not reported as undone.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import type { Firm } from '#repositories/firms.ts';
import { runHere } from '#test/cli/portico.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { afterEvent, PASSWORD, type Pages, startPages, violations } from './browser.ts';
import { enter } from './signing-in.ts';

let pages: Pages;
let firm: Firm;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
});

afterAll(() => pages.stop());

async function makeInvitation(): Promise<{ url: string; title: string; email: string }> {
  const email = `nora-${newId('user').toLowerCase()}@example.com`;
  const wish = { email, name: 'Nora New', role: 'developer' } as const;
  const { id } = await inviteMember(pages.database, firm.id, wish, { kind: 'operator', id: 'test' });
  const link = await linkInvitation(pages.database, id);
  return { url: `/portal/join#${link?.token}`, title: 'Join Hartwell & Lyle', email };
}

async function makePasswordLink(): Promise<{ url: string; title: string; email: string }> {
  const member = await makeMember(pages.gateway, firm);
  const env = { DATABASE_URL: pages.gateway.databaseUrl, PORTAL_URL: pages.url };
  const { stdout } = await runHere(env, 'user', 'invite', member.id, '--json');
  const { pathname, hash } = new URL((JSON.parse(stdout) as { url: string }).url);
  return { url: pathname + hash, title: `Welcome, ${member.name}`, email: member.email };
}

const LINKS = [
  ['an invitation', makeInvitation, 'Accept the invitation'],
  ['a link for a password', makePasswordLink, 'Set password'],
] as const;

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password again').fill(PASSWORD);
}

it.each(LINKS)(
  '%s opens again after a reload, and says that it may have been done if its response is lost',
  async (_what, make, button) => {
    const { url, title, email } = await make();
    const { page, faults } = await pages.visit();
    await page.goto(url);
    await page.getByRole('heading', { name: title }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Open the link again' }).waitFor();
    expect(await violations(page)).toEqual([]);
    // As by pasting it: the page is not loaded again.
    await page.evaluate((hash) => location.assign(hash), url.slice(url.indexOf('#')));
    await page.getByRole('heading', { name: title }).waitFor();
    expect(page.url()).not.toContain('#');

    await choosePassword(page);
    await page.route('**/portal/auth/{join,reset-password}', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: button }).click();
    const told = page.getByRole('alert').getByText(/It may have been done anyway: try signing in/);
    await told.waitFor();
    // Once the portal is reached again.
    await afterEvent(page, 'online', '**/portal/auth/options');
    expect(await told.count()).toBe(1);
    await page.goto('/portal/sign-in');
    await enter(page, email);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(faults).toEqual([]);
  },
);

it('a link that is opened over another one replaces it without a question, also if that one is used', async () => {
  const used = await makeInvitation();
  const next = await makeInvitation();
  const { page } = await pages.visit();
  await page.goto(used.url);
  const email = () => page.getByLabel('E-mail').inputValue();
  const open = ({ url }: { url: string }) =>
    page.evaluate((hash) => location.assign(hash), url.slice(url.indexOf('#')));
  await choosePassword(page);
  await open(next);
  await expect.poll(email).toBe(next.email);
  expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await open(used);
  await expect.poll(email).toBe(used.email);
  await choosePassword(page);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('heading', { name: 'You are a member of Hartwell & Lyle' }).waitFor();
  await open(next);
  await expect.poll(email).toBe(next.email);
});

it('changing a password whose response is lost says that it may have been done', async () => {
  const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
  await page.goto('/portal/account');
  await page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
  await page.getByLabel('New password again', { exact: true }).fill('another long pass phrase');
  // A proxy whose server is down.
  await page.route('**/portal/auth/change-password', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
  await page.getByRole('button', { name: 'Change password' }).click();
  const told = page.getByRole('alert').getByText(/It may have been done anyway: try signing in with the new password/);
  await told.waitFor();
  await afterEvent(page, 'online', '**/portal/graphql');
  expect(await told.count()).toBe(1);
});
