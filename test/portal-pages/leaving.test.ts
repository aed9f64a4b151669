// A secret that is shown once, and the input of a form, are not lost by a click, Back, a reload or an ended session.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeGrant } from '#repositories/grants/grants.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, rendered, startPages, unnoticed, type Visit, violations } from './browser.ts';
import { makeConsent } from './consent-scene.ts';
import { beginSetUp, enter, finishSetUp, openSetUp } from './signing-in.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

const shownSecret = ({ page }: Visit) => page.getByRole('status', { name: 'Secret' }).textContent();
const question = ({ page }: Visit) => page.getByRole('dialog', { name: 'Leave without the secret?' });

async function newKey(): Promise<Visit> {
  const visit = await pages.visitAs(await makeMember(pages.gateway, await makeFirm(pages.database)));
  const { page } = visit;
  await page.goto('/portal/keys');
  await page.getByRole('link', { name: 'Create key' }).first().click();
  await page.getByLabel('Name').fill('Ledger sync');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: '“Ledger sync” is ready' }).waitFor();
  return visit;
}

describe('a secret that is shown once', () => {
  it('stays after a click on a link, or on signing out, until leaving is confirmed', async () => {
    const visit = await newKey();
    const { page } = visit;
    const secret = await shownSecret(visit);
    await page.getByRole('link', { name: 'Activity' }).click();
    await question(visit).waitFor();
    expect(await violations(page)).toEqual([]);
    await question(visit).getByRole('button', { name: 'Stay here' }).click();
    await question(visit).waitFor({ state: 'detached' });
    expect(await shownSecret(visit)).toBe(secret);
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await question(visit).getByRole('button', { name: 'Stay here' }).click();
    await question(visit).waitFor({ state: 'detached' });
    expect(await shownSecret(visit)).toBe(secret);
    await page.getByRole('link', { name: 'Activity' }).click();
    await question(visit).getByRole('button', { name: 'Leave without it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });

  it('stays on a reload, another site or Back, which leads to the previous page once leaving is confirmed', async () => {
    const visit = await newKey();
    const { page } = visit;
    const secret = await shownSecret(visit);
    for (const leaving of ['location.reload()', "location.assign('/docs')"]) {
      const opened = page.waitForEvent('dialog');
      await page.evaluate(`setTimeout(() => ${leaving})`);
      const dialog = await opened;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      expect(await shownSecret(visit)).toBe(secret);
    }
    await page.goBack();
    await question(visit).getByRole('button', { name: 'Stay here' }).click();
    await question(visit).waitFor({ state: 'detached' });
    expect(await shownSecret(visit)).toBe(secret);
    await page.goBack();
    await question(visit).getByRole('button', { name: 'Leave without it' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });

  it('stays when the session ends, and the page says so', async () => {
    const visit = await newKey();
    const { page, context } = visit;
    const secret = await shownSecret(visit);
    await context.clearCookies();
    // On this event the page reads everything again.
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.getByText(/Your session has ended/).waitFor();
    expect(await shownSecret(visit)).toBe(secret);
    await page.getByRole('link', { name: 'I have saved the secret' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('is left without a question once it is saved, and adds no entry to the browser’s history', async () => {
    const visit = await newKey();
    const { page } = visit;
    await page.getByRole('link', { name: 'I have saved the secret' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger sync' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Create a key' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('is guarded after a rotation and in Getting started as well', async () => {
    const firm = await makeFirm(pages.database);
    const key = await makeKey(pages.database, firm);
    const visit = await pages.visitAs(await makeMember(pages.gateway, firm));
    const { page } = visit;
    await page.goto(`/portal/keys/${key.id}`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('heading', { name: /The new secret/ }).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await question(visit).getByRole('button', { name: 'Leave without it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.goto('/portal/start');
    await page.getByRole('button', { name: 'Create a sandbox key' }).click();
    await page.getByText(/Copy its secret now/).waitFor();
    await page.getByRole('link', { name: 'Activity' }).first().click();
    await question(visit).getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('button', { name: 'I have saved the secret' }).click();
    await page.getByRole('link', { name: 'Activity' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });
});

describe('a partly filled-in form', () => {
  const unsent = ({ page }: Visit) => page.getByRole('dialog', { name: 'Leave without sending?' });

  async function askForm(): Promise<{ visit: Visit; email: string }> {
    const firm = await makeFirm(pages.database);
    await makeKey(pages.database, firm);
    const member = await makeMember(pages.gateway, firm);
    const visit = await pages.visitAs(member);
    await visit.page.goto('/portal/access/ask');
    await visit.page.getByLabel('Client').waitFor();
    return { visit, email: member.email };
  }

  it('asks before it is left by a link or Back, but not by the link to the content, untouched or cancelled', async () => {
    const { visit } = await askForm();
    const { page } = visit;
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.goBack();
    await page.getByLabel('Purpose').fill('The insurance renewal');
    await page.getByRole('link', { name: 'Activity' }).click();
    await unsent(visit).getByRole('button', { name: 'Stay here' }).click();
    await page.goBack();
    await unsent(visit).getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('Purpose').inputValue()).toBe('The insurance renewal');
    await unsent(visit).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    // Anything that leads only within the page.
    await page.evaluate(() => location.assign('#main'));
    await rendered(page);
    expect(await unsent(visit).count()).toBe(0);
    expect(await page.getByLabel('Purpose').inputValue()).toBe('The insurance renewal');
    await page.getByRole('link', { name: 'Activity' }).click();
    await unsent(visit).getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
  });

  it('keeps its input through a new sign-in, for the same person alone', async () => {
    const { visit, email } = await askForm();
    const { page, context } = visit;
    const fillIn = async () => {
      await page.getByLabel('Client').fill('eleanor@example.com');
      await page.getByLabel('Purpose').fill('The insurance renewal');
      await unnoticed(page, async () => {
        await context.clearCookies();
        await page.getByRole('button', { name: 'Send request' }).click();
      });
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    };
    const signIn = async (as: string) => {
      await enter(page, as);
      await page.getByLabel('Client').waitFor();
    };
    await fillIn();
    await signIn(email);
    expect(await page.getByLabel('Client').inputValue()).toBe('eleanor@example.com');
    expect(await page.getByLabel('Purpose').inputValue()).toBe('The insurance renewal');

    await fillIn();
    const other = await makeFirm(pages.database);
    await makeKey(pages.database, other);
    const colleague = await makeMember(pages.gateway, other);
    await pages.givePassword(colleague);
    await signIn(colleague.email);
    expect(await page.getByLabel('Client').inputValue()).toBe('');
    expect(await page.getByLabel('Purpose').inputValue()).toBe('');
  });

  it('of a client asks before it is left as well', async () => {
    const scene = await makeConsent(pages, 'Half decided');
    const grant = await scene.ask();
    const visit = await pages.visitAs(scene.client);
    await visit.page.goto(`/portal/connected/${grant.id}`);
    await visit.page.getByRole('checkbox', { name: 'Where it is kept' }).uncheck();
    await visit.page.getByRole('link', { name: 'Access record' }).click();
    await unsent(visit).getByRole('button', { name: 'Stay here' }).click();
    expect(await visit.page.getByRole('checkbox', { name: 'Where it is kept' }).isChecked()).toBe(false);
  });

  it('of a client, restored after a new sign-in, cannot be saved if the access has changed meanwhile', async () => {
    const scene = await makeConsent(pages, 'Half narrowed');
    const { id } = await makeGrant(pages.database, scene.key, scene.client, { scopes: 7 });
    const { page, context } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${id}?change=1`);
    await page.getByRole('checkbox', { name: 'What it is worth' }).uncheck();
    await context.clearCookies();
    // When the window gets the focus, the page checks who is signed in.
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await changeGrant(pages.database, id, { scopes: 3 }, { kind: 'client', id: scene.client.id });
    await enter(page, scene.client.email);
    await page.getByText('This access was changed in the meantime').waitFor();
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
  });

  it('of a client that is invalid moves the focus as well', async () => {
    const scene = await makeConsent(pages, 'Nothing chosen');
    const grant = await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByRole('radio', { name: 'Some categories' }).check();
    // The focus can only move to a choice that is there.
    await page.getByRole('checkbox', { name: 'Art', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.locator('#main').getByText('Choose at least one category.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('checkbox');
  });
});

describe('several inputs on a page', () => {
  const question = ({ page }: Visit, name: string) => page.getByRole('dialog', { name });
  const answer = async (visit: Visit, name: string, button: string) => {
    await question(visit, name).getByRole('button', { name: button, exact: true }).click();
    await question(visit, name).waitFor({ state: 'detached' });
  };

  async function account(): Promise<Visit> {
    const visit = await pages.visitAs(await makeMember(pages.gateway, await makeFirm(pages.database)));
    await visit.page.goto('/portal/account');
    return visit;
  }

  it('are guarded each by itself: a form still asks after another one was closed, or signing out has failed', async () => {
    const visit = await account();
    const { page } = visit;
    await page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
    const dialog = await openSetUp(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Activity' }).click();
    await answer(visit, 'Leave without sending?', 'Stay here');
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('another long pass phrase');

    await page.route('**/auth/sign-out', (route) => route.abort());
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await answer(visit, 'Leave without sending?', 'Leave');
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await answer(visit, 'Leave without sending?', 'Stay here');
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('another long pass phrase');
  });

  it('all stay guarded if one of several questions is answered with staying', async () => {
    const visit = await account();
    const { page } = visit;
    const dialog = await openSetUp(page);
    await finishSetUp(page, await beginSetUp(page, dialog));
    await page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
    for (const _twice of [1, 2]) {
      await page.getByRole('link', { name: 'Activity' }).click();
      await answer(visit, 'Leave without the recovery codes?', 'Leave without them');
      await answer(visit, 'Leave without sending?', 'Stay here');
    }
  });
});

describe('signing out everywhere', () => {
  it('asks before input is lost, and does nothing if that is cancelled', async () => {
    const visit = await pages.visitAs(await makeMember(pages.gateway, await makeFirm(pages.database)));
    const { page } = visit;
    await page.goto('/portal/account');
    await page.getByRole('textbox', { name: 'Present password' }).fill('correct');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    const everywhere = page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await everywhere.getByRole('button', { name: 'Sign out everywhere' }).click();
    const leave = page.getByRole('dialog', { name: 'Leave without sending?' });
    await leave.getByRole('button', { name: 'Stay here' }).click();
    await leave.waitFor({ state: 'detached' });
    const sessions = await visit.context.request.get(`${pages.url}/portal/auth/sessions`);
    expect(sessions.status()).toBe(200);
    await everywhere.getByRole('button', { name: 'Sign out everywhere' }).click();
    await leave.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
