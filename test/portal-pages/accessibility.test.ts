// Accessibility: axe finds no violations in either colour scheme, and every control can be used by keyboard.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import type { User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import {
  faultsOnEveryScreen,
  type Pages,
  PHONE,
  settled,
  smallTargets,
  startPages,
  type Visit,
  violations,
  violationsInBothSchemes,
} from './browser.ts';

let pages: Pages;
let firm: Firm;
let member: User;
let key: Key;
let grant: Grant;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  firm = await makeFirm(database, { name: 'Hartwell & Lyle' });
  member = await makeMember(pages.gateway, firm, 'Imogen Hartwell');
  key = await makeKey(database, firm, { environment: 'sandbox' });
  const client = await makeClient(database, { environment: 'sandbox' });
  await makeItem(database, client);
  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  grant = await makeGrant(database, key, client, { expiresAt });
  await makeKey(database, firm);
  for (const query of ['', '&page=0']) {
    await call(`${pages.url}/api/v1/assets?client_id=${client.id}${query}`, key.secret);
  }
});

afterAll(() => pages.stop());

interface Place {
  path: string;
  /** Level-one heading. */
  title: string;
}

const signedIn = (): Place[] => [
  { path: '/keys', title: 'API keys' },
  { path: '/keys?search=nothing-like-it', title: 'API keys' },
  { path: '/keys/new', title: 'Create a key' },
  { path: `/keys/${key.id}`, title: 'Key' },
  { path: '/access', title: 'Access' },
  { path: '/access?show=ended', title: 'Access' },
  { path: `/access/${grant.id}`, title: 'Client' },
  { path: '/access/ask', title: 'Ask for access' },
  { path: '/activity', title: 'Activity' },
  { path: '/sandbox', title: 'Sandbox' },
  { path: '/start', title: 'Getting started' },
  { path: '/team', title: 'Members' },
  { path: '/team/invite', title: 'Invite a member' },
  { path: '/audit', title: 'Audit' },
  { path: '/account', title: 'Account' },
  { path: '/account/notifications', title: 'Notifications' },
  { path: '/nowhere', title: 'Nothing here' },
];

const signedOut = (): Place[] => [
  { path: '/sign-in', title: 'Sign in' },
  { path: '/forgot', title: 'Forgot your password?' },
  { path: '/join', title: 'Open the link again' },
  { path: '/invitation', title: 'Open the link again' },
];

async function faultsAt({ page }: Visit, places: readonly Place[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, title } of places) {
    await page.goto(`/portal${path}`);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    found.push(...(await faultsOnEveryScreen(page)).map((fault) => `${path}: ${fault}`));
  }
  return found;
}

describe('axe, in light and dark colours, at the widths of a desktop, a tablet and a phone,', () => {
  it.each([
    ['before one signs in', signedOut, () => pages.visit()],
    ['afterwards', signedIn, () => pages.visitAs(member)],
  ] as const)('finds no violations on the pages %s', async (_, places, begin) => {
    const visit = await begin();
    expect(await faultsAt(visit, places())).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  it('finds violations that are there', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await settled(page);
    await page.evaluate(() => {
      const add = (tag: string, id: string, style: string) => {
        const element = Object.assign(document.createElement(tag), { id, textContent: id });
        // The content security policy blocks style attributes.
        element.style.cssText = style;
        document.querySelector('main')?.append(element);
        return element;
      };
      add('p', 'faint', 'background: light-dark(#fff, #000); color: light-dark(#aaa, #555)');
      add('p', 'faint-in-dark', 'background: light-dark(#fff, #000); color: light-dark(#333, #444)');
      add('p', 'wide', 'width: 500px').className = 'm_0123abcd';
      add('button', 'small', 'height: 20px; min-height: 0; padding: 0');
      add('div', 'mute', 'width: 50px; height: 50px').setAttribute('role', 'img');
    });
    const found = (await faultsOnEveryScreen(page)).map((fault) => fault.replace(/ \(Fix.*/s, ''));
    const each = (scheme: string, fault: string) =>
      [1440, 820, 390].map((w) => `${scheme}, ${w} pixels wide: ${fault}`);
    expect(new Set(found)).toEqual(
      new Set([
        'no style for m_0123abcd',
        ...each('light', 'color-contrast: #faint'),
        ...each('dark', 'color-contrast: #faint'),
        ...each('dark', 'color-contrast: #faint-in-dark'),
        ...each('light', 'role-img-alt: #mute'),
        'light, 390 pixels wide: wider than the screen',
        'light, 390 pixels wide: wider than the screen where text is twice as large',
        'light, 390 pixels wide: BUTTON small: 20 pixels high',
      ]),
    );
  });

  it('finds no violations if the gateway is unreachable from the start', async () => {
    const { page } = await pages.visitAs(member);
    await page.route('**/portal/graphql', (route) => route.abort());
    await page.goto('/portal/keys');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await faultsOnEveryScreen(page)).toEqual([]);
  });

  it('finds no violations in the dialogs, the account menu and the navigation of a phone', async () => {
    const { page, faults } = await pages.visitAs(member, { viewport: PHONE });
    const found: string[] = [];
    await page.goto(`/portal/keys/${key.id}`);
    for (const name of ['Rotate', 'Revoke']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      found.push(...(await violationsInBothSchemes(page)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await violationsInBothSchemes(page)), ...(await smallTargets(page)));
    await page.getByRole('button', { name: /Account: Imogen Hartwell/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    found.push(...(await violationsInBothSchemes(page)));
    expect([...found, ...faults]).toEqual([]);
  });
});

/** Presses Tab until the named control is focused. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) === 1 && (await namesOf(page)).some((one) => one === name)) return;
  }
  throw new Error(`Tab does not reach "${name}"`);
}

/** Name of the focused control: from its label, its labelling element, or its text. */
const namesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const focused = document.activeElement as HTMLInputElement | null;
    if (focused === null) return [];
    const labels = [...(focused.labels ?? [])].map((label) => label.textContent ?? '');
    return [focused.getAttribute('aria-label') ?? '', focused.textContent ?? '', ...labels].map((name) => name.trim());
  });

describe('with the keyboard alone', () => {
  it('a member signs in with the password shown, creates a key, copies its secret and revokes it', async () => {
    await pages.givePassword(member);
    const { page } = await pages.visit();
    await page.goto('/portal/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.keyboard.type(member.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse battery staple');
    await page.keyboard.press('Tab');
    expect(await namesOf(page)).toContain('Show or hide the password');
    await page.keyboard.press('Enter');
    const password = page.getByRole('textbox', { name: 'Password' });
    await expect.poll(() => password.getAttribute('type')).toBe('text');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create a key' }).waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('By keyboard');
    await tabTo(page, 'Sandbox');
    await page.keyboard.press('ArrowRight');
    await tabTo(page, 'Valuation');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '“By keyboard” is ready' }).waitFor();
    const secret = (await page.getByRole('status', { name: 'Secret' }).textContent()) ?? '';
    expect(secret).toMatch(/^sk_live_/);
    await tabTo(page, 'Copy secret');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

    await tabTo(page, 'I have saved the secret');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keyboard', level: 1 }).waitFor();
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expect.poll(() => namesOf(page)).toContain('Cancel');
    await tabTo(page, 'Revoke key');
    await page.keyboard.press('Enter');
    await page
      .getByText(/^Revoked by Imogen Hartwell/)
      .first()
      .waitFor();
    expect((await call(`${pages.url}/api/v1/assets?client_id=usr_x`, secret)).status).toBe(401);
  });

  it('the first Tab skips the navigation, and focus follows each change of page', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await namesOf(page)).toContain('Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Create key');
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('link', { name: 'Activity' }).press('Enter');
    const title = page.getByRole('heading', { level: 1, name: 'Activity' });
    await title.waitFor();
    await expect.poll(() => title.evaluate((heading) => heading === document.activeElement)).toBe(true);
    expect(await page.title()).toBe('Activity · Portico');
  });

  it('focus moves to a page whose title loads with its data, and to one that replaces another in place', async () => {
    const { page } = await pages.visitAs(member);
    const focused = (level: number, name: string) =>
      expect
        .poll(() => page.getByRole('heading', { level, name }).evaluate((title) => title === document.activeElement))
        .toBe(true);
    const first = await makeKey(pages.database, firm, { environment: 'sandbox' });
    await page.goto('/portal/keys');
    await page.locator(`a[href$="${first.id}"]`).press('Enter');
    await page.getByRole('button', { name: 'Rotate' }).waitFor();
    await focused(1, 'Key');
    await page.getByRole('button', { name: 'Rotate' }).press('Enter');
    await page.getByRole('button', { name: 'Rotate key' }).press('Enter');
    await focused(1, 'The new secret of “Key”');
    await page.getByRole('link', { name: 'I have saved the secret' }).press('Enter');
    await page.getByRole('button', { name: 'Rotate' }).waitFor();
    await focused(1, 'Key');
    await page.getByRole('navigation').getByRole('link', { name: 'Access' }).press('Enter');
    await page.locator(`a[href$="${grant.id}"]`).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    await focused(1, 'Client');
    await page
      .getByRole('link', { name: /^Receipt of/ })
      .first()
      .press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Signature' }).waitFor();
    await focused(1, 'Receipt');
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).press('Enter');
    await page.getByRole('link', { name: 'Create key' }).press('Enter');
    await page.getByLabel('Name').fill('In place');
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    await focused(1, '“In place” is ready');
  });

  it('focus moves to the first filter from the buttons that clear the filters, and to the title from “Try again”', async () => {
    const { page } = await pages.visitAs(member);
    const search = page.getByLabel('Name or last four');
    const focused = (of: Locator) => expect.poll(() => of.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.goto('/portal/keys?search=nothing-like-it');
    const clear = page.getByRole('button', { name: 'Clear filters' });
    for (const which of ['first', 'last'] as const) {
      await search.fill('nothing-like-it');
      await page.getByRole('heading', { name: 'No key matches' }).waitFor();
      await clear[which]().press('Enter');
      await clear.first().waitFor({ state: 'detached' });
      await focused(search);
    }
    await page.route('**/portal/graphql', (route) => route.abort());
    await page.getByRole('link', { name: 'Activity' }).press('Enter');
    const again = page.locator('#main').getByRole('button', { name: 'Try again' });
    await again.first().waitFor();
    await page.unroute('**/portal/graphql');
    await again.first().press('Enter');
    await page.getByText('Requests by day').waitFor({ state: 'attached' });
    await focused(page.getByRole('heading', { level: 1 }));
  });

  it('focus moves from “Show earlier acts” to the text that there are none', async () => {
    const { page } = await pages.visitAs(member);
    await page.route('**/portal/graphql', async (route) => {
      const { operation, variables } = route.request().postDataJSON();
      if (operation !== 'FirmEvents') return route.continue();
      if (variables.after) return route.fulfill({ json: { data: { nodes: [], nextCursor: null } } });
      const response = await route.fetch();
      const { data } = await response.json();
      await route.fulfill({ response, json: { data: { ...data, nextCursor: 'next' } } });
    });
    await page.goto('/portal/audit');
    await page.getByRole('button', { name: 'Show earlier acts' }).press('Enter');
    const end = page.getByText('There are no earlier acts.');
    await end.waitFor();
    await expect.poll(() => end.evaluate((text) => text === document.activeElement)).toBe(true);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('a dialog traps focus, and returns it to the control that opened it', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto(`/portal/keys/${key.id}`);
    const rotate = page.getByRole('button', { name: 'Rotate' });
    await rotate.press('Enter');
    const dialog = page.getByRole('dialog');
    const contains = () => dialog.evaluate((box) => box.contains(document.activeElement));
    await expect.poll(contains).toBe(true);
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab');
      expect(await contains()).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rotate.evaluate((button) => button === document.activeElement)).toBe(true);
  });
});

it('placeholders of loading content move only for people who do not prefer reduced motion', async () => {
  const { page } = await pages.visitAs(member);
  await page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes('"operation":"FirmKeys"') ? undefined : route.continue(),
  );
  await page.goto('/portal/keys');
  const placeholder = page.locator('.mantine-Skeleton-root').first();
  const animation = () => placeholder.evaluate((element) => getComputedStyle(element, '::after').animationName);
  await expect.poll(animation).toBe('none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await expect.poll(animation).toMatch(/^m_/);
});

it('options that are not chosen have the border of other controls', async () => {
  const { page } = await pages.visitAs(member);
  await page.goto('/portal/access/ask');
  const border = (locator: ReturnType<Page['locator']>) =>
    locator.evaluate((element) => getComputedStyle(element).borderColor);
  const purpose = page.getByLabel('Purpose');
  await purpose.waitFor();
  expect(await border(page.getByRole('radio', { name: 'Certain items' }))).toBe(await border(purpose));
});

describe('with forced colours', () => {
  it('selected choices and the current page remain distinguishable', async () => {
    const { page } = await pages.visitAs(member);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto('/portal/keys/new');
    const paint = (locator: ReturnType<Page['locator']>) =>
      locator.evaluate((element) => {
        const { backgroundColor, outlineStyle, outlineColor } = getComputedStyle(element);
        return [backgroundColor, outlineStyle, outlineColor].join(' ');
      });
    const box = (value: string) => page.locator(`#main input[type=checkbox][value=${value}]`);
    await box('registry').waitFor();
    expect(await paint(box('registry'))).not.toBe(await paint(box('estate')));
    const link = (name: string) => page.getByRole('navigation').getByRole('link', { name });
    expect(await paint(link('Keys'))).not.toBe(await paint(link('Activity')));
    const round = (name: string) => page.getByRole('radio', { name }).locator('.mantine-RadioIndicator-indicator');
    expect(await paint(round('Sandbox'))).not.toBe(await paint(round('Production')));
    expect(await violations(page)).toEqual([]);
    await page.goto('/portal/access/ask');
    const option = (name: string) => page.getByRole('radio', { name });
    await option('All items').waitFor();
    expect(await paint(option('All items'))).not.toBe(await paint(option('Certain items')));
    await link('Access').click();
    const tab = (name: string) => page.getByRole('tab', { name });
    await tab('Active').waitFor();
    expect(await paint(tab('Active'))).not.toBe(await paint(tab('Waiting')));
    await link('Members').click();
    const part = (name: string) => page.locator(`.mantine-Switch-${name}`);
    await part('track').waitFor();
    expect(await part('track').evaluate((track) => getComputedStyle(track).borderStyle)).toBe('solid');
    expect(await paint(part('thumb'))).not.toBe(await paint(part('track')));
    // A dialog differs from the page behind it.
    await link('Keys').click();
    await page.locator(`a[href$="${key.id}"]`).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.locator('.mantine-Modal-content');
    await dialog.waitFor();
    expect(await dialog.evaluate((box) => getComputedStyle(box).borderStyle)).toBe('solid');
  });
});
