// The client's access record: every call with its outcome, filters, downloads, and the consent history.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages, type Visit, violations } from './browser.ts';
import { type ConsentScene, makeConsent, scopes } from './consent-scene.ts';

let pages: Pages;
let scene: ConsentScene;

beforeAll(async () => {
  pages = await startPages();
  scene = await makeConsent(pages, 'Hartwell & Lyle');
  await scene.read('/assets');
  await makeGrant(pages.database, scene.key, scene.client, {
    scopes: scopes('registry', 'valuation'),
    filter: { type: 'items', items: [scene.items.watch.registryId] },
  });
  await scene.read('/assets');
  await scene.read(`/assets/${scene.items.watch.registryId}/valuations`);
  await scene.read(`/assets/${scene.items.picture.registryId}`);
  await recorded(pages.gateway, 4, scene.client.id);
});

afterAll(() => pages.stop());

const rows = ({ page }: Visit) => page.getByRole('table', { name: 'Access record' }).locator('tbody tr');

async function texts(visit: Visit, count: number): Promise<string[]> {
  await expect.poll(() => rows(visit).count()).toBe(count);
  return rows(visit).allTextContents();
}

describe('the record', () => {
  it('says of a response without any item that it carried none, and not what the key may read', async () => {
    const other = await makeConsent(pages, 'Lyle & Sons');
    await makeGrant(pages.database, other.key, other.client, { scopes: scopes('registry', 'valuation') });
    await other.read('/assets?category=MI');
    await recorded(pages.gateway, 1, other.client.id);
    const visit = await pages.visitAs(other.client);
    for (const path of ['/portal/record', '/portal/record/statement']) {
      await visit.page.goto(path);
      await visit.page.getByText('Nothing of yours was in the answer').waitFor();
      const words = await visit.page.locator('tbody tr').first().textContent();
      expect(words).toContain('Allowed');
      expect(words).not.toContain('What you own');
    }
  });

  it('lists every call, newest first, with item, firm, and the reason of a refusal, and reports whether its id was copied', async () => {
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    await page.goto('/portal/record');
    const [picture, valuations, list, before] = await texts(visit, 4);
    for (const row of [picture, valuations, list, before]) expect(row).toContain('Hartwell & Lyle');
    expect(picture).toContain('Study of a horse');
    expect(picture).toContain('The item was not among those that it was given to see.');
    expect(valuations).toContain('Valuations of an item');
    expect(list).toContain('What you own and what it is worth');
    expect(before).toContain('It had no access.');

    const copy = rows(visit).first().getByRole('button', { name: 'Copy request id' });
    await copy.click();
    await page.getByRole('status').getByText('Copied request id').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^req_/);
    // As on a page served without TLS.
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
    await page.reload();
    await copy.click();
    await page.getByText(/^This browser did not copy the request id req_\w{26}\. /).waitFor();
    expect(await page.getByText('Copied request id').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('reads on after a short or an empty page that has a next one, up to the end of the record', async () => {
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    let asked = 0;
    let parts: unknown[][] = [];
    await page.route('**/portal/graphql', async (route) => {
      if (route.request().postDataJSON().operation !== 'AccessRecord') return route.continue();
      const number = asked++;
      if (number === 0) {
        const { nodes } = (await (await route.fetch()).json()).data;
        parts = [[], nodes.slice(0, 1), [], nodes.slice(1)];
      }
      const nextCursor = number + 1 < parts.length ? `${number}` : null;
      return route.fulfill({ json: { data: { nodes: parts[number], nextCursor } } });
    });
    await page.goto('/portal/record');
    await texts(visit, 4);
    await page.getByText('The end of the record.').waitFor();
    expect(asked).toBe(4);
    expect(visit.faults).toEqual([]);
  });

  it('reports a last day before the first', async () => {
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/record?period=days&from=2026-02-20&to=2026-02-21');
    await page.getByText('Nothing on record matches these filters.').waitFor();
    await page.getByLabel('Last day').fill('2026-02-19');
    await page.getByText('This is before the first day.').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('is filtered by firm, key, outcome, endpoint, item and time, as are its downloads and its URL', async () => {
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    await page.goto('/portal/record');
    await texts(visit, 4);
    await page.getByLabel('Outcome').selectOption('refused');
    expect((await texts(visit, 2)).join()).not.toContain('Valuations');
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(csv.suggestedFilename()).toMatch(/^portico-access-record-.*\.csv$/);
    const lines = (await textOf(csv)).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    const [json] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download JSON' }).click(),
    ]);
    const entries = JSON.parse(await textOf(json));
    expect(entries.map((entry: { error_code: string }) => entry.error_code)).toEqual([
      'asset_not_in_grant',
      'no_active_grant',
    ]);
    await page.getByRole('combobox', { name: 'Item' }).fill('horse');
    await page.getByRole('option', { name: 'Study of a horse' }).click();
    await texts(visit, 1);
    await page.reload();
    await texts(visit, 1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await texts(visit, 4);
    await page.getByLabel('What was read').selectOption({ label: 'Valuations of an item' });
    await texts(visit, 1);
    await page.getByLabel('What was read').selectOption({ label: 'Anything' });
    await page.getByLabel('Firm or key').selectOption({ label: '\u2068Hartwell & Lyle\u2069: all keys' });
    await texts(visit, 4);
    await page.getByLabel('When').selectOption({ label: 'Last 24 hours' });
    await texts(visit, 4);
    await page.getByLabel('When').selectOption({ label: 'Between days…' });
    await page.getByLabel('Last day').fill('2020-01-01');
    await page.getByText('No call matches').waitFor();
    expect(await page.getByLabel('Last day').getAttribute('max')).toBe('9999-12-31');
    // An invalid day filters nothing.
    for (const days of ['from=garbage&to=2026-13-45', 'to=12026-01-01']) {
      await page.goto(`/portal/record?period=days&${days}`);
      await texts(visit, 4);
    }
    expect(visit.faults).toEqual([]);
  });

  it('says who has seen an item, from the items in each response, and lists the items of a response', async () => {
    const own = await makeConsent(pages, 'Exactly');
    await makeGrant(pages.database, own.key, own.client, {
      scopes: scopes('registry', 'valuation'),
      filter: { type: 'all' },
    });
    const { headers } = await own.read('/assets?page_size=2&include=valuations');
    expect(headers.get('etag')).not.toBeNull();
    await own.read('/assets?page_size=2&page=2');
    await own.read('/portfolio/summary');
    await recorded(pages.gateway, 3, own.client.id);
    // A call that was recorded before items were.
    await pages.database.query({
      text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
        values ($1, now() - interval '1 second', $2, $3, $4, 'GET /api/v1/assets', 3, 200)`,
      values: [newId('request'), own.key.firmId, own.key.id, own.client.id],
    });
    const visit = await pages.visitAs(own.client);
    const { page } = visit;
    await page.goto(`/portal/record?item=${own.items.picture.registryId}`);
    const found = await texts(visit, 3);
    expect(found.map((row) => /1 item|Totals|Not all of its items/.exec(row)?.[0]).sort()).toEqual([
      ...['1 item', 'Not all of its items', 'Totals'],
    ]);
    await page.getByText('Calls that named this item, or whose answers carried it').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`/portal/record?item=${own.items.watch.registryId}`);
    await texts(visit, 3);
    await page.getByRole('button', { name: '2 items' }).click();
    const dialog = page.getByRole('dialog', { name: 'What was read' });
    await dialog.getByText(/^By .*, Key, \d+ \w+ \d{4}/).waitFor();
    await dialog.getByText('What you own and what it is worth').waitFor();
    await dialog.getByText('With valuations').waitFor();
    await expect
      .poll(() => dialog.getByRole('listitem').allTextContents())
      .toEqual([`Calatrava 96 ${own.items.watch.registryId}`, `Chronograph 3448 ${own.items.chronograph.registryId}`]);
    expect(await dialog.textContent()).not.toContain('of the API');
    expect(await violations(page)).toEqual([]);
    // The printed record says the same of each call.
    await page.goto('/portal/record/statement');
    const printed = await texts(visit, 4);
    expect(printed.map((row) => /\d items?|Totals|Not all of its items/.exec(row)?.[0]).sort()).toEqual([
      ...['1 item', '2 items', 'Not all of its items', 'Totals'],
    ]);
  });

  it('contains a new call once the page is read again', async () => {
    const own = await makeConsent(pages, 'Once more');
    await own.read('/assets');
    await recorded(pages.gateway, 1, own.client.id);
    const visit = await pages.visitAs(own.client);
    await visit.page.goto('/portal/record');
    await texts(visit, 1);
    await own.read('/portfolio/summary');
    await recorded(pages.gateway, 2, own.client.id);
    await visit.page.getByRole('button', { name: 'Refresh' }).click();
    expect((await texts(visit, 2))[0]).toContain('The portfolio summary');
  });

  it('says that it is empty if there was no call', async () => {
    const visit = await pages.visitAs(await makeClient(pages.database));
    await visit.page.goto('/portal/record');
    await visit.page.getByText('Nobody has called yet').waitFor();
  });
});

async function textOf(download: { createReadStream(): Promise<NodeJS.ReadableStream> }): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

describe('a record of 2,000 calls', () => {
  it('is scrolled to its end by keyboard, with few rows in the document', async () => {
    const { database } = pages;
    const key = await makeKey(database, await makeFirm(database, { name: 'Often' }));
    const client = await makeClient(database);
    await database.query({
      text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
        select 'req_' || lpad($4::text || n::text, 26, '0'), now() - n * interval '1 minute', $1, $2, $3, 'GET /api/v1/assets', 3, 200
        from generate_series(1, 2000) n`,
      values: [key.firmId, key.id, client.id, Date.now() % 1_000_000],
    });
    const visit = await pages.visitAs(client);
    const { page } = visit;
    await page.goto('/portal/record');
    await rows(visit).first().waitFor();
    const end = page.getByText('The end of the record.');
    const atEnd = async () => {
      await page.keyboard.press('End');
      return end.count();
    };
    await expect.poll(atEnd, { timeout: 300_000 }).toBe(1);
    expect(await rows(visit).count()).toBeLessThan(60);
    const lowest = async () => {
      await page.keyboard.press('End');
      return rows(visit).last().getAttribute('aria-rowindex');
    };
    await expect.poll(lowest).toBe('2001');
  });
});

describe('the consent history', () => {
  it('lists every step of every grant, newest first, with its author', async () => {
    const told = await makeConsent(pages, 'Storied');
    const request = await told.ask({ expiresAt: '2031-03-04T12:00:00.000Z' });
    const visit = await pages.visitAs(told.client);
    const { page } = visit;
    await page.goto(`/portal/connected/${request.id}`);
    await page.getByRole('checkbox', { name: 'Where it is kept' }).uncheck();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.getByRole('button', { name: 'Revoke the access of Storied, Key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('Its key “Key” sees nothing through this.').waitFor();
    await page.getByRole('link', { name: 'Consent history' }).click();
    await page.getByRole('heading', { level: 1, name: 'Consent history' }).waitFor();
    const steps = page.locator('ol > li');
    await expect.poll(() => steps.count()).toBe(3);
    const [revoked, approved, asked] = await steps.allTextContents();
    expect(revoked).toContain('You revoked the access of Storied');
    expect(approved).toContain('You approved the request of Storied');
    expect(approved).toContain('What you own and what it is worth');
    expect(asked).toContain('Imogen Hartwell of Storied asked for access');
    expect(asked).toContain('Until 4 Mar 2031');
    expect(asked).toContain('The insurance renewal in March');
    await page.goto(`/portal/history?firm=${scene.firm.id}`);
    await page.getByRole('heading', { name: 'Nothing matches this filter' }).waitFor();
    await page.locator('#main').getByRole('button', { name: 'Clear filters' }).last().click();
    await expect.poll(() => steps.count()).toBe(3);
    // With one firm there is no filter.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });
});
