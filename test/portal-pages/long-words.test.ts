// Long names never make a page wider than the screen.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeLetter } from '#portal/mails/letter.ts';
import { inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { createUser, type User } from '#repositories/users.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeGrant, makeKey } from '#test/support/scenario.ts';
import { overflow, overflowOfLargeText, type Pages, PHONE, settled, startPages } from './browser.ts';
import { type ConsentScene, makeConsent } from './consent-scene.ts';

/** A name that has no place to break. */
const WORD = 'W'.repeat(100);
/** The narrowest screen that a page must fit (WCAG 1.4.10), like a desktop at 400 %. */
const NARROWEST = { width: 320, height: 640 };
/** The narrowest screen on which the navigation is beside the page. */
const NARROW_BESIDE_NAVIGATION = { width: 961, height: 720 };
/** An address with a local part and a label of the domain that are as long as they may be. */
const addressOf = (who: string) => `${who.padEnd(64, 'w')}@${'w'.repeat(63)}.example.com`;

let pages: Pages;
let scene: ConsentScene;
let paths: Record<'firm' | 'client' | 'ops', { user: User; at: string[] }>;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  scene = await makeConsent(pages, WORD);
  const { client, member, key, items } = scene;
  const request = await scene.ask({ purpose: WORD });
  const other = await makeKey(database, scene.firm);
  const grant = await makeGrant(database, other, client);
  await scene.collect(WORD, [items.watch]);
  const operator = await createUser(database, { role: 'ops', email: addressOf('operator'), name: WORD });
  for (const [table, column] of [
    ['users', 'name'],
    ['api_keys', 'name'],
    ['items', 'title'],
  ]) {
    await database.query({ text: `update ${table} set ${column} = $1`, values: [WORD] });
  }
  const named = async (user: User, who: string): Promise<User> => {
    const email = addressOf(who);
    await database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, email] });
    return { ...user, email };
  };
  await scene.read('/assets');
  await recorded(pages.gateway, 1, client.id);
  paths = {
    firm: {
      user: await named(member, 'member'),
      at: [
        ...['keys', 'keys/new', `keys/${key.id}`, `keys/${key.id}/link`, 'access', `access/${grant.id}`, 'access/ask'],
        ...['activity', 'sandbox', 'team', 'team/invite', 'firm', 'audit', 'start'],
      ],
    },
    client: {
      user: await named(client, 'client'),
      at: [
        'connected',
        ...[request.id, grant.id].map((id) => `connected/${id}`),
        'connected/new',
        'record',
        'record/statement',
        'history',
      ],
    },
    ops: { user: operator, at: ['limits', `limits?key=${key.id}`, 'limits/what-if'] },
  };
});

afterAll(() => pages.stop());

it.each(['firm', 'client', 'ops'] as const)(
  'the pages of %s break a long word rather than scroll sideways',
  async (role) => {
    const { user, at } = paths[role];
    const { page } = await pages.visitAs(user, { viewport: NARROWEST });
    const wide: string[] = [];
    const squeezed: string[] = [];
    const unmarked: string[] = [];
    for (const path of [...at, 'account']) {
      await page.goto(`/portal/${path}`);
      await settled(page);
      unmarked.push(...(await withoutDirection(page)).map((text) => `${path}: ${text}`));
      for (const screen of [NARROWEST, PHONE, NARROW_BESIDE_NAVIGATION]) {
        await page.setViewportSize(screen);
        if ((await overflow(page)) > 0) wide.push(`${path}, ${screen.width} pixels`);
        if ((await overflowOfLargeText(page)) > 0) wide.push(`${path}, ${screen.width} pixels, text twice as large`);
        if ((await narrowestRowHeader(page)) < 200) squeezed.push(`${path}, ${screen.width} pixels`);
      }
    }
    expect(wide).toEqual([]);
    expect(squeezed).toEqual([]);
    expect(unmarked).toEqual([]);
  },
);

/**
 * Texts with the name outside an element or marks that isolate its writing direction: next to an Arabic or Hebrew
 * name, brackets, full stops and numbers would be displayed on the wrong side. Options of native lists cannot contain
 * elements, and need marks only if they have other words beside the name.
 */
const withoutDirection = (page: Page) =>
  page.evaluate((word) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (parent === null || !text.nodeValue?.replaceAll(`\u2068${word}\u2069`, '').includes(word)) continue;
      if (getComputedStyle(parent).unicodeBidi === 'plaintext') continue;
      if (parent.tagName === 'OPTION' && text.nodeValue === word) continue;
      if (parent.closest('bdi, [dir=auto], script, style, textarea') === null)
        found.push(`${parent.closest('[class]')?.className ?? ''} ${text.nodeValue.replaceAll(word, '…')}`);
    }
    return found;
  }, WORD);

/** The width of the narrowest row header: a table without room for its columns must become a list of cards. */
const narrowestRowHeader = (page: Page) =>
  page.evaluate(() => {
    const cells = [...document.querySelectorAll('tr[aria-rowindex] th[scope=row]')];
    return Math.min(...cells.map((cell) => cell.getBoundingClientRect().width));
  });

it('a select that is alone in its line on a phone fills the line, and a name in a list is truncated after two', async () => {
  const { page } = await pages.visitAs(paths.firm.user, { viewport: NARROWEST });
  await page.goto('/portal/activity');
  await settled(page);
  const choices = ['Key', 'Time span'].map((name) => page.getByRole('combobox', { name, exact: true }));
  const [ofKey, ofSpan] = await Promise.all(choices.map((choice) => choice.boundingBox()));
  expect(ofKey?.width).toBe(ofSpan?.width);
  expect(ofKey?.width).toBeGreaterThan(NARROWEST.width / 2);

  await page.goto('/portal/keys');
  await settled(page);
  const name = page.getByRole('rowheader').getByRole('link').first();
  const lines = await name.evaluate((link) => link.clientHeight / Number.parseFloat(getComputedStyle(link).lineHeight));
  expect(Math.round(lines)).toBe(2);
});

/** Pixels by which the content of the element is wider than its visible part. */
const hidden = (element: Locator) => element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

it('dialogs and notifications break a long word too', async () => {
  const { page } = await pages.visitAs(paths.client.user, { viewport: NARROWEST });
  await page.goto('/portal/connected');
  await page.getByRole('button', { name: /^Decline the request of/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await hidden(dialog)).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Revoke the access of/ }).click();
  await dialog.waitFor();
  expect(await hidden(dialog)).toBe(0);
  await dialog.getByRole('button', { name: 'Revoke access' }).click();
  const notification = page.locator('.mantine-Notification-description');
  await notification.waitFor();
  expect(await hidden(notification)).toBe(0);
});

it('the pages before one signs in break a long word too', async () => {
  const wish = { email: addressOf('newcomer'), name: WORD, role: 'developer' } as const;
  const { id } = await inviteMember(pages.database, scene.firm.id, wish, { kind: 'operator', id: 'test' });
  const link = await linkInvitation(pages.database, id);
  const { page } = await pages.visit({ viewport: NARROWEST });
  await page.goto(`/portal/join#${link?.token}`);
  await settled(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.route('**/options', (route) => route.fulfill({ json: { providers: [], mail: true } }));
  await page.goto('/portal/forgot');
  await page.getByLabel('E-mail').fill(wish.email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});

it('a mail breaks a long word too', async () => {
  const { html } = writeLetter({
    subject: `${WORD} has access to your portfolio`,
    name: WORD,
    paragraphs: [`${WORD} gave ${WORD} access.`],
    facts: [['Firm', WORD]],
    action: { label: 'Open it in Portico', url: 'https://portico.example/' },
  });
  const { page } = await pages.visit({ viewport: NARROWEST });
  await page.setContent(html);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});
