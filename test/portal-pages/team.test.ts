// A firm's members in the portal: their invitation, roles and removal with the audit record; passkeys with a virtual
// authenticator; and the second factor that a firm requires.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireSecondFactor } from '#repositories/firms/members.ts';
import { type Firm, setFirmLimit } from '#repositories/firms.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import { createUser, type User } from '#repositories/users.ts';
import { freePort } from '#test/support/ports.ts';
import { makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { openPostOffice, type PostOffice } from '../portal-server/post-office.ts';
import {
  DESKTOP,
  overflow,
  PASSWORD,
  type Pages,
  PHONE,
  smallTargets,
  startPages,
  TABLET,
  type Visit,
  violations,
  violationsInBothSchemes,
} from './browser.ts';
import { enter } from './signing-in.ts';

let post: PostOffice;
let pages: Pages;
let url: string;
let people = 0;

beforeAll(async () => {
  post = await openPostOffice();
  const port = String(await freePort());
  // Passkeys belong to a host name; an IP address cannot have any.
  url = `http://localhost:${port}`;
  const env = { PORT: port, PORTAL_URL: url, SMTP_URL: post.url, MAIL_FROM: 'portico@example.com' };
  pages = await startPages({ env, url });
});
afterAll(async () => {
  await pages?.stop();
  await post?.close();
});

const member = (firm: Firm, name: string): Promise<User> =>
  createUser(pages.database, {
    ...{
      role: 'firm_member',
      email: `person-${++people}@example.com`,
      name,
      firmId: firm.id,
      firmRole: 'administrator',
    },
  });

/** A virtual authenticator that verifies its user by itself. */
async function giveAuthenticator({ page, context }: Visit) {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { session, authenticatorId };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the passkey').fill(name);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('list', { name: 'Passkeys' }).getByText(name).waitFor();
}

/** Saves screenshots if `PORTICO_PICTURES` names a directory. */
async function photograph(page: Page, name: string): Promise<void> {
  const directory = process.env.PORTICO_PICTURES;
  if (directory === undefined) return;
  mkdirSync(directory, { recursive: true });
  for (const viewport of [PHONE, TABLET, DESKTOP])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(directory, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true });
    }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName);

/** On a phone, in both colour schemes. */
async function faultsOnPhone(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE);
  const found = [...(await violationsInBothSchemes(page)), ...(await smallTargets(page))];
  if ((await overflow(page)) > 0) found.push('wider than the screen');
  await page.setViewportSize(DESKTOP);
  return found;
}

describe('an administrator', () => {
  it('invites a member by mail, changes their role and removes them, with effect at once and on record', async () => {
    const firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
    const admin = await member(firm, 'Imogen Hartwell');
    const visit = await pages.visitAs(admin);
    const { page, faults } = visit;
    await page.goto('/portal/team');
    await page.getByRole('link', { name: 'Invite' }).click();
    await page.getByRole('heading', { name: 'Invite a member' }).waitFor();
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Enter the person’s name.').waitFor();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Nora New');
    await page.getByLabel('E-mail').fill('nora@example.com');
    await page.getByRole('radio', { name: 'Auditor' }).click();
    await photograph(page, 'invite');
    expect(await faultsOnPhone(page)).toEqual([]);
    const email = page.getByLabel('E-mail');
    await email.fill(admin.email);
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(`${admin.email} is already a member.`).waitFor();
    await expect.poll(() => focused(page)).toBe('INPUT');
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    expect(await faultsOnPhone(page)).toEqual([]);
    await email.fill('nora@example.com');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    const invited = page.getByRole('list', { name: 'Invited' });
    await invited.getByText('nora@example.com').waitFor();

    const { text } = await post.letterTo('nora@example.com');
    const path = /\/portal\/join#[\w-]+/.exec(text)?.[0] ?? '';
    const guest = await pages.visit();
    await guest.page.goto(path);
    await guest.page.getByRole('heading', { name: 'Join Hartwell & Lyle' }).waitFor();
    expect(guest.page.url()).not.toContain('#');
    await guest.page.getByText('as auditor').waitFor();
    await photograph(guest.page, 'join');
    expect(await faultsOnPhone(guest.page)).toEqual([]);
    await guest.page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await guest.page.getByLabel('New password again').fill(PASSWORD);
    await guest.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.page.getByRole('heading', { name: 'You are a member of Hartwell & Lyle' }).waitFor();
    await guest.page.getByRole('link', { name: 'Sign in' }).click();
    await enter(guest.page, 'nora@example.com');
    await guest.page.getByRole('heading', { name: 'API keys' }).waitFor();

    // An auditor sees no buttons and pages that would be refused.
    expect(await guest.page.getByRole('link', { name: 'Create key' }).count()).toBe(0);
    expect(await guest.page.getByRole('link', { name: 'Getting started' }).count()).toBe(0);
    await guest.page.goto('/portal/keys/new');
    await guest.page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await guest.page.getByRole('navigation').getByRole('link', { name: 'Members' }).click();
    await guest.page.getByText('Imogen Hartwell').first().waitFor();
    expect(await guest.page.getByRole('button', { name: /^Change / }).count()).toBe(0);

    await page.reload();
    await page.getByRole('list', { name: 'Members' }).getByText('nora@example.com').waitFor();
    await photograph(page, 'team');
    expect(await faultsOnPhone(page)).toEqual([]);

    // A new role applies to the member's next request.
    await page.getByRole('button', { name: 'Change Nora New' }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page.getByRole('dialog').getByRole('radio', { name: 'Developer' }).click();
    await photograph(page, 'role');
    expect(await faultsOnPhone(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await page.getByText('Nora New is developer from now on.').waitFor();
    await guest.page.goto('/portal/keys');
    await guest.page.getByRole('link', { name: 'Create key' }).first().waitFor();

    // So does the removal.
    await page.getByRole('button', { name: 'Change Nora New' }).click();
    await page.getByRole('menuitem', { name: 'Remove member' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('button', { name: 'Change Nora New' }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('H1');
    await guest.page.goto('/portal/activity');
    await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
    const record = page.getByRole('table', { name: 'Audit' });
    for (const act of [
      'Removed Nora New',
      'Made Nora New developer',
      'Joined as auditor',
      'Invited Nora New as auditor',
    ])
      await record.getByText(act).waitFor();
    expect(await record.getByText('Removed Nora New').locator('bdi').textContent()).toBe('Nora New');
    await page.getByLabel('About').selectOption('Keys');
    await page.getByRole('heading', { name: 'Nothing matches this filter' }).waitFor();
    await page.locator('#main').getByRole('button', { name: 'Clear filters' }).last().click();
    await record.getByText('Joined as auditor').waitFor();
    await photograph(page, 'audit');
    expect(await faultsOnPhone(page)).toEqual([]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()]);
    expect(file.suggestedFilename()).toMatch(/^portico-firm-record-\d{4}-\d\d-\d\d\.csv$/);
    expect([...faults, ...guest.faults]).toEqual([]);
  });

  it('learns that an invitation was sent after all if it is cancelled too late', async () => {
    const firm = await makeFirm(pages.database);
    const { page } = await pages.visitAs(await member(firm, 'Ivo Inviting'));
    await page.goto('/portal/team/invite');
    await page.getByLabel('Name', { exact: true }).fill('Lena Late');
    await page.getByLabel('E-mail').fill('lena-late@example.com');
    const arrived = new Promise<void>((tell) => {
      void page.route('**/portal/graphql', async (route) => {
        if (route.request().postDataJSON().operation !== 'InviteMember') return route.continue();
        await route.fetch();
        tell();
      });
    });
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await arrived;
    await page.locator('#main').getByText('Cancel', { exact: true }).click();
    await page.getByText('Too late to cancel: it was already done.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/team');
    await page.getByRole('list', { name: 'Invited' }).getByText('lena-late@example.com').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('withdraws an invitation, after which the focus is on the title', async () => {
    const firm = await makeFirm(pages.database);
    const { page } = await pages.visitAs(await member(firm, 'Wanda Withdrawing'));
    await page.goto('/portal/team/invite');
    await page.getByLabel('Name', { exact: true }).fill('Wim Withdrawn');
    await page.getByLabel('E-mail').fill('wim-withdrawn@example.com');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    const withdraw = page.getByRole('button', { name: 'Withdraw the invitation of Wim Withdrawn' });
    await withdraw.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' }).click();
    await page.getByText('The invitation of Wim Withdrawn is withdrawn.').waitFor();
    await withdraw.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('H1');
  });

  it('who is the last one cannot leave, and sees why', async () => {
    const firm = await makeFirm(pages.database);
    const { page } = await pages.visitAs(await member(firm, 'Ada Alone'));
    await page.goto('/portal/team');
    await page.getByRole('button', { name: 'Change Ada Alone' }).click();
    await page.getByRole('menuitem', { name: 'Leave the firm' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the firm' }).click();
    await page.getByText('The firm needs an administrator: make another member one first.').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

it('the audit record names tiers and writes numbers as the other pages do', async () => {
  const firm = await makeFirm(pages.database);
  const key = await makeKey(pages.database, firm, { environment: 'production', name: 'Ledger' });
  const operator = { kind: 'operator', id: 'test' } as const;
  const occasion = { reason: 'A test', endsAt: null };
  await setKeyTier(pages.database, key.id, { tier: 'elevated', ...occasion }, operator);
  await setFirmLimit(pages.database, firm.id, { limit: 20_000, ...occasion }, operator);
  const { page } = await pages.visitAs(await member(firm, 'Aud Itor'));
  await page.goto('/portal/audit');
  const record = page.getByRole('table', { name: 'Audit' });
  await record.getByText('Put the key “Ledger” on the tier Elevated', { exact: true }).waitFor();
  await record.getByText('Limited all keys together to 20,000 requests a minute').waitFor();
});

describe('a passkey', () => {
  it('is added with the password, is enough to sign in, and is removed with the password', async () => {
    const client = await makeClient(pages.database);
    const visit = await pages.visitAs(client);
    const { page, context, faults } = visit;
    const { session, authenticatorId } = await giveAuthenticator(visit);
    await page.goto('/portal/account');
    await addPasskey(page, 'My telephone');
    await photograph(page, 'account');
    expect(await faultsOnPhone(page)).toEqual([]);
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toHaveLength(1);

    await context.clearCookies();
    await page.goto('/portal/sign-in');
    await photograph(page, 'sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor();
    const [{ strong } = { strong: false }] = await pages.database.query<{ strong: boolean }>({
      text: 'select bool_or(with_second_factor) as strong from portal_sessions where acting_user_id = $1',
      values: [client.id],
    });
    expect(strong).toBe(true);

    await page.goto('/portal/account');
    await page.getByRole('button', { name: 'Remove the passkey My telephone' }).click();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('The password is wrong.').waitFor();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('You have none.').waitFor();
    await expect.poll(() => focused(page)).toBe('H1');

    await context.clearCookies();
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey is not registered here. Sign in another way.').waitFor();
    expect(faults).toEqual([]);
  });

  it('is refused if its device has not verified the user', async () => {
    const client = await makeClient(pages.database);
    const visit = await pages.visitAs(client);
    const { page, context } = visit;
    const { session, authenticatorId } = await giveAuthenticator(visit);
    await page.goto('/portal/account');
    await addPasskey(page, 'My telephone');
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await context.clearCookies();
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was received').waitFor();
  });

  it('is refused if its response to a challenge is sent again', async () => {
    const client = await makeClient(pages.database);
    const visit = await pages.visitAs(client);
    const { page, context } = visit;
    await giveAuthenticator(visit);
    await page.goto('/portal/account');
    await addPasskey(page, 'My telephone');
    await context.clearCookies();
    await page.goto('/portal/sign-in');
    const [sent] = await Promise.all([
      page.waitForRequest(/passkey\/sign-in$/),
      page.getByRole('button', { name: 'Use a passkey' }).click(),
    ]);
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor();
    const again = await context.request.post(`${url}/portal/auth/passkey/sign-in`, {
      headers: { Origin: url },
      data: sent.postDataJSON(),
    });
    expect({ status: again.status(), code: (await again.json()).error.code }).toEqual({
      status: 401,
      code: 'invalid_credentials',
    });
  });
});

describe('a second factor that the firm requires', () => {
  it('is set up as a passkey before anything of the firm is shown, and required at the next sign-in', async () => {
    const firm = await makeFirm(pages.database, { name: 'Strict & Co' });
    const imogen = await member(firm, 'Imogen Strict');
    await requireSecondFactor(pages.database, firm.id, true, { kind: 'operator', id: 'test' });
    const visit = await pages.visitAs(imogen);
    const { page, context, faults } = visit;
    await giveAuthenticator(visit);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'A second factor is required' }).waitFor();
    expect(await page.getByText('Strict & Co').count()).toBe(0);
    await photograph(page, 'factor-needed');
    expect(await faultsOnPhone(page)).toEqual([]);
    await addPasskey(page, 'My telephone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    await context.clearCookies();
    await page.goto('/portal/sign-in');
    await enter(page, imogen.email);
    await page.getByRole('heading', { name: 'A second factor is required' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(faults).toEqual([]);
  });
});
