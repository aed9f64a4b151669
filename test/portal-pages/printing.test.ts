// Printed pages: the access record as a statement, grants, receipts, and the link for clients.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '#core/scopes.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import type { User } from '#repositories/users.ts';
import { makeMember, recorded } from '#test/support/portal-scene.ts';
import {
  call,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
} from '#test/support/scenario.ts';
import { faultsOnEveryScreen, type Pages, settled, startPages } from './browser.ts';

const run = promisify(execFile);

/** More calls than the endpoint returns at once, and than are drawn at once on the screen. */
const CALLS = 450;

/** The most that a statement has. */
const MAX_ROWS = 5_000;

let pages: Pages;
let client: User;
/** A client about whom there are more calls than a statement has. */
let frequent: User;
let member: User;
let grant: Grant;
let secret: string;
const items: Item[] = [];

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  const firm = await makeFirm(database, { name: 'Hartwell & Lyle' });
  member = await makeMember(pages.gateway, firm, 'Imogen Hartwell');
  const key = await makeKey(database, firm);
  secret = key.secret;
  client = await makeClient(database);
  for (let n = 1; n <= 14; n += 1) items.push(await makeItem(database, client, { title: `Picture ${n}` }));
  grant = await makeGrant(database, key, client, {
    filter: { type: 'items', items: items.map(({ registryId }) => registryId) },
  });
  await recordCalls(key, client, CALLS);
  frequent = await makeClient(database);
  await recordCalls(key, frequent, MAX_ROWS + 1);
});

afterAll(() => pages.stop());

/** One call an hour, of which each third was refused. */
async function recordCalls(key: Key, { id }: User, calls: number): Promise<void> {
  await pages.database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status, error_code)
      select 'req_' || lpad(($4::integer * 10000 + n)::text, 26, '0'), timestamptz '2026-03-01 12:00Z' - n * interval '1 hour', $1, $2, $3,
        'GET /api/v1/assets', 3, case when n % 3 = 0 then 403 else 200 end, case when n % 3 = 0 then 'no_active_grant' end
      from generate_series(1, $4::integer) n`,
    values: [key.firmId, key.id, id, calls],
  });
}

/** The text of each page that the browser prints. */
async function printed(page: Page, options: Parameters<Page['pdf']>[0] = {}): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-print-'));
  try {
    const path = join(directory, 'page.pdf');
    await page.pdf({ path, preferCSSPageSize: true, ...options });
    const { stdout } = await run('pdftotext', ['-layout', path, '-']);
    return stdout.split('\f').slice(0, -1);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Elements whose content is wider than they are. */
const scrolledSideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('html, main, main *')]
      .filter((element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).display !== 'inline')
      .map((element) => `${element.tagName} ${element.className}`),
  );

/** The different ways in which the times in the table are broken into lines, with 0 for each number. */
const linesOfTimes = (page: Page): Promise<string[]> =>
  page.locator('td time').evaluateAll((times) => {
    const linesOf = (time: Element) => {
      const lines = new Map<number, string>();
      const texts = document.createTreeWalker(time, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        for (const [index, letter] of [...(text.nodeValue ?? '')].entries()) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          const { top, width } = range.getBoundingClientRect();
          if (width > 0) lines.set(Math.round(top), `${lines.get(Math.round(top)) ?? ''}${letter}`);
        }
      }
      return [...lines.values()].map((line) => line.trim()).join(' / ');
    };
    return [
      ...new Set(
        times.map((time) =>
          linesOf(time)
            .replace(/\d+/g, '0')
            .replace(/Feb|Mar/, 'month'),
        ),
      ),
    ];
  });

/** By their element, since finding thousands by their role takes seconds. */
const rows = (page: Page) => page.locator('#main tr');

const requestIds = (text: string) => text.match(/req_\d{10}/g) ?? [];

describe('the access record', () => {
  it('prints every call, with a heading, the period and page numbers, on the whole width of any sheet', async () => {
    const { page } = await pages.visitAs(client);
    await page.goto('/portal/record');
    await page.getByRole('link', { name: 'Print' }).click();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(CALLS + 1);
    const sheets = await printed(page);
    expect(sheets.length).toBeGreaterThan(5);
    expect(sheets.flatMap(requestIds)).toHaveLength(CALLS);
    const [first = ''] = sheets;
    expect(first).toContain('Access record');
    expect(first).toContain(`For ${client.name}, ${client.email}.`);
    expect(first).toMatch(/Period\s/);
    expect(first).toContain('10 Feb 2026 to');
    expect(first).toContain(String(CALLS));
    expect(first).toContain('300 allowed, 150 not');
    for (const [index, sheet] of sheets.entries()) {
      expect(sheet).toContain(`Page ${index + 1} of ${sheets.length}`);
      // The header of the table is repeated on every page.
      expect(sheet).toMatch(/When\s+By whom\s+What was read\s+Outcome\s+Request/);
      // The navigation is not printed.
      expect(sheet).not.toContain('Consent history');
    }
    const across = await printed(page, { format: 'A4', landscape: true, preferCSSPageSize: false });
    expect(across.length).toBeLessThan(sheets.length * 2);
    expect((await printed(page, { scale: 0.6 })).length).toBeLessThan(sheets.length);
  });

  it('prints only the calls that match its filters, and names the filters', async () => {
    const { page } = await pages.visitAs(client);
    await page.goto('/portal/record?outcome=refused&period=days&from=2026-02-20&to=2026-02-21');
    await page.getByRole('link', { name: 'Print' }).click();
    await page.getByRole('row').first().waitFor();
    const text = (await printed(page)).join('\n');
    expect(requestIds(text)).toHaveLength(16);
    expect(text).toContain('20 Feb 2026 to 21 Feb 2026');
    expect(text).toContain('calls that were refused');
    expect(text).toContain('It had no access.');
  });

  it('prints the newest of very many calls, and says so on the screen and on paper', async () => {
    const { page } = await pages.visitAs(frequent);
    await page.goto('/portal/record/statement');
    await page.getByText('These are the newest 5,000 calls').waitFor();
    await expect.poll(() => rows(page).count()).toBe(MAX_ROWS + 1);
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(2);
    await page.emulateMedia({ media: 'print' });
    const facts = (await page.getByRole('definition').allTextContents()).join('; ');
    // The 5,000 hours before noon of 1 March.
    expect(facts).toContain('5 Aug 2025 to');
    expect(facts).toContain('The newest 5,000; earlier ones are left out');
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(0);
  });

  it('names its filters in the words of clients, even if no call names the item', async () => {
    const [picture] = items;
    const { page } = await pages.visitAs(client);
    await page.goto(`/portal/record/statement?endpoint=GET+/api/v1/assets&outcome=allowed&item=${picture?.registryId}`);
    const only = page.getByRole('definition').last();
    await only.waitFor();
    expect(await only.textContent()).toBe(`calls that were allowed; the list of items; ${picture?.registryId}`);
    await page.goto('/portal/record/statement?outcome=limited');
    await page.getByText('calls over the limit', { exact: true }).waitFor();
  });

  it('breaks its times alike at any width; the page with the rows in view does not print as the record', async () => {
    const { page } = await pages.visitAs(client, { timezoneId: 'Asia/Kathmandu' });
    await page.goto('/portal/record');
    await page.getByRole('row').nth(5).waitFor();
    // Times below one another are read as columns: each breaks before its time of day, even if it fits on one line.
    for (let width = 1440; width >= 1200; width -= 40) {
      await page.setViewportSize({ width, height: 900 });
      // Rows that come into view at the new width are drawn a moment later.
      await expect.poll(async () => [width, await linesOfTimes(page)]).toEqual([width, ['0 month 0, / 0:0:0 GMT+0:0']]);
    }
    const text = (await printed(page)).join('\n');
    expect(text).toContain('This is not the record.');
    expect(text).not.toContain('Hartwell & Lyle');
  });

  it('is readable on any screen before it is printed', async () => {
    const { page } = await pages.visitAs(client);
    await page.goto('/portal/record/statement?period=days&from=2026-02-20&to=2026-02-21');
    await settled(page);
    expect(await faultsOnEveryScreen(page)).toEqual([]);
    for (const width of [1440, 1024, 961, 820, 768, 600, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await scrolledSideways(page)]).toEqual([width, []]);
    }
  });
});

describe('a grant', () => {
  it('prints for the client with its terms, every item and its steps, without preview and buttons', async () => {
    const { page } = await pages.visitAs(client);
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByText('and 4 more').waitFor();
    await settled(page);
    const text = (await printed(page)).join('\n');
    for (const words of ['Hartwell & Lyle', `For ${client.name}`, 'They see', 'Steps', 'Page 1 of'])
      expect(text).toContain(words);
    const named = items.filter(
      ({ registryId }, index) => text.includes(`Picture ${index + 1}`) || text.includes(registryId),
    );
    expect(named).toHaveLength(items.length);
    for (const words of ['Preview: what they see', 'Revoke', 'Change']) expect(text).not.toContain(words);
    await page.getByText('and 4 more').waitFor();
  });

  it('prints for the firm with its terms and history', async () => {
    const { page } = await pages.visitAs(member);
    await page.goto(`/portal/access/${grant.id}`);
    await settled(page);
    const text = (await printed(page)).join('\n');
    for (const words of [client.name, 'For Imogen Hartwell', '14 chosen items', 'History', 'Page 1 of'])
      expect(text).toContain(words);
    expect(text).not.toContain('Getting started');
  });
});

describe('the receipt of a step', () => {
  it.each([
    ['client', 'connected', () => client],
    ['firm', 'access', () => member],
  ] as const)('prints for the %s who opens its address, without links and buttons', async (_, folder, reader) => {
    const { page } = await pages.visitAs(reader());
    await page.goto(`/portal/${folder}/${grant.id}`);
    const address = await page.getByRole('link', { name: /^Receipt of/ }).getAttribute('href');
    await page.goto(address ?? '');
    await page.getByText('The signature is right').waitFor();
    const text = (await printed(page)).join('\n');
    for (const words of ['Hartwell & Lyle', `For ${reader().name}`, '14 chosen items', 'Signature', 'Page 1 of'])
      expect(text).toContain(words);
    for (const words of ['Download', 'Consent history', 'API keys', 'Skip to content'])
      expect(text).not.toContain(words);
  });
});

it('activity prints the names and the bars of its figures, without buttons', async () => {
  const path = `${pages.url}/api/v1/assets?client_id=${client.id}`;
  expect((await call(path, secret)).status).toBe(200);
  expect((await call(`${path}&page=0`, secret)).status).toBe(400);
  await recorded(pages.gateway, CALLS + 2, client.id);
  const { page } = await pages.visitAs(member);
  await page.goto('/portal/activity');
  const errors = page.getByRole('button', { name: 'calls with invalid_parameter' });
  await errors.waitFor();
  await settled(page);
  await page.emulateMedia({ media: 'print' });
  expect(await errors.isVisible()).toBe(true);
  const text = (await printed(page)).join('\n');
  for (const words of ['GET /assets', '200 OK', 'Page 1 of']) expect(text).toContain(words);
  // Browsers print no other backgrounds.
  const bar = page.locator('[data-outcome=ok]').first();
  expect(await bar.evaluate((part) => getComputedStyle(part).printColorAdjust)).toBe('exact');
  await page.goto('/portal/audit');
  await settled(page);
  expect((await printed(page)).join('\n')).not.toContain('NDJSON');
});

it('filters print as words, and only those that are set', async () => {
  const { page } = await pages.visitAs(member);
  await page.goto('/portal/activity?outcome=refused&day=2026-02-20&days=7');
  await settled(page);
  const text = (await printed(page)).join('\n');
  expect(text).toMatch(/Outcome: Refused +Day: [\d/]*2026/);
  expect(text).toMatch(/All keys +7 days/);
  for (const words of ['Request id:', 'Or its last characters', 'Endpoint:', 'Status:'])
    expect(text).not.toContain(words);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByLabel('Outcome').evaluate((field) => getComputedStyle(field).border)).toMatch(/^0px/);
  await page.goto('/portal/audit');
  await settled(page);
  expect((await printed(page)).join('\n')).not.toContain('About');
});

it('the link for clients prints in full, without the link back to the key', async () => {
  const [key] = await pages.database.query<{ id: string }>({ text: 'select id from api_keys' });
  const { page } = await pages.visitAs(member);
  await page.goto(`/portal/keys/${key?.id}/link`);
  await page.getByText('Read the code').waitFor();
  const text = (await printed(page)).join('\n');
  const link = `${pages.url}/portal/connect/${key?.id}?scopes=${SCOPES.join()}`;
  expect(text.replace(/\s/g, '')).toContain(link);
  expect(text).not.toMatch(/^\s*Key$/m);
});
