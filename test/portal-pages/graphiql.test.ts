// GraphiQL, into which tools' tokens are pasted, is the package's own: it works on a closed network and asks nobody else.

import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeServiceToken } from '#test/support/tools.ts';
import { type Pages, startPages } from './browser.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

/** The page in a browser that reaches the internal listener and nothing else, and all that the page asked for. */
async function open(): Promise<{ page: Page; asked: Request[]; faults: string[]; close: () => Promise<void> }> {
  const context = await pages.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(120_000);
  const { internalUrl } = pages.gateway;
  await context.route(
    (url) => url.protocol.startsWith('http') && url.origin !== internalUrl,
    (route) => route.abort(),
  );
  const page = await context.newPage();
  const asked: Request[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(request));
  page.on('pageerror', ({ message }) => faults.push(`thrown: ${message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|web worker/i.test(message.text())) faults.push(message.text());
  });
  await page.goto(`${internalUrl}/graphql`);
  await page.getByRole('button', { name: /Execute query/ }).waitFor();
  return { page, asked, faults, close: () => context.close() };
}

const run = (page: Page) =>
  Promise.all([
    page.waitForResponse((response) => response.request().postData()?.includes('limiterState') === true),
    page.getByRole('button', { name: /Execute query/ }).click(),
  ]).then(([response]) => response);

it('opens and loads without any other host, under a policy that lets none in', async () => {
  const { page, asked, faults, close } = await open();
  await page.locator('.graphiql-editor .view-lines').first().waitFor();
  const { origin } = new URL(page.url());
  await expect.poll(() => asked.some((request) => request.url().includes('graphql.worker'))).toBe(true);
  const elsewhere = asked.map((request) => request.url()).filter((url) => !/^(data:|blob:)/.test(url));
  expect(elsewhere.filter((url) => new URL(url).origin !== origin)).toEqual([]);
  expect(faults).toEqual([]);
  const blocked = await page.evaluate(async () => {
    const violation = new Promise<string>((tell) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => tell(effectiveDirective), { once: true });
    });
    await fetch('https://example.com/').catch(() => {});
    return violation;
  });
  expect(blocked).toBe('connect-src');
  await close();
});

it('sends its example headers as they stand, and answers once a token is in its place', async () => {
  const { page, close } = await open();
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
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  expect(kept).not.toContain(token);
  await close();
});
