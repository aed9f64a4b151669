// Two tabs, a session that ended, a portal that was renewed, a network that returns: each is said in a sentence, keeps
// what was filled in, and goes on by itself.

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { operate, PASSWORD, type Pages, startPages, type Visit } from './browser.ts';

let pages: Pages;
let firm: Firm;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  await makeKey(pages.database, firm);
});

afterAll(() => pages.stop());

/** For each test another: sign-ins are limited by account. */
const newMember = () => makeMember(pages.gateway, firm);

const PURPOSE = 'The insurance renewal in March';

async function halfFilled(page: Page): Promise<void> {
  await page.goto('/portal/access/ask');
  await page.getByLabel('Purpose').fill(PURPOSE);
}

const purpose = (page: Page) => page.getByLabel('Purpose').inputValue();

async function signIn(page: Page, { email }: User): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

/** A tab that learns nothing from the others, as where the browser has put it to sleep. */
async function openDeafTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.BroadcastChannel = class extends EventTarget {
      postMessage(): void {}
    } as unknown as typeof BroadcastChannel;
    addEventListener('focus', (event) => event.stopImmediatePropagation(), true);
  });
  return page;
}

describe('two tabs', () => {
  it('end together, say so, and go on together where they were, with what was filled in', async () => {
    const member = await newMember();
    const { page: one, context } = await pages.visitAs(member);
    const two = await context.newPage();
    await one.goto('/portal/keys');
    await one.getByRole('heading', { name: 'API keys' }).waitFor();
    await halfFilled(two);
    await signOut(one);
    await two.getByText(/Your session has ended, or you signed out in another tab\..*is kept/).waitFor();
    await signIn(one, member);
    await two.getByLabel('Purpose').waitFor();
    expect(await purpose(two)).toBe(PURPOSE);
    await context.close();
  });

  it('do not say that anything ended to somebody who has only just come', async () => {
    const { page, context } = await pages.visit();
    await page.goto('/portal/keys');
    await page.getByText('Welcome to the portal.').waitFor();
    await context.close();
  });
});

describe('going on as somebody else in another tab', () => {
  /** A member of the firm who is a client as well. */
  async function memberAndClient(): Promise<Visit> {
    const person = await newMember();
    const client = { name: 'Both Client', environment: 'production', reportingCurrency: 'USD' } as const;
    await createUser(pages.database, { role: 'client', email: person.email, ...client });
    const visit = await pages.visitAs(person);
    return visit;
  }

  async function goOnAs(page: Page, name: string, title: string): Promise<void> {
    await page.goto('/portal/account');
    await page.getByRole('button', { name: `Continue as ${name}` }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  it('takes this one along, and keeps what was filled in for whoever filled it in', async () => {
    const { page, context } = await memberAndClient();
    const two = await context.newPage();
    await halfFilled(two);
    await goOnAs(page, 'Client', 'Connected apps');
    await two.getByText(/you switched to somebody else; this tab has followed.*kept/).waitFor();
    await two.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
    await goOnAs(page, 'Hartwell & Lyle', 'API keys');
    await two.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await two.getByRole('link', { name: 'Access', exact: true }).click();
    await two.getByRole('link', { name: 'Ask for access' }).first().click();
    expect(await purpose(two)).toBe(PURPOSE);
    await context.close();
  });

  it('does nothing in the name of another, even where this tab has not heard of it', async () => {
    const { page, context } = await memberAndClient();
    const two = await openDeafTab(context);
    await two.goto('/portal/keys/new');
    await two.getByLabel('Name').fill('Meant for the first');
    await goOnAs(page, 'Client', 'Connected apps');
    const answer = two.waitForResponse((response) => response.status() === 409);
    await two.getByRole('button', { name: 'Create key' }).click();
    await answer;
    await two.getByText(/this tab has followed/).waitFor();
    const made = { text: 'select from api_keys where name = $1', values: ['Meant for the first'] };
    expect(await pages.database.query(made)).toEqual([]);
    await context.close();
  });
});

describe('a session that ended', () => {
  it('keeps what was filled in even where the program is loaded anew before somebody is signed in again', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await halfFilled(page);
    await context.clearCookies();
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByLabel('Client').fill('eleanor@example.com');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText(/Your session has ended/).waitFor();
    // As on the way over the page of a firm's own sign-in.
    await page.reload();
    await signIn(page, member);
    await page.getByLabel('Client').waitFor();
    expect(await page.getByLabel('Client').inputValue()).toBe('eleanor@example.com');
    expect(await purpose(page)).toBe(PURPOSE);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(PURPOSE);
    await context.close();
  });

  it('leaves nothing for anybody once somebody signs out', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await halfFilled(page);
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
    await signIn(page, member);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goto('/portal/access/ask');
    expect(await purpose(page)).toBe('');
    await context.close();
  });

  it('is asked for again by a step of the account as well', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/account');
    await page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
    await page.getByLabel('New password again', { exact: true }).fill('another long pass phrase');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText(/Your session has ended/).waitFor();
    await signIn(page, member);
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    // A password is kept nowhere.
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
    await context.close();
  });
});

describe('a portal that was renewed', () => {
  it('is loaded again by itself where a part of the old one is gone', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    let renewed = false;
    page.once('load', () => {
      renewed = true;
    });
    await page.route('**/portal/assets/ask-page*', (route) =>
      renewed ? route.continue() : route.fulfill({ status: 404, json: { error: { code: 'route_not_found' } } }),
    );
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('link', { name: 'Ask for access' }).first().click();
    await page.getByText(/The portal was updated and has been reloaded/).waitFor();
    await page.getByLabel('Purpose').waitFor();
    await context.close();
  });

  it('is loaded again with what was filled in where it does not know an operation of the old one', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await halfFilled(page);
    let renewed = false;
    await page.route('**/portal/graphql', (route) =>
      renewed || !route.request().postData()?.includes('"Categories"')
        ? route.continue()
        : route.fulfill({
            status: 400,
            json: { error: { code: 'unknown_operation', message: 'The portal has no operation of this name.' } },
          }),
    );
    page.once('load', () => {
      renewed = true;
    });
    await page.getByRole('radio', { name: 'Items of certain categories' }).check();
    await page.getByText(/has been reloaded. What you had filled in is still here/).waitFor();
    await page.getByLabel('Purpose').waitFor();
    expect(await purpose(page)).toBe(PURPOSE);
    expect(await page.getByRole('radio', { name: 'Items of certain categories' }).isChecked()).toBe(true);
    await context.close();
  });

  it('is not loaded again and again where that does not help', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.route('**/portal/assets/ask-page*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('link', { name: 'Ask for access' }).first().click();
    await page.getByText(/The portal was updated/).waitFor();
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
    expect(loads).toBe(1);
    await context.close();
  });
});

describe('a network that returns', () => {
  it('brings the page that could not be loaded meanwhile', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/access');
    await page.getByRole('link', { name: 'Ask for access' }).first().waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline').first().waitFor();
    await page.getByRole('link', { name: 'Ask for access' }).first().click();
    await page.getByText('It loads by itself as soon as the portal can be reached.').waitFor();
    await context.setOffline(false);
    await page.getByLabel('Purpose').waitFor();
    await context.close();
  });

  it('brings it as well where a proxy answered in the place of the portal', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/access');
    await page.getByRole('link', { name: 'Ask for access' }).first().waitFor();
    await page.route('**/portal/**', (route) => route.fulfill({ status: 503, body: '<h1>Service unavailable</h1>' }));
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('It loads by itself as soon as the portal can be reached.').waitFor();
    await page.unroute('**/portal/**');
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    await page.route('**/portal/graphql', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('alert').getByText('The portal cannot be reached.').waitFor();
    await page.unroute('**/portal/graphql');
    await page.getByRole('list', { name: 'Members' }).waitFor();
    await context.close();
  });

  it('finds what was filled in as it was, and the form goes on', async () => {
    const member = await newMember();
    const visit = await pages.visitAs(member);
    const { page, context } = visit;
    await halfFilled(page);
    await page.getByLabel('Client').fill('nobody-yet@example.com');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('You are offline: nothing was sent.').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline: nothing was sent.').waitFor({ state: 'detached' });
    expect(await purpose(page)).toBe(PURPOSE);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Your request is on record.').waitFor();
    await context.close();
  });

  it('takes the fault of a sign-in with it, and leaves what was typed', async () => {
    const member = await newMember();
    await pages.givePassword(member);
    const { page, context } = await pages.visit();
    await page.goto('/portal/sign-in');
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You are offline.').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await context.close();
  });
});

it('a call that is meant for another user is refused by the server', async () => {
  const member = await newMember();
  const visit = await pages.visitAs(member);
  const { status, body } = await operate(visit, pages.url, 'FirmKeys', {}, { 'X-Portico-User': 'usr_another' });
  expect([status, body.error?.code]).toEqual([409, 'acting_as_another']);
  expect((await operate(visit, pages.url, 'FirmKeys', {}, { 'X-Portico-User': member.id })).status).toBe(200);
  await visit.context.close();
});
