// A firm's member acts for a test client in the portal, with effect on the next call of the API.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Firm } from '#repositories/firms.ts';
import { changeGrant } from '#repositories/grants/grants.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, type Key, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { overflow, type Pages, PHONE, settled, smallTargets, startPages, type Visit, violations } from './browser.ts';
import { countClicks } from './clicks.ts';

let pages: Pages;
let firm: Firm;
let key: Key;
let visit: Visit;
let clientId: string;
let name: string;

beforeAll(async () => {
  pages = await startPages({ env: { MAX_TEST_CLIENTS_PER_FIRM: '2' } });
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  key = await makeKey(pages.database, firm, { environment: 'sandbox' });
  visit = await pages.visitAs(await makeMember(pages.gateway, firm, 'Imogen Hartwell'));
});
afterAll(() => pages.stop());

/** The focus does not get lost with the button that had it. */
const atTitle = () => expect.poll(() => visit.page.evaluate(() => document.activeElement?.tagName)).toBe('H1');

const assets = () => call(`${pages.url}/api/v1/assets?client_id=${clientId}`, key.secret);
const code = async () => (await assets()).body.error?.code ?? null;

async function newest(): Promise<{ id: string; name: string }> {
  const text = 'select id, name from users where test_firm_id = $1 order by created_at desc limit 1';
  const [client] = await pages.database.query<{ id: string; name: string }>({ text, values: [firm.id] });
  return client ?? { id: '', name: '' };
}

it('a member creates a test client with one click, and asks it for access', async () => {
  const { page } = visit;
  await page.goto('/portal/sandbox');
  await page.getByText('No test clients yet').waitFor();
  await page.getByRole('button', { name: 'Create a test client' }).click();
  await page.getByRole('button', { name: 'Ask for access with “Key”' }).click();
  await page.getByRole('button', { name: 'Approve as the test client' }).waitFor();
  ({ id: clientId, name } = await newest());
  expect(name).toMatch(/ \(test client\)$/);
  await page.getByRole('region', { name }).getByText('40 items').waitFor();
  expect(await code()).toBe('no_active_grant');
  expect(await violations(page)).toEqual([]);
});

it('a member approves, expires and revokes with one click each, and narrows with two', async () => {
  const { page } = visit;
  const clicks = await countClicks(page);
  await page.reload();
  await page.getByRole('button', { name: 'Approve as the test client' }).click();
  await page.getByText('Approved. The key reads from now on.').waitFor();
  await atTitle();
  expect((await assets()).body.pagination.total_items).toBe(40);
  expect(clicks()).toBe(1);

  await page.getByRole('button', { name: 'Narrow' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Narrow' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Narrow' }).click();
  await page.getByText('Narrowed. The next call shows less.').waitFor();
  expect(clicks()).toBe(3);
  const [item] = (await assets()).body.data;
  expect(Object.keys(item)).toContain('title');
  expect(Object.keys(item)).not.toContain('market_value');

  await page.getByRole('button', { name: 'Let it expire' }).click();
  await page.getByText('Expired. The next call is refused.').waitFor();
  await atTitle();
  expect(await code()).toBe('grant_expired');
  expect(clicks()).toBe(4);

  await page.getByRole('button', { name: 'Ask for access with “Key”' }).click();
  await page.getByRole('button', { name: 'Approve as the test client' }).click();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked. The next call is refused.').waitFor();
  expect(await code()).toBe('grant_revoked');
  expect(visit.faults).toEqual([]);
});

it('a request withdrawn on its own page is no longer offered for approval among the test clients', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: 'Ask for access with “Key”' }).click();
  const approve = page.getByRole('button', { name: 'Approve as the test client' });
  await approve.waitFor();
  const grants = page.getByRole('list', { name: `Grants of ${name}` });
  await grants.getByRole('link', { name: 'Key' }).first().click();
  await page.getByRole('button', { name: 'Withdraw request' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw request' }).click();
  await page.getByText('The request is withdrawn.').waitFor();
  // Within the time for which a cached response counts as current.
  await page.getByRole('link', { name: 'Sandbox', exact: true }).first().click();
  await grants.getByText('Withdrawn').waitFor();
  expect(await approve.count()).toBe(0);
});

it('the page of a grant marks the test client, names who acted for it, and offers its steps', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: 'Ask for access with “Key”' }).click();
  await page.getByRole('button', { name: 'Approve as the test client' }).waitFor();
  await page
    .getByRole('list', { name: `Grants of ${name}` })
    .getByRole('link', { name: 'Key' })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByText('Test client', { exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'As the test client' })
    .getByRole('button', { name: 'Approve as the test client' })
    .click();
  await page
    .getByRole('region', { name: 'History' })
    .getByText('Approved by Imogen Hartwell for the test client')
    .waitFor();
  expect((await assets()).status).toBe(200);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Access', exact: true }).first().click();
  await page.getByRole('table').getByText('Test client', { exact: true }).first().waitFor();
});

it('narrowing the scopes of a grant leaves its items as they are: single ones, a category or a collection', async () => {
  const { page } = visit;
  const read = async (text: string) => (await pages.database.query<{ id: string }>({ text, values: [clientId] })).at(0);
  const grant = await read(`select id from grants where client_id = $1 and status = 'active'`);
  const collection = await read('select id from collections where client_id = $1 order by id limit 1');
  const named = (await assets()).body.data.slice(0, 2) as { registry_id: string }[];
  const items = named.map((item) => item.registry_id);
  const total = async () => (await assets()).body.pagination.total_items;
  for (const filter of [
    { type: 'items', items },
    { type: 'category', categories: [items[0]?.split('-')[1] ?? ''] },
    { type: 'collection', collection: collection?.id ?? '' },
  ] satisfies AssetFilter[]) {
    await changeGrant(pages.database, grant?.id ?? '', { filter }, { kind: 'client', id: clientId });
    const before = await total();
    expect(before).toBeLessThan(40);
    await page.goto('/portal/sandbox');
    await page.getByRole('button', { name: 'Narrow' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Narrow' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Narrow' }).click();
    await page.getByText('Narrowed. The next call shows less.').waitFor();
    expect(await total()).toBe(before);
  }
  // The empty field stands for the present items only until others are named.
  await page.getByRole('button', { name: 'Narrow' }).click();
  await page.getByRole('radio', { name: 'Certain items' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Narrow' }).click();
  await page.getByText('Name at least one item.').waitFor();
  await page.getByLabel('Registry ids').fill(items[0] ?? '');
  await page.getByRole('dialog').getByRole('button', { name: 'Narrow' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await total()).toBe(1);
});

it('a firm has at most as many as the installation allows, and deletes one after a confirmation', async () => {
  const { page } = visit;
  await page.goto('/portal/sandbox');
  await page.getByRole('button', { name: 'Create a test client' }).click();
  await page.getByText('Your firm has all of 2 test clients').waitFor();
  expect(await page.getByRole('button', { name: 'Create a test client' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete test client' }).click();
  await page.getByText(`${name} is deleted.`).waitFor();
  await page.getByRole('region', { name }).waitFor({ state: 'detached' });
  await atTitle();
  expect(await code()).toBe('grant_revoked');
  expect(await page.getByRole('button', { name: 'Create a test client' }).isEnabled()).toBe(true);
});

it('Getting started tries the first call, and explains a refusal and a missing response', async () => {
  const { page } = visit;
  await page.goto('/portal/start');
  await page.getByRole('button', { name: /^Ask .*test client/ }).click();
  await page.getByRole('button', { name: 'Approve as the test client' }).click();
  await page.getByText('To try it from this page, enter the secret of the key above').waitFor();
  await page.getByLabel('Its secret', { exact: true }).fill(key.secret);
  const tryIt = page.getByRole('button', { name: 'Try it' });
  await tryIt.click();
  await page.getByText('Answered').waitFor();
  await page.getByLabel('Its secret', { exact: true }).fill(`${key.secret}x`);
  await tryIt.click();
  await page.getByText('Check which secret the system sends').waitFor();
  await page.route('**/api/v1/assets*', (route) => route.abort());
  await tryIt.click();
  await page.getByText('The API does not answer at the address of this page').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unroute('**/api/v1/assets*');
});

it('a test client whose response was lost is found, and a repeated request creates no second one', async () => {
  const { page } = visit;
  await makeKey(pages.database, firm, { environment: 'sandbox' });
  await page.goto('/portal/sandbox');
  const text = 'select from users where test_firm_id = $1 and deleted_at is null';
  const count = async () => (await pages.database.query({ text, values: [firm.id] })).length;
  expect(await count()).toBe(1);
  const answers: string[] = [];
  await page.route('**/portal/graphql', async (route) => {
    if (!route.request().postData()?.includes('"CreateTestClient"')) return route.continue();
    for (const _twice of [1, 2]) answers.push(await (await route.fetch()).text());
    return route.abort();
  });
  await page.getByRole('button', { name: 'Create a test client' }).click();
  await page
    .getByText(/ \(test client\) was created, with 40 items\./)
    .locator('bdi')
    .waitFor();
  expect(await count()).toBe(2);
  expect(answers).toEqual([expect.stringContaining('"itemCount":40'), expect.stringContaining('already_exists')]);
  await page.unroute('**/portal/graphql');
  // In one line with a field that has its label above, link and button are level.
  const made = page.getByRole('region', { name: (await newest()).name });
  const heightOf = async (role: 'button' | 'link', named: string) => {
    const box = await made.getByRole(role, { name: named, exact: true }).boundingBox();
    return box === null ? null : Math.round(box.y + box.height / 2);
  };
  expect(await heightOf('link', 'Ask for less')).toBe(await heightOf('button', 'Ask for access'));
});

it('tells of grants that are not among the newest 20 of a test client, offers no key with such a grant, and leads to them', async () => {
  const { page } = visit;
  const client = await newest();
  const [old] = [
    await makeKey(pages.database, firm, { environment: 'sandbox', name: 'With an old grant' }),
    await makeKey(pages.database, firm, { environment: 'sandbox', name: 'Without a grant' }),
  ];
  await makeGrant(pages.database, old, client);
  for (let made = 0; made < 21; made += 1) {
    const other = await makeKey(pages.database, firm, { environment: 'sandbox' });
    await makeGrant(pages.database, other, client);
  }
  await page.goto('/portal/sandbox');
  const section = page.getByRole('region', { name: client.name });
  await section.getByText(/^The newest 20 of 2\d are shown here/).waitFor();
  const offered = section.getByRole('option');
  await expect.poll(() => offered.allTextContents()).toContainEqual(expect.stringContaining('Without a grant'));
  expect(await offered.allTextContents()).not.toContainEqual(expect.stringContaining('With an old grant'));
  await section.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Client' }).inputValue()).toBe(client.name);
  await page.getByRole('rowheader').nth(20).waitFor();
});

it('the page fits a phone', async () => {
  const { context } = visit;
  const page = await context.newPage();
  await page.setViewportSize(PHONE);
  await page.goto('/portal/sandbox');
  await settled(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await smallTargets(page)).toEqual([]);
  for (const link of await page.getByRole('link', { name: /^(Key|Ask for less)$/ }).all())
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
});
