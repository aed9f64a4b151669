// A key's settings, which a firm's member changes in the portal with effect on the next call of the API.

import type { Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import type { User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { listKeyEvents } from '#test/support/recorded.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages, type Visit, violations } from './browser.ts';

let pages: Pages;
let member: User;
let client: User;
let firm: Firm;
let key: Key;
let visit: Visit;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  member = await makeMember(pages.gateway, firm, 'Imogen Hartwell');
  client = await makeClient(pages.database);
  await makeItem(pages.database, client);
  visit = await pages.visitAs(member);
});
beforeEach(async () => {
  key = await makeKey(pages.database, firm);
  await makeGrant(pages.database, key, client);
});
afterAll(() => pages.stop());

const operator = { kind: 'operator', id: 'test' } as const;
const assets = () => call(`${pages.url}/api/v1/assets?client_id=${client.id}`, key.secret);

it('name, note, end and networks are changed on the key’s page, apply at once, and are in its history', async () => {
  const { page } = visit;
  expect((await assets()).status).toBe(200);
  await page.goto(`/portal/keys/${key.id}`);
  await page.getByRole('button', { name: 'Change settings' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ledger sync');
  await page.getByLabel('Note').fill('Runs on ledger-2.\nAsk Ada.');
  await page.getByLabel('Works', { exact: true }).selectOption({ label: '90 days' });
  await page.getByLabel('Allowed networks').fill('203.0.113.77/24\n2001:db8::/32, 198.51.100.4');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Ledger sync', level: 1 }).waitFor();
  const settings = page.getByRole('region', { name: 'Settings', exact: true });
  for (const network of ['203.0.113.0/24', '2001:db8::/32', '198.51.100.4/32'])
    await settings.getByText(network, { exact: true }).waitFor();
  await settings.getByText('Ask Ada.').waitFor();
  expect((await assets()).body.error.code).toBe('network_not_allowed');

  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Changed by Imogen Hartwell').waitFor();
  await history.getByText('Name: Ledger sync (before: Key)').waitFor();
  expect(await history.getByText(/^Allowed from:/).textContent()).toMatch(/203\.0\.113\.0\/24.*before: anywhere/);
  const [changed] = (await listKeyEvents(pages.database, key.id)).filter(({ action }) => action === 'change');
  expect(changed?.actor).toBe(`firm_member:${member.id}`);
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Change settings' }).click();
  await page.getByLabel('Allowed networks').fill('');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await settings.getByText('Anywhere', { exact: true }).waitFor();
  expect((await assets()).status).toBe(200);
  expect(visit.faults).toEqual([]);
});

it('an error is shown at its field, and the input is kept', async () => {
  const { page } = visit;
  await page.goto(`/portal/keys/${key.id}`);
  const change = page.getByRole('button', { name: 'Change settings' });
  await change.click();
  const name = page.getByLabel('Name', { exact: true });
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  await name.fill(' ');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Give the key a name.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Ledger sync 2');
  await page.getByLabel('Allowed networks').fill('203.0.113.0/24\noffice');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('"office" is not an address or a CIDR range').waitFor();
  const networks = page.getByLabel('Allowed networks');
  await expect.poll(() => networks.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ledger sync 2');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => change.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.getByRole('heading', { name: 'Key', exact: true, level: 1 }).waitFor();
  expect((await assets()).status).toBe(200);
});

it('a setting that was changed elsewhere while the form was open is not overwritten', async () => {
  const { page } = visit;
  await page.goto(`/portal/keys/${key.id}`);
  await page.getByRole('button', { name: 'Change settings' }).click();
  await page.getByLabel('Note').fill('Written here');
  const elsewhere = { name: 'Renamed elsewhere' };
  await changeKey(pages.database, key.id, elsewhere, operator, { lifetimeDays: null });
  await page.getByRole('heading', { name: 'Renamed elsewhere', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('region', { name: 'Settings', exact: true }).getByText('Written here').waitFor();
  expect(await findKey(pages.database, key.id)).toMatchObject({ ...elsewhere, note: 'Written here' });
});

it('networks that were changed elsewhere while the form was open are not overwritten', async () => {
  const { page } = visit;
  const [remaining, removed, added] = ['203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24'] as const;
  const { id } = await makeKey(pages.database, firm);
  await changeKey(pages.database, id, { allowedNetworks: [remaining, removed] }, operator, { lifetimeDays: null });
  await page.goto(`/portal/keys/${id}`);
  await page.getByRole('button', { name: 'Change settings' }).click();
  await page.getByLabel('Allowed networks').fill([remaining, removed, added].join('\n'));
  await changeKey(pages.database, id, { allowedNetworks: [remaining] }, operator, { lifetimeDays: null });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('have changed in the meantime').waitFor();
  expect((await findKey(pages.database, id))?.allowedNetworks).toEqual([remaining]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Change settings' }).click();
  expect(await page.getByLabel('Allowed networks').inputValue()).toBe(remaining);
  await page.getByRole('button', { name: 'Cancel' }).click();
});

it('a change whose response was lost is reported as done only if the networks have changed', async () => {
  const { page } = await pages.visitAs(member);
  const { id } = await makeKey(pages.database, firm);
  const open = async (typed: string) => {
    await page.goto(`/portal/keys/${id}`);
    await page.getByRole('button', { name: 'Change settings' }).click();
    await page.getByLabel('Allowed networks').fill(typed);
  };
  const lose = (before: (route: Route) => Promise<unknown>) =>
    page.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('"ChangeKey"') !== true) return route.fallback();
      await before(route);
      await route.abort('connectionreset');
    });
  await open('203.0.113.77/24\n2001:DB8::1/32, 198.51.100.4');
  await lose((route) => route.fetch());
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(/is changed. The change applies from now on/).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  expect((await findKey(pages.database, id))?.allowedNetworks).toHaveLength(3);

  await page.clock.install();
  await open('203.0.113.77');
  await lose(() => changeKey(pages.database, id, { note: 'Elsewhere' }, operator, { lifetimeDays: null }));
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('No response', { exact: true }).waitFor();
  await page.clock.fastForward(25_000);
  await page.getByText(/nothing was done. You can try again/).waitFor();
});

it('the use of a key is shown by day and endpoint', async () => {
  const { page } = visit;
  await assets();
  await call(`${pages.url}/api/v1/assets?client_id=usr_unknown`, key.secret);
  for (let calls = 0; calls < 3; calls++)
    await call(`${pages.url}/api/v1/portfolio/summary?client_id=${client.id}`, key.secret);
  const counted = async () => {
    const text = "select sum(calls)::int as calls from access_days where key_id = $1 and endpoint like '%summary'";
    const [row] = await pages.database.query<{ calls: number }>({ text, values: [key.id] });
    return row?.calls;
  };
  await expect.poll(counted, { timeout: 60_000 }).toBe(3);
  await page.goto(`/portal/keys/${key.id}`);
  const use = page.getByRole('region', { name: 'Use' });
  const bars = use.getByRole('list', { name: 'Requests by endpoint' });
  await expect.poll(() => bars.getByRole('listitem').count(), { timeout: 60_000 }).toBe(2);
  await bars.getByRole('button', { name: 'GET /portfolio/summary' }).click();
  expect(await use.getByLabel('Endpoint', { exact: true }).inputValue()).toBe('GET /api/v1/portfolio/summary');
  const cells = await use.getByRole('row').last().getByRole('cell').allTextContents();
  expect(cells).toEqual(['3', '0', '0', '0']);
  await use.getByLabel('Endpoint', { exact: true }).selectOption({ label: 'All endpoints' });
  const [answered, refused] = await use.getByRole('row').last().getByRole('cell').allTextContents();
  expect(Number(answered)).toBeGreaterThan(3);
  expect(Number(refused)).toBeGreaterThan(0);
  expect(await violations(page)).toEqual([]);
});

it('a revoked key’s note can be changed, and its networks cannot', async () => {
  const { page } = visit;
  await revokeKey(pages.database, key.id, operator);
  await page.goto(`/portal/keys/${key.id}`);
  await page.getByRole('button', { name: 'Change settings' }).click();
  expect(await page.getByLabel('Allowed networks').count()).toBe(0);
  await page.getByLabel('Note').fill('Got out in a log.');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('region', { name: 'Settings', exact: true }).getByText('Got out in a log.').waitFor();
  expect(visit.faults).toEqual([]);
});
