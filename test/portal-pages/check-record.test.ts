// A client checks their access record against the log in the browser, which finds calls that were changed or removed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appended } from '#test/support/appended.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeGrant } from '#test/support/scenario.ts';
import { type Look, type Pages, startPages, type Visit, violations } from './browser.ts';
import { type ConsentScene, makeConsent, scopes } from './consent-scene.ts';

let pages: Pages;
let scene: ConsentScene;

beforeAll(async () => {
  pages = await startPages();
  scene = await makeConsent(pages, 'Hartwell & Lyle');
  await makeGrant(pages.database, scene.key, scene.client, {
    scopes: scopes('registry', 'valuation'),
    filter: { type: 'all' },
  });
  for (let count = 0; count < 4; count++) await scene.read('/assets');
  await recorded(pages.gateway, 4, scene.client.id);
  await appended(pages.database);
});

afterAll(() => pages.stop());

async function checkRecord({ page }: Visit): Promise<string> {
  await page.getByRole('button', { name: 'Check this record' }).click();
  const result = page.getByRole('status').filter({ hasText: /match|checked/ });
  await result.waitFor();
  return (await result.textContent()) ?? '';
}

async function visitRecord(look?: Look): Promise<Visit> {
  const visit = await pages.visitAs(scene.client, look);
  await visit.page.goto('/portal/record');
  await visit.page.getByRole('table', { name: 'Access record' }).waitFor();
  return visit;
}

describe('“Check this record”', () => {
  it('reports that the calls that were read match, and that the log still begins as this browser saw it', async () => {
    const visit = await visitRecord();
    const first = await checkRecord(visit);
    expect(first).toContain('This record matches the log');
    expect(first).toMatch(/\d entries are in the log as recorded, and none is missing\./);
    expect(first).not.toContain('as this browser saw it');
    expect(await violations(visit.page)).toEqual([]);
    // It is not shown as the result for calls that were read after it.
    await visit.page.getByRole('button', { name: 'Refresh' }).click();
    await visit.page.getByText('This record matches the log').waitFor({ state: 'detached' });
    expect(await checkRecord(visit)).toContain('This record matches the log');
    await visit.page.reload();
    expect(await checkRecord(visit)).toContain('The log still begins as this browser saw it');
    const [download] = await Promise.all([
      visit.page.waitForEvent('download'),
      visit.page.getByRole('link', { name: 'Download proof' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^portico-ledger-[\d-]+\.ndjson$/);
    expect(visit.faults).toEqual([]);
  });

  it('does not say why earlier calls are missing, which the log cannot tell', async () => {
    await pages.database.query({ text: 'create table kept as select * from access_calls' });
    const text = 'delete from access_calls where id = (select min(id::text)::uuid from access_calls)';
    await pages.database.query({ text });
    const visit = await visitRecord();
    const result = await checkRecord(visit);
    expect(result).toMatch(/\d entries are in the log as recorded, and none is missing from entry \d on\./);
    expect(result).toContain('Earlier calls were not sent: they are past their retention, or were left out.');
    await pages.database.query({ text: 'truncate access_calls' });
    await pages.database.query({ text: 'insert into access_calls select * from kept' });
    await pages.database.query({ text: 'drop table kept' });
  });

  it('writes numbers in Latin digits, like the rest of the page, in an Arabic locale too', async () => {
    const visit = await visitRecord({ locale: 'ar-EG' });
    const result = await checkRecord(visit);
    expect(result).toMatch(/\d entries are in the log as recorded/);
    expect(result).toMatch(/against a log of \d+ entries\./);
  });

  it.each([
    [
      'a call that was changed',
      'update access_calls set status = 404 where status = 200 and entry > 0 and id = (select max(id::text)::uuid from access_calls)',
      'does not match the log',
    ],
    [
      'a call that was removed',
      'delete from access_calls where id = (select max(id::text)::uuid from access_calls)',
      'is missing',
    ],
  ])('reports %s', async (_name, statement, finding) => {
    await pages.database.query({ text: 'create table kept as select * from access_calls' });
    await pages.database.query({ text: statement });
    const visit = await visitRecord();
    const result = await checkRecord(visit);
    expect(result).toContain('This record does not match the log');
    expect(result).toContain(finding);
    expect(await violations(visit.page)).toEqual([]);
    await pages.database.query({ text: 'truncate access_calls' });
    await pages.database.query({ text: 'insert into access_calls select * from kept' });
    await pages.database.query({ text: 'drop table kept' });
  });
});
