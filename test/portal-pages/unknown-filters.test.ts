// Guarantee: a page whose address has an unknown value of a filter shows the same as without it, in its fields as in its
// list.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, settled, startPages } from './browser.ts';

let pages: Pages;
const users: Record<string, User> = {};

beforeAll(async () => {
  pages = await startPages();
  const { database, gateway } = pages;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  await call(`${pages.url}/api/v1/assets?client_id=${client.id}`, key.secret);
  const email = `olga-${newId('user').toLowerCase()}@example.com`;
  Object.assign(users, {
    client,
    member: await makeMember(gateway, firm),
    operator: await createUser(database, { role: 'ops', email, name: 'Olga Operator' }),
  });
});

afterAll(() => pages.stop());

/** The values of the page's fields, its buttons, the numbers of rows of its tables, and what it read of the server. */
async function shown(page: Page, path: string) {
  const reads = new Map<string, unknown>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/portal/graphql')) return;
    const { operation, variables } = request.postDataJSON();
    if (operation !== 'NoteTimeZone') reads.set(operation, variables);
  });
  await page.goto(`/portal${path}`);
  await page.locator('search').first().waitFor();
  await settled(page);
  page.removeAllListeners('request');
  const main = page.locator('#main');
  return {
    fields: await main.locator('select, input').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
    buttons: await main.locator('search').getByRole('button').allTextContents(),
    rows: await main.getByRole('table').evaluateAll((all) => all.map((one) => (one as HTMLTableElement).rows.length)),
    reads: Object.fromEntries([...reads].sort()),
  };
}

it.each([
  ['member', '/keys', ['status=nonsense&environment=nonsense', 'status=']],
  ['member', '/activity', ['days=45&status=nonsense&outcome=nonsense', 'day=nonsense', 'day=2026-02-30']],
  ['member', '/audit', ['group=nonsense']],
  [
    'client',
    '/record',
    ['who=nonsense&outcome=nonsense&endpoint=nonsense&period=nonsense&from=2020-01-01&to=2020-01-02'],
  ],
  ['operator', '/limits', ['tier=nonsense&of=nonsense&span=nonsense']],
  ['operator', '/limits/what-if', ['tier=nonsense']],
])('%s at %s', async (who, path, queries) => {
  const { page } = await pages.visitAs(users[who] as User);
  const without = await shown(page, path);
  for (const query of queries) expect(await shown(page, `${path}?${query}`), query).toEqual(without);
});
