// The API reference in a browser: search, copying, the language of the examples, the colour scheme shared with the
// portal, and the content without JavaScript.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMember, recorded } from '#test/support/portal-scene.ts';
import { call, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import {
  DESKTOP,
  lowContrasts,
  overflow,
  type Pages,
  PHONE,
  smallTargets,
  startPages,
  TABLET,
  violations,
} from './browser.ts';

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search the reference' });

describe('the reference', () => {
  it('has no accessibility faults on any screen in light and dark colours, and shows the heading of a link on a narrow one', async () => {
    const { page, faults } = await pages.visit();
    await page.goto('/docs');
    for (const screen of [DESKTOP, TABLET, PHONE]) {
      await page.setViewportSize(screen);
      await field(page).fill('market');
      await page.getByRole('button', { name: 'market_value', exact: false }).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await lowContrasts(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      await field(page).press('Escape');
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    }
    expect(await smallTargets(page)).toEqual([]);

    await page.setViewportSize({ width: 320, height: 640 });
    await field(page).fill('');
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('link', { name: 'List assets GET' }).click();
    const seen = () =>
      page.getByRole('heading', { name: 'List assets' }).evaluate((heading) => {
        const { left, top, height } = heading.getBoundingClientRect();
        return heading.contains(document.elementFromPoint(left + 5, top + height / 2));
      });
    await expect.poll(seen).toBe(true);
    expect(faults).toEqual([]);
  });

  it('searches endpoints, fields, errors and words, and opens results by keyboard', async () => {
    const { page } = await pages.visit();
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('no_active');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/#error-no_active_grant$/);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('error-no_active_grant');

    // A collapsed field is expanded.
    await field(page).fill('tamper_state');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^\s*tamper_state/);
    await expect.poll(() => page.locator(':focus').isVisible()).toBe(true);

    await field(page).fill('replace the copy');
    await page.getByRole('button', { name: 'Delta sync' }).click();
    await expect.poll(() => page.url()).toMatch(/#delta-sync$/);

    await field(page).fill('no such thing at all');
    await page.getByText('Nothing found.').waitFor();
  });

  it('copies an example with the URL of this deployment, and shows all in the chosen language, also after a reload', async () => {
    const { page } = await pages.visit();
    await page.goto('/docs#ListAssets');
    await page.locator('.code', { hasText: 'export BASE_URL' }).getByRole('button', { name: 'Copy' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied\.$/ })
      .waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`export BASE_URL="${pages.url}"`);
    const shown = () =>
      page
        .locator('.sample')
        .evaluateAll((samples) => [
          ...new Set(
            samples.filter((one) => one.checkVisibility()).map((one) => (one as HTMLElement).dataset.language),
          ),
        ]);
    expect(await shown()).toEqual(['Shell']);
    await page.locator('#ListAssets').getByRole('button', { name: 'Python' }).click();
    expect(await shown()).toEqual(['Python']);
    await page.reload();
    expect(await shown()).toEqual(['Python']);
    await expect
      .poll(() => page.locator('#GetAsset').getByRole('button', { pressed: true }).textContent())
      .toBe('Python');
  });

  it('shares its colour scheme with the portal', async () => {
    const { page } = await pages.visit({ scheme: 'light' });
    await page.goto('/portal/sign-in');
    await page.evaluate(() => localStorage.setItem('portico-color-scheme', 'dark'));
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto('/portal/sign-in');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    const portal = await background();
    await page.goto('/docs');
    expect(await background()).toBe(portal);
    await page.getByRole('button', { name: 'Use light colours' }).click();
    await page.goto('/portal/sign-in');
    await page.locator('html[data-mantine-color-scheme=light]').waitFor();
  });

  it('shows its whole content without JavaScript', async () => {
    const context = await pages.browser.newContext({ baseURL: pages.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/docs');
    for (const language of ['curl', 'TypeScript', 'Python'])
      expect(await page.locator('#ListAssets .sample h5', { hasText: language }).isVisible()).toBe(true);
    expect(await page.locator('#ListAssets .sample pre').count()).toBe(3);
  });
});

it('explains the error that a link on Activity names', async () => {
  const { database } = pages;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  await call(`${pages.url}/api/v1/assets?client_id=${client.id}&page=0`, key.secret);
  await recorded(pages.gateway, 1, client.id);
  const { page } = await pages.visitAs(await makeMember(pages.gateway, firm));
  await page.goto('/portal/activity');
  await page.getByRole('link', { name: 'invalid_parameter' }).click();
  await page.getByRole('heading', { name: 'invalid_parameter' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#error-invalid_parameter');
});
