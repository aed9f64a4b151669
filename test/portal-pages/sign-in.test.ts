// Signing in and out: passwords, the second factor, links, sessions, and several identities.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { createUser } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm } from '#test/support/scenario.ts';
import { PASSWORD, type Pages, PHONE, smallTargets, startPages, unnoticed, violations } from './browser.ts';
import { beginSetUp, enter, finishSetUp, openSetUp, recoveryCodes } from './signing-in.ts';

let pages: Pages;
let firm: Firm;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
});

afterAll(() => pages.stop());

const atKeys = (page: Page) => page.getByRole('heading', { name: 'API keys' }).waitFor();

describe('signing in with a password', () => {
  it('leads to the requested page; a wrong password and an unknown address are reported alike', async () => {
    const member = await makeMember(pages.gateway, firm);
    await pages.givePassword(member);
    const { page, faults } = await pages.visit();
    await page.goto('/portal/activity?days=7');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // On a first visit, no session has ended.
    await page.getByText('Welcome to the portal.').waitFor();
    for (const email of [member.email, 'nobody@example.com']) {
      await enter(page, email, 'not the password');
      await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    }
    await enter(page, member.email);
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/portal/activity?days=7');
    expect(faults).toEqual([]);
  });

  it('says how long to wait after too many attempts, is given up without a response, and can be tried again', async () => {
    const { page } = await pages.visit();
    await page.clock.install();
    await page.goto('/portal/sign-in');
    const alert = page.getByRole('alert');
    const waits = [
      ['1', 'Try again in 1 second.'],
      ['2', 'Try again in 2 seconds.'],
      ['100', 'Try again in 2 minutes.'],
    ] as const;
    for (const [seconds, words] of waits) {
      await page.route('**/portal/auth/sign-in/email', (route) =>
        route.fulfill({
          status: 429,
          headers: { 'Retry-After': seconds },
          json: { error: { code: 'rate_limit_exceeded', message: 'Too many tries.' } },
        }),
      );
      await enter(page, 'nobody@example.com');
      await alert.getByText(`Too many tries. ${words}`, { exact: true }).waitFor();
      await page.unroute('**/portal/auth/sign-in/email');
    }

    await page.route('**/portal/auth/sign-in/email', () => undefined);
    const sent = page.waitForRequest('**/portal/auth/sign-in/email');
    await enter(page, 'nobody@example.com');
    await sent;
    await page.clock.fastForward(25_000);
    await alert.getByText('There was no response. Try again.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await alert.getByText('The e-mail address or the password is wrong.').waitFor();
  });

  it('does not lead outside the portal, even if the address names another site', async () => {
    const member = await makeMember(pages.gateway, firm);
    await pages.givePassword(member);
    const { page } = await pages.visit();
    await page.goto('/portal/sign-in?return=//evil.example/');
    await enter(page, member.email);
    await atKeys(page);
    expect(page.url()).toBe(`${pages.url}/portal/keys`);
  });

  it('is required again once the session has ended, and the page no longer shows who was signed in', async () => {
    const member = await makeMember(pages.gateway, firm, 'Fay Former');
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await atKeys(page);
    expect(await page.content()).toContain('Fay Former');
    await unnoticed(page, async () => {
      await context.clearCookies();
      await page.getByRole('link', { name: 'Activity' }).click();
      await page.waitForURL('/portal/activity');
    });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain('Fay Former');
    expect(new URL(page.url()).searchParams.get('return')).toBe('/activity');
  });
});

describe('the second factor', () => {
  const maybeUsed = (page: Page) =>
    page
      .getByRole('alert')
      .getByText(/a code that is refused now was used/)
      .waitFor();

  it('is set up with a QR code, required at the next sign-in, and can be replaced by a recovery code', async () => {
    const member = await makeMember(pages.gateway, firm, 'Sven Second');
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/account');
    const totp = await beginSetUp(page, await openSetUp(page));
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect(await page.getByText(totp.secret.base32).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await finishSetUp(page, totp);
    const codes = await recoveryCodes(page).getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    expect(await page.content()).not.toContain(codes[0]);

    await page.getByRole('button', { name: /Account: Sven Second/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await enter(page, member.email);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('alert')
      .getByText(/code is wrong/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await page.route('**/two-factor/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Continue' }).click();
    await maybeUsed(page);
    await page.unroute('**/two-factor/**');
    // The code was not used, and is still in the field.
    await page.getByRole('button', { name: 'Continue' }).click();
    await atKeys(page);
  });

  it.each(['totp', 'backup-code'])('reports that a %s whose response was lost may have been used', async (kind) => {
    const member = await makeMember(pages.gateway, firm);
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/account');
    const totp = await beginSetUp(page, await openSetUp(page));
    await finishSetUp(page, totp);
    const [used = '', another = ''] = await recoveryCodes(page).getByRole('listitem').allTextContents();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await context.clearCookies();
    await page.goto('/portal/keys');
    await enter(page, member.email);
    const toRecovery = page.getByRole('button', { name: 'Use a recovery code instead' });
    await toRecovery.waitFor();
    const cookies = await context.cookies();
    await page.route(`**/two-factor/verify-${kind}`, async (route) => {
      expect((await route.fetch()).status()).toBe(200);
      // The browser does not receive those of the response either.
      await context.clearCookies();
      await context.addCookies(cookies);
      await route.abort();
    });
    if (kind === 'totp') {
      // The present code may have been used for the set-up.
      await page.getByLabel('Code').fill(totp.generate({ timestamp: Date.now() + 30_000 }));
    } else {
      await toRecovery.click();
      await page.getByLabel('Recovery code').fill(used);
    }
    await page.getByRole('button', { name: 'Continue' }).click();
    await maybeUsed(page);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('alert')
      .getByText(/start it again/)
      .waitFor();
    await page.reload();
    await enter(page, member.email);
    await toRecovery.click();
    await page.getByLabel('Recovery code').fill(another);
    await page.getByRole('button', { name: 'Continue' }).click();
    await atKeys(page);
  });
});

it('the focus follows the set-up of the second factor, its recovery codes, and its end', async () => {
  const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
  const focused = (role: 'button' | 'list', name: string) =>
    expect.poll(() => page.getByRole(role, { name }).evaluate((one) => one === document.activeElement)).toBe(true);
  await page.goto('/portal/account');
  await beginSetUp(page, await openSetUp(page));
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await focused('button', 'Turn on');
  await finishSetUp(page, await beginSetUp(page, await openSetUp(page)));
  await focused('list', 'Recovery codes');
  await page.getByRole('button', { name: 'New recovery codes' }).waitFor();
  await page.getByRole('button', { name: 'I have saved them' }).press('Enter');
  await focused('button', 'New recovery codes');
  await page.getByRole('button', { name: 'Turn off' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Turn off the second factor?' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Turn off' }).press('Enter');
  await focused('button', 'Turn on');
});

it('a question for the password cannot be closed while its answer is checked', async () => {
  const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
  await page.goto('/portal/account');
  let release = () => {};
  const released = new Promise<void>((tell) => {
    release = tell;
  });
  await page.route('**/two-factor/enable', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.locator('button[data-loading]').waitFor();
  await page.keyboard.press('Escape');
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  release();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await dialog.waitFor({ state: 'detached' });
});

describe('links', () => {
  const portico = async (...line: string[]) => {
    const env = { DATABASE_URL: pages.gateway.databaseUrl, PORTAL_URL: pages.url };
    const { stdout } = await runHere(env, ...line, '--json');
    return JSON.parse(stdout) as { url: string };
  };

  it('of an invitation sets the first password, works once, and is removed from the address bar', async () => {
    const invited = await makeMember(pages.gateway, firm, 'Nora Newcomer');
    const { url } = await portico('user', 'invite', invited.id);
    const { page, faults } = await pages.visit();
    await page.goto(url);
    await page.getByRole('heading', { name: 'Welcome, Nora Newcomer' }).waitFor();
    expect(page.url()).toBe(`${pages.url}/portal/invitation`);
    await page.getByLabel('New password', { exact: true }).fill('too short');
    await page.getByLabel('New password again').fill('too short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('New password', { exact: true }).fill('a long enough pass phrase');
    await page.getByLabel('New password again').fill('a long enough pass phrase');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await enter(page, invited.email, 'a long enough pass phrase');
    await atKeys(page);
    await page.goto(url);
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('are requested without revealing who has an account', async () => {
    const member = await makeMember(pages.gateway, firm);
    await pages.givePassword(member);
    const { page } = await pages.visit();
    const responses: (string | null)[] = [];
    for (const email of [member.email, 'nobody@example.com']) {
      await page.goto('/portal/forgot');
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByRole('heading', { name: 'Ask your operator for the link' }).waitFor();
      responses.push(await page.locator('#root main').textContent());
    }
    expect(responses[0]?.replaceAll(member.email, '')).toBe(responses[1]?.replaceAll('nobody@example.com', ''));
  });
});

describe('an account', () => {
  it('is signed out everywhere at once', async () => {
    const member = await makeMember(pages.gateway, firm);
    const here = await pages.visitAs(member);
    const there = await pages.visitAs(member);
    await there.page.goto('/portal/keys');
    await atKeys(there.page);
    await here.page.goto('/portal/account');
    await here.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await there.page.reload();
    await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('is signed out of another session, and a failure is reported beside the session', async () => {
    const member = await makeMember(pages.gateway, firm);
    const { page } = await pages.visitAs(member);
    await pages.visitAs(member);
    await page.goto('/portal/account');
    const end = page.getByRole('button', { name: /^Sign out .*, signed in .*\d\d:\d\d/ });
    const error = { code: 'internal_error', message: 'Something went wrong.' };
    await page.route('**/end-session', (route) => route.fulfill({ status: 500, json: { error } }));
    await end.click();
    await page.getByRole('listitem').filter({ has: end }).getByRole('alert').getByText(error.message).waitFor();
    await page.unroute('**/end-session');
    await end.click();
    await expect.poll(() => end.count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('acts as one of its identities at a time, without the pages of the other', async () => {
    const member = await makeMember(pages.gateway, firm, 'Both Member');
    await createUser(pages.database, {
      role: 'client',
      email: member.email,
      name: 'Both Client',
      environment: 'production',
      reportingCurrency: 'USD',
    });
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/account');
    const acting = page.getByRole('region', { name: 'Acting as' });
    await acting.getByRole('listitem').filter({ hasText: 'Both Member' }).getByText('This one').waitFor();
    expect(await acting.getByRole('radio').count()).toBe(0);
    await acting.getByRole('button', { name: 'Continue as Client' }).click();
    await page.getByRole('link', { name: 'Connected apps' }).waitFor();
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });

  it('changes its password, which ends the other sessions', async () => {
    const client = await makeClient(pages.database);
    const here = await pages.visitAs(client);
    const there = await pages.visitAs(client);
    await here.page.goto('/portal/account');
    await here.page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
    await here.page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
    await here.page.getByLabel('New password again', { exact: true }).fill('another long pass phrase');
    await here.page.getByRole('button', { name: 'Change password' }).click();
    await here.page.getByText('Your password is changed.').waitFor();
    await there.page.goto('/portal/account');
    await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
