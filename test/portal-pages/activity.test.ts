// A firm's calls in Activity, and the page that leads a firm to its first call.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import type { User } from '#repositories/users.ts';
import { makeMember, recorded } from '#test/support/portal-scene.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { DESKTOP, type Pages, settled, startPages } from './browser.ts';

let pages: Pages;
let firm: Firm;
let member: User;
let key: Key;
let client: User;

beforeAll(async () => {
  pages = await startPages();
});

beforeEach(async () => {
  firm = await makeFirm(pages.database);
  member = await makeMember(pages.gateway, firm);
  key = await makeKey(pages.database, firm, { environment: 'sandbox' });
  client = await makeClient(pages.database, { environment: 'sandbox' });
  await makeItem(pages.database, client);
  await makeGrant(pages.database, key, client, { scopes: scopeSet(['registry']) });
});

afterAll(() => pages.stop());

const path = (rest: string) => `${pages.url}/api/v1/${rest}client_id=${client.id}`;

/** One answered and one refused call, which are recorded. */
async function callTwice() {
  const answered = await call(path('assets?'), key.secret);
  const refused = await call(path('assets?min_value=1&'), key.secret);
  expect([answered.status, refused.status]).toEqual([200, 403]);
  await recorded(pages.gateway, 2, client.id);
  return { answered, refused };
}

/** Waits until the table has this number of rows, its header included. */
const rowsOf = (table: Locator, count: number) => expect.poll(() => table.getByRole('row').count()).toBe(count);

/** The number of figures in each row after the first, which begins with all requests. */
const rowsOfFigures = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const list = [...document.querySelectorAll('dl')].find((found) => found.textContent?.startsWith('Requests'));
    const tops = [...(list?.children ?? [])].map((figure) => figure.getBoundingClientRect().top);
    return [...new Set(tops)].slice(1).map((row) => tops.filter((top) => top === row).length);
  });

/** Labels below the bars of a chart that are less than 4 pixels from the next label. */
const touching = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const marks = [...document.querySelectorAll('figure [aria-hidden] > div > div > div > span')].filter(
      (mark) => mark.textContent !== '' && mark.getClientRects().length > 0,
    );
    const boxes = marks.map((mark) => mark.getBoundingClientRect());
    return marks.flatMap((mark, index) =>
      (boxes[index + 1]?.left ?? Number.POSITIVE_INFINITY) - (boxes[index]?.right ?? 0) < 4 ? [mark.textContent] : [],
    );
  });

describe('activity', () => {
  it('shows that there are no calls, then calls by day, endpoint, key and status, explains errors, and finds a call by its id', async () => {
    const { page, faults } = await pages.visitAs(member);
    await page.goto('/portal/activity');
    await page.getByRole('heading', { name: 'No calls in this time' }).waitFor();
    const { answered, refused } = await callTwice();

    await page.reload();
    await page.getByText('insufficient_scope', { exact: true }).waitFor();
    await page.getByText(/ask the client for the scope that the message names/).waitFor();
    const days = page.getByRole('table', { name: 'Requests by day' });
    expect(await days.getByRole('row').count()).toBe(31);
    expect(await days.getByRole('row').last().textContent()).toMatch(/1100$/);
    await page.getByRole('list', { name: 'Requests by status' }).getByText('403 Forbidden').waitFor();
    await page.getByRole('list', { name: 'Requests by endpoint' }).getByText('GET /assets').waitFor();
    // A rotated key has the name of its successor.
    const end = `(…${key.secret.slice(-4)})`;
    await page.getByRole('list', { name: 'Requests by key' }).getByText(end, { exact: true }).waitFor();

    // On a small screen the labels of days do not touch one another.
    await page.setViewportSize({ width: 320, height: 640 });
    for (const span of ['7 days', '30 days', '90 days']) {
      await page.getByLabel('Time span').selectOption(span);
      await settled(page);
      expect(await touching(page)).toEqual([]);
    }
    // No outcome is alone in a row, whatever the width of the screen.
    for (const width of [1440, 1024, 900, 640, 560, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await rowsOfFigures(page)]).toEqual([width, expect.not.arrayContaining([1])]);
    }
    await page.setViewportSize(DESKTOP);
    await page.getByLabel('Time span').selectOption('30 days');
    await settled(page);

    const calls = page.getByRole('table', { name: 'Latest calls' });
    await rowsOf(calls, 3);
    expect(await calls.getByText(end, { exact: true }).count()).toBe(2);
    await page.getByLabel('Outcome').selectOption('refused');
    await rowsOf(calls, 2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('textbox', { name: 'Request id' }).fill(answered.headers.get('x-request-id') ?? '');
    await rowsOf(calls, 2);
    await calls.getByRole('button', { name: 'Copy request id' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(answered.headers.get('x-request-id'));
    // Abbreviated as in the list: an ellipsis for the beginning.
    await page.getByRole('textbox', { name: 'Request id' }).fill(`…${refused.headers.get('x-request-id')?.slice(-6)}`);
    await expect.poll(() => calls.getByText('Refused').count()).toBe(1);
    await rowsOf(calls, 2);
    await page.getByRole('button', { name: '1 calls with insufficient_scope' }).click();
    await page.getByText('Only those that ended with insufficient_scope.').waitFor();
    await rowsOf(calls, 2);
    expect(await page.getByRole('textbox', { name: 'Request id' }).inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  it('shows times in the reader’s zone, names the zone, and formats numbers for the reader’s locale', async () => {
    await callTwice();
    const { page } = await pages.visitAs(member, { locale: 'de-DE', timezoneId: 'Asia/Tokyo' });
    await page.goto('/portal/activity');
    const time = page.getByRole('table', { name: 'Latest calls' }).locator('time').first();
    const text = await time.textContent();
    const at = (await time.getAttribute('datetime')) ?? '';
    const tokyo = new Date(Date.parse(at) + 9 * 3_600_000).toISOString();
    expect(text).toContain(tokyo.slice(11, 19));
    expect(text).toMatch(/GMT\+9|JST/);
    await page
      .getByText(/^50\s?%/)
      .first()
      .waitFor();
    await page.goto(`/portal/keys/${key.id}`);
    await page.getByText('Days are those of Asia/Tokyo.').waitFor();
  });

  it('lists refused calls with the reason, and shows all details of a call in a dialog', async () => {
    const answers = [
      await call(`${pages.url}/api/v1/assets?client_id=${newId('user')}`, key.secret),
      await call(`${pages.url}/api/v1/assets?client_id=${client.id}&pagesize=5`, key.secret),
      await call(`${pages.url}/api/v1/asets`, key.secret, { headers: { 'User-Agent': 'integration/7.1' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 404]);
    const { page, faults } = await pages.visitAs(member);
    await page.goto('/portal/activity');
    const calls = page.getByRole('table', { name: 'Latest calls' });
    await expect
      .poll(async () => {
        await page.reload();
        await calls.waitFor();
        return calls.getByRole('row').count();
      })
      .toBe(4);
    await calls.getByText('The parameter "pagesize" is not known.').waitFor();
    await calls.getByText('No client named').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('404');
    await rowsOf(calls, 2);
    await calls.getByRole('button', { name: 'Details' }).click();
    const dialog = page.getByRole('dialog', { name: 'Call' });
    for (const text of [
      'GET /api/v1/asets',
      'integration/7.1',
      '127.0.0.1',
      '404 Not found',
      'There is nothing at this path.',
      `Key (…${key.secret.slice(-4)}), sandbox`,
    ])
      await dialog.getByText(text, { exact: true }).waitFor();
    await dialog.getByText(/ ms at the gateway$/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowsOf(calls, 4);
    await page.getByLabel('Day', { exact: true }).fill('2020-01-01');
    await page.getByRole('heading', { name: 'No calls', exact: true }).waitFor();
    await page.getByLabel('Day', { exact: true }).fill(new Date().toLocaleDateString('sv'));
    await rowsOf(calls, 4);
    expect(faults).toEqual([]);
  });

  it('reports that the next page could not be read after one request, and repeats it on “Try again”', async () => {
    await callTwice();
    const { page } = await pages.visitAs(member);
    const operations: string[] = [];
    let refused = true;
    await page.route('**/portal/graphql', async (route) => {
      const { operation, variables } = route.request().postDataJSON();
      if (operation !== 'Calls' && operation !== 'FirmEvents') return route.continue();
      if (!variables.after) {
        const response = await route.fetch();
        const { data } = await response.json();
        return route.fulfill({ response, json: { data: { ...data, nextCursor: 'next' } } });
      }
      operations.push(operation);
      const error = { code: 'rate_limited', message: 'Too many requests.' };
      if (refused) return route.fulfill({ status: 429, json: { error } });
      return route.fulfill({ json: { data: { nodes: [], nextCursor: null } } });
    });
    const failure = page.locator('#main').getByRole('alert').getByText('Too many requests.');
    await page.goto('/portal/activity');
    await page.getByRole('table', { name: 'Latest calls' }).getByRole('row').last().scrollIntoViewIfNeeded();
    await failure.waitFor();
    expect(operations).toEqual(['Calls']);
    refused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await failure.waitFor({ state: 'detached' });
    // The notice disappears on the click, before the request is sent.
    await expect.poll(() => operations).toEqual(['Calls', 'Calls']);

    refused = true;
    await page.goto('/portal/audit');
    await page.getByRole('button', { name: 'Show earlier acts' }).click();
    await failure.waitFor();
    refused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await failure.waitFor({ state: 'detached' });
    await expect.poll(() => operations.slice(2)).toEqual(['FirmEvents', 'FirmEvents']);
  });
});

describe('getting started', () => {
  it('shows a first request with the sandbox key and a client who grants it access; pasted, it succeeds', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/start');
    await page.getByLabel('Its secret', { exact: true }).fill(key.secret);
    await page.getByText('Client grants it access.').waitFor();
    await page.getByRole('button', { name: 'Copy first request' }).click();
    const pasted = await page.evaluate(() => navigator.clipboard.readText());
    const [, secret = ''] = /Bearer ([^']+)/.exec(pasted) ?? [];
    const [, version = ''] = /X-Service-Version: ([^']+)/.exec(pasted) ?? [];
    const [address = ''] = /http[^']*/.exec(pasted) ?? [];
    const { status, body } = await call(address, secret, { version });
    expect([status, body.pagination.total_items]).toEqual([200, 1]);
  });

  it('creates a sandbox key on the page, with its secret in the request until the page is left', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto('/portal/start');
    await page.getByRole('button', { name: 'Create a sandbox key' }).click();
    await page.getByText('“First calls” is ready').waitFor();
    const [secret = ''] =
      /sk_test_\w+/.exec(await page.getByRole('region', { name: 'first request' }).innerText()) ?? [];
    expect((await call(path('assets?'), secret)).body.error.code).toBe('no_active_grant');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave without it' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goBack();
    await page.getByLabel('Its secret', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });
});
