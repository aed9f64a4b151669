// The pages stay light: how much a first visit loads, and how much a long list puts on the page.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { createKey } from '#repositories/keys/keys.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { overflow, type Pages, startPages } from './browser.ts';

const BUDGET = 300_000;

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

describe('the first visit', () => {
  it('loads less than 300 kB, compressed, up to the sign-in and on to the first page behind it', async () => {
    const member = await makeMember(pages.gateway, await makeFirm(pages.database));
    await pages.givePassword(member);
    const { page, context, faults } = await pages.visit();
    let loaded = 0;
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      loaded += encodedDataLength;
    });
    await page.goto('/portal/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(loaded).toBeGreaterThan(100_000);
    expect(loaded).toBeLessThan(BUDGET);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('500 keys', () => {
  it('are all there, with a name longer than any column, but only those in sight are on the page', async () => {
    const firm = await makeFirm(pages.database);
    const member = await makeMember(pages.gateway, firm);
    for (let n = 1; n <= 500; n += 1) {
      const { text: _text, ...secret } = makeKeySecret('production');
      const name = n === 499 ? `Integration ${'with a very long name '.repeat(8)}` : `Integration ${n}`;
      const wanted = { firmId: firm.id, name, environment: 'production', scopes: ALL_SCOPES, expiresAt: null } as const;
      await createKey(pages.database, { ...wanted, secret }, { kind: 'firm_member', id: member.id }, 500);
    }
    const { page, context } = await pages.visitAs(member);
    await page.goto('/portal/keys');
    const table = page.getByRole('table', { name: 'API keys' });
    await table.getByRole('link', { name: 'Integration 500' }).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('501');
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const last = table.getByRole('link', { name: 'Integration 1', exact: true });
    // Rows are measured as they are seen: the end moves until it has been.
    await expect.poll(() => page.keyboard.press('End').then(() => last.isVisible())).toBe(true);
    await page.getByLabel('Name or last four').fill('Integration 25');
    await expect.poll(() => table.getByRole('row').count()).toBe(12);
    await context.close();
  }, 60_000);
});
