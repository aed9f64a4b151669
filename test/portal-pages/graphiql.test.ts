// GraphiQL, into which tools' tokens are pasted, loads only from the gateway and works on a closed network.

import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeServiceToken } from '#test/support/tools.ts';
import { closeAtEnd } from './artefacts.ts';
import { type Pages, startPages } from './browser.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

/** Opens the page in a browser that can reach only the internal listener, and collects its requests. */
async function open(): Promise<{ page: Page; requests: Request[]; faults: string[] }> {
  const context = await pages.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(120_000);
  await closeAtEnd(context);
  const { internalUrl } = pages.gateway;
  await context.route(
    (url) => url.protocol.startsWith('http') && url.origin !== internalUrl,
    (route) => route.abort(),
  );
  const page = await context.newPage();
  const requests: Request[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request));
  page.on('pageerror', ({ message }) => faults.push(`thrown: ${message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|web worker/i.test(message.text())) faults.push(message.text());
  });
  await page.goto(`${internalUrl}/graphql`);
  await page.getByRole('button', { name: /Execute query/ }).waitFor();
  return { page, requests, faults };
}

const run = (page: Page) =>
  Promise.all([
    page.waitForResponse((response) => response.request().postData()?.includes('limiterState') === true),
    page.getByRole('button', { name: /Execute query/ }).click(),
  ]).then(([response]) => response);

it('GraphiQL loads from no other host, under a policy that blocks all others; a query succeeds with a token, which is not stored', async () => {
  const { page, requests, faults } = await open();
  await page.locator('.graphiql-editor .view-lines').first().waitFor();
  const { origin } = new URL(page.url());
  await expect.poll(() => requests.some((request) => request.url().includes('graphql.worker'))).toBe(true);
  const elsewhere = requests.map((request) => request.url()).filter((url) => !/^(data:|blob:)/.test(url));
  expect(elsewhere.filter((url) => new URL(url).origin !== origin)).toEqual([]);
  expect(faults).toEqual([]);
  const blocked = await page.evaluate(async () => {
    const violation = new Promise<string>((resolve) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective), {
        once: true,
      });
    });
    await fetch('https://example.com/').catch(() => {});
    return violation;
  });
  expect(blocked).toBe('connect-src');

  // With the example headers.
  const refused = await run(page);
  expect(refused.status()).toBe(401);
  expect(refused.request().headers().authorization).toBe('Bearer svc_token');

  const token = await makeServiceToken(pages.database, 'ops');
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines').click();
  const headers = JSON.stringify({ Authorization: `Bearer ${token}` });
  await page.evaluate((text) => navigator.clipboard.writeText(text), headers);
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+V');
  const answered = await run(page);
  expect(answered.status()).toBe(200);
  expect(await answered.json()).toEqual({ data: { limiterState: 'standalone' } });
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  expect(stored).not.toContain(token);
});
