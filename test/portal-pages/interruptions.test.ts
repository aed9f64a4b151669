// After another tab, an ended session, an update of the portal or a lost network has interrupted it, a page says what
// happened, keeps its input, and recovers by itself.

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { operate, PASSWORD, type Pages, rendered, startPages, unnoticed, type Visit } from './browser.ts';
import { enter } from './signing-in.ts';

let pages: Pages;
let firm: Firm;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  await makeKey(pages.database, firm);
});

afterAll(() => pages.stop());

/** Each test has its own, because sign-ins are limited by account. */
const newMember = () => makeMember(pages.gateway, firm);

const PURPOSE = 'The insurance renewal in March';

async function fillPartly(page: Page): Promise<void> {
  await page.goto('/portal/access/ask');
  await page.getByLabel('Purpose').fill(PURPOSE);
}

const purpose = (page: Page) => page.getByLabel('Purpose').inputValue();

async function signIn(page: Page, { email }: User): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await enter(page, email);
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

/** A tab that gets no messages from the others, like one that the browser has suspended. */
async function openIsolatedTab(context: BrowserContext): Promise<Page> {
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
  it('are signed out together and in together; the second says so, and keeps its input', async () => {
    const member = await newMember();
    const { page: one, context } = await pages.visitAs(member);
    const two = await context.newPage();
    await one.goto('/portal/keys');
    await one.getByRole('heading', { name: 'API keys' }).waitFor();
    await fillPartly(two);
    await signOut(one);
    await two.getByText(/Your session has ended, or you signed out in another tab\..*is kept/).waitFor();
    await signIn(one, member);
    await two.getByLabel('Purpose').waitFor();
    expect(await purpose(two)).toBe(PURPOSE);
  });
});

describe('switching identity in another tab', () => {
  /** A member of the firm who is a client as well. */
  async function memberAndClient(): Promise<Visit> {
    const person = await newMember();
    const client = { name: 'Both Client', environment: 'production', reportingCurrency: 'USD' } as const;
    await createUser(pages.database, { role: 'client', email: person.email, ...client });
    const visit = await pages.visitAs(person);
    return visit;
  }

  async function continueAs(page: Page, name: string, title: string): Promise<void> {
    await page.goto('/portal/account');
    await page.getByRole('button', { name: `Continue as ${name}` }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  it('switches this tab too, and keeps its input for the first identity', async () => {
    const { page, context } = await memberAndClient();
    const two = await context.newPage();
    await fillPartly(two);
    // The message is shown for some seconds.
    await Promise.all([
      two.getByText(/you switched to somebody else; this tab has followed.*kept/).waitFor(),
      continueAs(page, 'Client', 'Connected apps'),
    ]);
    await two.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
    await continueAs(page, 'Hartwell & Lyle', 'API keys');
    await two.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await two.getByRole('link', { name: 'Access', exact: true }).click();
    await two.getByRole('link', { name: 'Ask for access' }).first().click();
    expect(await purpose(two)).toBe(PURPOSE);
  });

  it('has the server refuse an act of a tab that has not heard of the switch', async () => {
    const { page, context } = await memberAndClient();
    const two = await openIsolatedTab(context);
    await two.goto('/portal/keys/new');
    await two.getByLabel('Name').fill('Meant for the first');
    const answer = two.waitForResponse((response) => response.status() === 409);
    await unnoticed(two, async () => {
      await continueAs(page, 'Client', 'Connected apps');
      await two.getByRole('button', { name: 'Create key' }).click();
    });
    await answer;
    await two.getByText(/this tab has followed/).waitFor();
    const made = { text: 'select from api_keys where name = $1', values: ['Meant for the first'] };
    expect(await pages.database.query(made)).toEqual([]);
  });
});

describe('an ended session', () => {
  it('keeps the input even if the page is reloaded before the sign-in', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await fillPartly(page);
    await unnoticed(page, async () => {
      await context.clearCookies();
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByLabel('Client').fill('eleanor@example.com');
      await page.getByRole('button', { name: 'Send request' }).click();
    });
    await page.getByText(/Your session has ended/).waitFor();
    // As by a detour over a firm's own sign-in page.
    await page.reload();
    await signIn(page, member);
    await page.getByLabel('Client').waitFor();
    expect(await page.getByLabel('Client').inputValue()).toBe('eleanor@example.com');
    expect(await purpose(page)).toBe(PURPOSE);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(PURPOSE);
  });

  it('keeps no input if it was ended by signing out', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    await fillPartly(page);
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
    await signIn(page, member);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goto('/portal/access/ask');
    expect(await purpose(page)).toBe('');
  });

  it('is replaced from the account page as well', async () => {
    const member = await newMember();
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/account');
    await page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill('another long pass phrase');
    await page.getByLabel('New password again', { exact: true }).fill('another long pass phrase');
    await unnoticed(page, async () => {
      await context.clearCookies();
      await page.getByRole('button', { name: 'Change password' }).click();
    });
    await page.getByText(/Your session has ended/).waitFor();
    await signIn(page, member);
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    // Passwords are not kept.
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
  });
});

describe('an updated portal', () => {
  it('is reloaded if a file of the old version is gone', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    let reloaded = false;
    page.once('load', () => {
      reloaded = true;
    });
    await page.route('**/portal/assets/ask-page*', (route) =>
      reloaded ? route.continue() : route.fulfill({ status: 404, json: { error: { code: 'route_not_found' } } }),
    );
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('link', { name: 'Ask for access' }).first().click();
    await page.getByText(/The portal was updated and has been reloaded/).waitFor();
    await page.getByLabel('Purpose').waitFor();
  });

  it('is reloaded with the input if it does not know an operation of the old version', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    await fillPartly(page);
    let reloaded = false;
    await page.route('**/portal/graphql', (route) =>
      reloaded || !route.request().postData()?.includes('"Categories"')
        ? route.continue()
        : route.fulfill({
            status: 400,
            json: { error: { code: 'unknown_operation', message: 'The portal has no operation of this name.' } },
          }),
    );
    page.once('load', () => {
      reloaded = true;
    });
    await page.getByRole('radio', { name: 'Items of certain categories' }).check();
    await page.getByText(/has been reloaded. What you had filled in is still here/).waitFor();
    await page.getByLabel('Purpose').waitFor();
    expect(await purpose(page)).toBe(PURPOSE);
    expect(await page.getByRole('radio', { name: 'Items of certain categories' }).isChecked()).toBe(true);
  });

  it('offers to reload the page if reloading it automatically did not help', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/activity');
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('"FirmKeys"')
        ? route.fulfill({
            status: 400,
            json: { error: { code: 'unknown_operation', message: 'The portal has no operation of this name.' } },
          })
        : route.continue(),
    );
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('The portal was updated and has been reloaded.').waitFor();
    const offer = page.getByRole('alert').filter({ hasText: 'The portal is being updated' });
    await offer.waitFor();
    expect(await page.getByText('no operation of this name').count()).toBe(0);
    // Only then does a read succeed, since the page's regular one would replace the button.
    await Promise.all([page.waitForEvent('load'), offer.getByRole('button', { name: 'Reload' }).click()]);
    await page.unroute('**/portal/graphql');
    await page.getByRole('table', { name: 'API keys' }).waitFor();
  });

  it('is reloaded only once if that does not help', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    let loads = 0;
    let answers = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1;
    });
    page.on('response', (response) => {
      if (response.url().endsWith('/portal/auth/options')) answers += 1;
    });
    await page.route('**/portal/assets/ask-page*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('link', { name: 'Ask for access' }).first().click();
    await page.getByText(/The portal was updated/).waitFor();
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
    // Once it gets this response, the page reloads itself or does not.
    await expect.poll(() => answers).toBe(2);
    await page.evaluate(() => fetch('/portal/auth/options'));
    expect(loads).toBe(1);
  });
});

describe('the return of the network', () => {
  it('loads the page that could not be loaded', async () => {
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
  });

  it('loads a page for which a proxy answered instead of the portal', async () => {
    const member = await newMember();
    const { page } = await pages.visitAs(member);
    // The portal responds to one read before the outage, and the page receives the response during the outage.
    const { promise: received, resolve: receive } = Promise.withResolvers<void>();
    await page.route('**/portal/graphql', async (route) => {
      if (!route.request().postData()?.includes('"GrantCounts"')) return route.continue();
      const response = await route.fetch();
      await received;
      await route.fulfill({ response });
    });
    const read = page.waitForResponse((response) => response.request().postData()?.includes('"GrantCounts"') ?? false);
    await page.goto('/portal/access');
    await page.getByRole('link', { name: 'Ask for access' }).first().waitFor();
    await page.route('**/portal/**', (route) => route.fulfill({ status: 503, body: '<h1>Service unavailable</h1>' }));
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    const waiting = page.getByText('It loads by itself as soon as the portal can be reached.');
    await waiting.waitFor();
    receive();
    await (await read).finished();
    await rendered(page);
    expect(await waiting.isVisible()).toBe(true);
    await page.unroute('**/portal/**');
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    await page.route('**/portal/graphql', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('alert').getByText('The portal cannot be reached.').waitFor();
    await page.unroute('**/portal/graphql');
    await page.getByRole('list', { name: 'Members' }).waitFor();
  });

  it('finds the input unchanged, and the form can be sent', async () => {
    const member = await newMember();
    const visit = await pages.visitAs(member);
    const { page, context } = visit;
    await fillPartly(page);
    await page.getByLabel('Client').fill('nobody-yet@example.com');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('You are offline: nothing was sent.').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline: nothing was sent.').waitFor({ state: 'detached' });
    expect(await purpose(page)).toBe(PURPOSE);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Your request is on record.').waitFor();
  });

  it('removes the error of a sign-in, and keeps the input', async () => {
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
  });
});

it('the server refuses an operation that names another user', async () => {
  const member = await newMember();
  const visit = await pages.visitAs(member);
  const { status, body } = await operate(visit, pages.url, 'FirmKeys', {}, { 'X-Portico-User': 'usr_another' });
  expect([status, body.error?.code]).toEqual([409, 'acting_as_another']);
  expect((await operate(visit, pages.url, 'FirmKeys', {}, { 'X-Portico-User': member.id })).status).toBe(200);
});
