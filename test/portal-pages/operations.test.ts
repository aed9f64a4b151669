// The pages of operations: current use of limits, its history, and the settings of limits.

import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { LASTING } from '#core/tiers.ts';
import { unauthenticatedCalls } from '#repositories/access-record/activity.ts';
import { setFirmLimit } from '#repositories/firms.ts';
import { forgetProcess, saveProcess } from '#repositories/gateway-processes.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import { listShadows, type ShadowTarget, setShadow } from '#repositories/keys/limit-shadows.ts';
import { saveLimitSums } from '#repositories/keys/limit-sums.ts';
import { createUser, type User } from '#repositories/users.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeKey, why } from '#test/support/scenario.ts';
import { operate, type Pages, startPages, violations } from './browser.ts';

let pages: Pages;
let operator: User;
let busy: Key;
let clientId: string;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  operator = await createUser(database, {
    role: 'ops',
    email: `olga-${newId('user').toLowerCase()}@example.com`,
    name: 'Olga Operator',
  });
  const firm = await makeFirm(database, { name: 'Hartwell & Lyle', tier: 'standard' });
  busy = await makeKey(database, firm, { environment: 'sandbox' });
  await database.query({ text: `update api_keys set name = 'Busy key' where id = $1`, values: [busy.id] });
  await makeKey(database, firm);
  const client = await makeClient(database, { environment: 'sandbox' });
  clientId = client.id;
  await makeGrant(database, busy, client);
});

afterAll(() => pages.stop());

const focused = (of: Locator) => expect.poll(() => of.evaluate((part) => part === document.activeElement)).toBe(true);

/** Chooses the option, and returns the moments before and after. */
async function choosing(list: Locator, option: string): Promise<[number, number]> {
  const before = Date.now();
  await list.selectOption(option);
  return [before, Date.now()];
}

function expectWithin(moment: number, [from, to]: [number, number]): void {
  expect(moment).toBeGreaterThanOrEqual(from);
  expect(moment).toBeLessThanOrEqual(to);
}

async function read(times: number, key = busy): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1)
    statuses.push((await call(`${pages.url}/api/v1/assets?client_id=${clientId}`, key.secret)).status);
  return statuses;
}

it('keys are sorted by use, those near their limit are marked, and the list updates unless paused', async () => {
  // Calls of other tests would count for a minute.
  const firm = await makeFirm(pages.database, { name: 'Sorted firm' });
  await makeKey(pages.database, firm, { environment: 'sandbox' });
  const key = await makeKey(pages.database, firm, { environment: 'sandbox' });
  await pages.database.query({ text: `update api_keys set name = 'Sorted key' where id = $1`, values: [key.id] });
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/');
  await page.getByLabel('Firm, key or id').fill('Sorted firm');
  const rows = page.getByRole('table', { name: 'Keys by use' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(2);
  const first = rows.first();
  // With the page loaded, because calls count for a minute.
  await read(90, key);
  await first.filter({ hasText: 'Sorted key' }).getByText('Near the limit').waitFor();
  const used = async () => Number(/(\d+) \/ 100/.exec((await first.textContent()) ?? '')?.[1]);
  const before = await used();
  await read(5, key);
  await expect.poll(used).toBeGreaterThan(before);
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused').waitFor();
  let reads = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('"operation":"Limits"')) reads += 1;
  });
  await page.waitForTimeout(3_500);
  expect(reads).toBe(0);
  await page.getByText('Near the limit or refused').click();
  await page.getByRole('row').filter({ hasText: 'Idle' }).waitFor({ state: 'detached' });
  expect(visit.faults).toEqual([]);
});

it('while the service is unavailable, pages show the fault, and outdated figures are not labelled as live', async () => {
  const unavailable = { code: 'service_unavailable', message: 'The service is temporarily unavailable.' };
  const { page } = await pages.visitAs(operator);
  const refuse = (operation: string) =>
    page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes(`"operation":"${operation}"`)
        ? route.fulfill({ status: 503, json: { error: unavailable } })
        : route.continue(),
    );
  await refuse('Limits');
  await page.goto('/portal/limits');
  const told = page.getByRole('alert').filter({ hasText: unavailable.message });
  await told.waitFor();
  let gone = false;
  void told.waitFor({ state: 'detached' }).then(
    () => {
      gone = true;
    },
    () => undefined,
  );
  // Each request for the limits is tried three times.
  for (let tries = 0; tries < 4; tries += 1)
    await page.waitForRequest((request) => request.postData()?.includes('"operation":"Limits"') === true);
  expect(gone).toBe(false);
  await page.unroute('**/portal/graphql');
  await page.getByRole('table', { name: 'Keys by use' }).waitFor();
  await page.getByText(/^Live · /).waitFor();
  await refuse('Limits');
  await page.getByText(/^Out of date · /).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unroute('**/portal/graphql');
  await page.getByText(/^Live · /).waitFor();

  await page.getByRole('button', { name: 'Busy key', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Key and tier' });
  await panel.getByText(busy.id).waitFor();
  await refuse('Limit');
  await panel.getByRole('alert').filter({ hasText: unavailable.message }).waitFor();
  expect(await panel.getByText(busy.id).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.unroute('**/portal/graphql');
  await panel.getByRole('alert').waitFor({ state: 'detached' });
});

it('a tier is overridden after a confirmation, takes effect, and is in the history with its author', async () => {
  const { page } = await pages.visitAs(operator);
  await page.goto('/portal/limits');
  await page.getByRole('button', { name: 'Busy key', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('None: it has always been as every sandbox key.').waitFor();
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Limit the firm' }).click();
  await focused(drawer.getByLabel('Requests in any 60 seconds'));
  await drawer.getByRole('button', { name: 'Cancel' }).click();
  await focused(drawer.getByRole('button', { name: 'Limit the firm' }));
  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await focused(drawer.getByRole('radio', { name: 'The sandbox tier' }));
  await drawer.getByRole('radio', { name: 'Elevated' }).check();
  await drawer.getByRole('button', { name: 'Continue' }).click();
  await drawer.getByText('Say why: it is shown in the history.').waitFor();
  await focused(drawer.getByLabel('Reason'));
  await drawer.getByLabel('Reason').fill('Their campaign');
  const chosen = await choosing(drawer.getByLabel('Ends'), 'One day');
  await drawer.getByRole('button', { name: 'Continue' }).click();
  await drawer.getByText('Set Elevated?').waitFor();
  await focused(drawer.getByRole('button', { name: 'Set Elevated' }));
  expect(await overrideOf(busy)).toMatchObject({ tierOverride: null });
  await drawer.getByRole('button', { name: 'Set Elevated' }).click();
  await drawer.getByText(/Override: Elevated: Their campaign until/).waitFor();
  await drawer
    .getByRole('listitem')
    .filter({ hasText: 'Their campaign' })
    .getByText(/Olga Operator/)
    .waitFor();
  const { tierOverride, tierOverrideEndsAt } = (await overrideOf(busy)) ?? {};
  expect(tierOverride).toBe('elevated');
  expectWithin(Date.parse(tierOverrideEndsAt ?? '') - 86_400_000, chosen);
  await expect.poll(async () => (await read(1))[0]).toBe(200);

  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await drawer.getByRole('radio', { name: 'The sandbox tier again' }).check();
  await drawer.getByLabel('Reason').fill('It is over');
  await drawer.getByRole('button', { name: 'Continue' }).click();
  await drawer.getByRole('button', { name: 'Lift the override' }).click();
  await drawer.getByText('Override lifted').waitFor();
  expect(await overrideOf(busy)).toMatchObject({ tierOverride: null });

  const by = { kind: 'operator', id: operator.id } as const;
  const endsAt = new Date(Date.now() + 3_600_000).toISOString();
  await setKeyTier(pages.database, busy.id, { ...why, tier: 'standard' }, by);
  await setKeyTier(pages.database, busy.id, { ...why, tier: 'enterprise', endsAt }, by);
  await page.reload();
  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await drawer.getByRole('radio', { name: 'As before the present override' }).check();
  expect(await drawer.getByLabel('Ends').count()).toBe(0);
  await drawer.getByLabel('Reason').fill('Over early');
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Continue' }).click();
  await drawer.getByText('End the override now?').waitFor();
  await drawer.getByRole('button', { name: 'Lift the override' }).click();
  await drawer.getByText('Override: Standard: Over early').waitFor();
  expect(await overrideOf(busy)).toMatchObject({ tierOverride: 'standard', tierOverrideEndsAt: null });
  await setKeyTier(pages.database, busy.id, { ...why, tier: null }, by);
});

it('the limit of a firm and its changes are shown with the keys of the firm', async () => {
  const firm = await makeFirm(pages.database, { name: 'Limited firm' });
  const key = await makeKey(pages.database, firm);
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto(`/portal/limits?key=${key.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('No limit', { exact: true }).waitFor();
  await drawer.getByText('None.', { exact: true }).waitFor();
  for (const limit of [5_000, null, 700])
    await setFirmLimit(pages.database, firm.id, { ...why, limit }, { kind: 'operator', id: operator.id });
  await page.reload();
  const changes = drawer.locator('ol').getByRole('listitem');
  await changes.first().waitFor();
  expect(await changes.allTextContents()).toEqual([
    expect.stringMatching(/^700 requests a minute: a trial.*Olga Operator, /),
    expect.stringMatching(/^No limit for the firm.*Olga Operator, /),
    expect.stringMatching(/^5,000 requests a minute.*Olga Operator, /),
  ]);
  expect(await drawer.getByRole('definition').allTextContents()).toContainEqual(
    expect.stringMatching(/^0\s*\/\s*700$/),
  );
  expect(await violations(page)).toEqual([]);

  await drawer.getByRole('button', { name: 'Limit the firm' }).click();
  await drawer.getByLabel('Requests in any 60 seconds').fill('70000');
  await drawer.getByRole('button', { name: 'Set the limit' }).click();
  await drawer.getByText('A limit is a whole number from 1 to 65,535.').waitFor();
  await drawer.getByLabel('Requests in any 60 seconds').fill('900');
  await drawer.getByLabel('Reason').fill('Their sale');
  await drawer.getByLabel('Ends').selectOption('7 days');
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Set the limit' }).click();
  await drawer.getByText(/900 requests a minute: Their sale until/).waitFor();
  await drawer.getByText(/0\s*\/\s*900/).waitFor();

  await drawer.getByRole('button', { name: 'Limit the firm' }).click();
  await drawer.getByLabel('As before the present limit').check();
  expect(await drawer.getByLabel('Requests in any 60 seconds').isDisabled()).toBe(true);
  await drawer.getByLabel('Reason').fill('Sold out');
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'End the present limit' }).click();
  await drawer.getByText('700 requests a minute: Sold out').waitFor();
  await drawer.getByText(/0\s*\/\s*700/).waitFor();
  expect(visit.faults).toEqual([]);
});

it('numbers are typed and shown in the notation of the reader’s locale', async () => {
  const { page } = await pages.visitAs(operator, { locale: 'de-DE' });
  await page.goto(`/portal/limits?key=${busy.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByRole('button', { name: 'Limit the firm' }).click();
  const field = drawer.getByLabel('Requests in any 60 seconds');
  await field.fill('70000');
  expect(await field.inputValue()).toBe('70.000');
  await drawer.getByRole('button', { name: 'Set the limit' }).click();
  await drawer.getByText('A limit is a whole number from 1 to 65.535.').waitFor();
});

const overrideOf = ({ id }: Key) => findKey(pages.database, id);

it('the requests of the last 24 hours that another tier would have refused are listed by key', async () => {
  const firm = await makeFirm(pages.database, { name: 'Tried firm', tier: 'standard' });
  const key = await makeKey(pages.database, firm, { environment: 'sandbox' });
  const client = await makeClient(pages.database, { environment: 'sandbox' });
  await pages.database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - interval '2 hours' + (n % 10) * interval '1 second', $1, $2, $3, 'GET /api/v1/assets', 1, 200
      from generate_series(1, 250) n`,
    values: [firm.id, key.id, client.id],
  });
  await recorded(pages.gateway, 250, client.id);
  const { page } = await pages.visitAs(operator);
  await page.goto(`/portal/limits/what-if?firm=${firm.id}`);
  await page.getByText('no call would have been refused.').waitFor();
  await page.getByLabel('On the tier').selectOption('Sandbox');
  const told = page.getByText(/would have been refused/).first();
  await expect.poll(() => told.textContent()).toMatch(/1 key would have been refused 1\d\d times/);
  await page.getByRole('table', { name: 'Keys by what would have been refused' }).getByText('Tried firm').waitFor();
  expect(await violations(page)).toEqual([]);
});

it('limits in shadow mode are shown with author, time and reason, and the requests they would have refused', async () => {
  const say = (target: ShadowTarget, shadowed: boolean, reason: string) =>
    setShadow(pages.database, target, { shadowed, reason, endsAt: null }, { kind: 'operator', id: operator.id });
  await say({ keyId: busy.id }, true, 'Their migration');
  await say({ tier: 'standard' }, true, 'New limits');
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/limits');
  await page.getByText('Standard is in shadow mode').waitFor();
  await page.getByText(/Olga Operator, .*: New limits$/).waitFor();
  const row = page.getByRole('table', { name: 'Keys by use' }).getByRole('row').filter({ hasText: 'Busy key' });
  await row.getByText('In shadow mode').waitFor();
  // Repeatedly: admitted calls over the limit do not count as used, and calls of earlier tests leave the window at any
  // time.
  const over = async () => {
    expect(await read(110)).toEqual(Array(110).fill(200));
    return row.getByText('Over, let pass').isVisible();
  };
  await expect.poll(over).toBe(true);
  await expect.poll(() => row.textContent()).toMatch(/\d+ let pass/);
  await page.getByRole('button', { name: 'Busy key', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('This key and its rotations').waitFor();
  await drawer.getByText('On: Their migration').waitFor();
  expect(await violations(page)).toEqual([]);
  await say({ keyId: busy.id }, false, 'They are done');
  await drawer.getByText('Off: They are done').waitFor();
  await say({ tier: 'standard' }, false, 'They stay');
  await page.getByText('Standard is in shadow mode').waitFor({ state: 'detached' });
  expect(visit.faults).toEqual([]);
});

it('a tier is put into shadow mode and taken out of it, with a required reason and an optional end', async () => {
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/limits');
  const tier = page.getByRole('listitem', { name: 'Sandbox' });
  await tier.getByText('Refuses').waitFor();
  await tier.getByRole('button', { name: 'Start shadow mode…' }).click();
  await tier.getByRole('button', { name: 'Cancel' }).click();
  await focused(tier.getByRole('button', { name: 'Start shadow mode…' }));
  await tier.getByRole('button', { name: 'Start shadow mode…' }).click();
  await tier.getByRole('button', { name: 'Start shadow mode', exact: true }).click();
  await tier.getByText('Say why: it is shown in the history.').waitFor();
  await tier.getByLabel('Reason').fill('New limits from May');
  const chosen = await choosing(tier.getByLabel('Ends'), 'One hour');
  expect(await violations(page)).toEqual([]);
  await tier.getByRole('button', { name: 'Start shadow mode', exact: true }).click();
  await page.getByText('Sandbox is in shadow mode').waitFor();
  await focused(tier.getByRole('button', { name: 'End shadow mode…' }));
  await page.getByText(/let pass until .*Olga Operator, .*: New limits from May/).waitFor();
  const [said] = await listShadows(pages.database);
  expect(said).toMatchObject({ tier: 'sandbox', reason: 'New limits from May', actor: { name: 'Olga Operator' } });
  expectWithin(Date.parse(said?.endsAt ?? '') - 3_600_000, chosen);
  expect(await read(110)).toEqual(Array(110).fill(200));

  await tier.getByRole('button', { name: 'End shadow mode…' }).click();
  await tier.getByLabel('Reason').fill('They are known now');
  await tier.getByRole('button', { name: 'End shadow mode', exact: true }).click();
  await page.getByText('Sandbox is in shadow mode').waitFor({ state: 'detached' });
  await tier.getByText('Changes').click();
  await tier.getByText('Off: They are known now').waitFor();
  expect(await listShadows(pages.database)).toEqual([]);
  expect(await read(110)).toContain(429);
  expect(visit.faults).toEqual([]);
});

it('a key is put into shadow mode and taken out of it, and leaving a partly filled form asks for confirmation', async () => {
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto(`/portal/limits?key=${busy.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByRole('button', { name: 'Start shadow mode…' }).click();
  await drawer.getByLabel('Reason').fill('A migration');
  await drawer.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Leave without sending?').waitFor();
  await page.getByRole('button', { name: 'Stay here' }).click();
  expect(await drawer.getByLabel('Reason').inputValue()).toBe('A migration');
  await drawer.getByRole('button', { name: 'Start shadow mode', exact: true }).click();
  await drawer.getByText('This key and its rotations').waitFor();
  expect(await listShadows(pages.database)).toMatchObject([{ keyId: busy.id, reason: 'A migration', endsAt: null }]);
  await drawer.getByRole('button', { name: 'End shadow mode…' }).click();
  await drawer.getByLabel('Reason').fill('Done');
  await drawer.getByRole('button', { name: 'End shadow mode', exact: true }).click();
  await drawer.getByText('Off: Done').waitFor();
  expect(await listShadows(pages.database)).toEqual([]);
  expect(visit.faults).toEqual([]);
});

it('a form does what it said when it was opened, also if the shadow mode or limit has ended meanwhile', async () => {
  const firm = await makeFirm(pages.database, { name: 'Briefly limited firm' });
  const key = await makeKey(pages.database, firm);
  const by = { kind: 'operator', id: operator.id } as const;
  const brief = { ...why, endsAt: new Date(Date.now() + 3_600_000).toISOString() };
  await setShadow(pages.database, { keyId: key.id }, { ...why, shadowed: true }, by);
  await setFirmLimit(pages.database, firm.id, { ...why, limit: 700 }, by);
  await setFirmLimit(pages.database, firm.id, { ...brief, limit: 900 }, by);
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto(`/portal/limits?key=${key.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByRole('button', { name: 'End shadow mode…' }).click();
  await drawer.getByLabel('Reason').fill('Done');
  await setShadow(pages.database, { keyId: key.id }, { shadowed: false, reason: 'Over', endsAt: null }, by);
  await drawer.getByText('Off: Over').waitFor();
  await drawer.getByRole('alert').getByText('Shadow mode has ended meanwhile').waitFor();
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'End shadow mode', exact: true }).click();
  await drawer.getByText('Off: Done').waitFor();
  expect(await listShadows(pages.database)).toEqual([]);

  await drawer.getByRole('button', { name: 'Limit the firm' }).click();
  await drawer.getByLabel('As before the present limit').check();
  await drawer.getByLabel('Reason').fill('Sold out');
  await setFirmLimit(pages.database, firm.id, { reason: 'Over', endsAt: null, limit: LASTING }, by);
  await drawer.getByText('700 requests a minute: Over').waitFor();
  await drawer.getByRole('alert').getByText('That limit has ended meanwhile').waitFor();
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'End the present limit' }).click();
  await drawer.getByText('700 requests a minute: Sold out').waitFor();
  expect(visit.faults).toEqual([]);
});

it('each form is guarded by itself: closing one asks about no other, and leaves the others guarded', async () => {
  const { page } = await pages.visitAs(operator);
  await page.goto('/portal/limits');
  const question = page.getByRole('dialog', { name: 'Leave without sending?' });
  const answer = async (name: string) => {
    await question.getByRole('button', { name, exact: true }).click();
    await question.waitFor({ state: 'detached' });
  };
  const tierOf = (name: string) => page.getByRole('listitem', { name });
  const opener = (name: string) => tierOf(name).getByRole('button', { name: 'Start shadow mode…' });
  for (const name of ['Standard', 'Elevated']) {
    await opener(name).click();
    await tierOf(name).getByLabel('Reason').fill('New limits from May');
  }

  // An untouched panel closes without a question.
  await page.getByRole('button', { name: 'Busy key', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await drawer.getByRole('button', { name: 'Close' }).click();
  await drawer.waitFor({ state: 'detached' });

  await opener('Standard').click();
  await answer('Leave');
  await tierOf('Standard').getByLabel('Reason').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'What if' }).click();
  await answer('Stay here');
  expect(await tierOf('Elevated').getByLabel('Reason').inputValue()).toBe('New limits from May');

  await opener('Standard').click();
  await tierOf('Standard').getByLabel('Reason').fill('New limits from May');
  await tierOf('Standard').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'What if' }).click();
  await answer('Leave');
  await page.getByRole('heading', { level: 1, name: 'What if' }).waitFor();
});

it('the history of the last hour and day is shown as bars, in words and as a table, for all, a tier and a key', async () => {
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  const other = await makeKey(pages.database, await makeFirm(pages.database));
  const of = { keyId: busy.id, tier: 'sandbox' } as const;
  await saveLimitSums(pages.database, [
    { ageSeconds: 1_800, sums: [{ ...of, admitted: 500, refused: 3, near: 40, letPass: 20 }] },
    { ageSeconds: 1_800, sums: [{ ...of, tier: 'elevated', admitted: 5, refused: 0, near: 0, letPass: 0 }] },
    { ageSeconds: 1_800, sums: [{ ...of, keyId: other.id, admitted: 1, refused: 0, near: 0, letPass: 0 }] },
    { ageSeconds: 5_400, sums: [{ ...of, admitted: 1_000, refused: 7, near: 0, letPass: 0 }] },
  ]);
  await page.goto('/portal/limits');
  const section = page.getByRole('region', { name: 'What the limits did' });
  const words = section.locator('figcaption');
  await expect
    .poll(() => words.textContent(), { timeout: 60_000 })
    .toMatch(
      /^In the last hour [\d,]+ calls of \d+ keys were admitted, [\d,]+ of them near a limit; [\d,]+ were let pass in shadow mode, and [\d,]+ refused\.$/,
    );
  const figures = async () =>
    ((await words.textContent()) ?? '').match(/\d[\d,]*/g)?.map((text) => Number(text.replaceAll(',', ''))) ?? [];
  const byKey = section.getByRole('list', { name: 'Calls by key' });
  await byKey.getByText('\u2068Busy key\u2069, \u2068Hartwell & Lyle\u2069').waitFor();
  await section.getByText('As a table').click();
  const rows = section.getByRole('table').locator('tbody tr');
  expect(await rows.count()).toBe(60);
  // The sums of earlier tests are saved every few seconds, also between two reads.
  const inTable = async () =>
    (await rows.locator('td:nth-child(2)').allTextContents())
      .map((text) => Number(text.replaceAll(',', '')))
      .reduce((sum, cell) => sum + cell, 0);
  await expect.poll(async () => (await inTable()) - ((await figures())[0] ?? 0)).toBe(0);
  expect(await violations(page)).toEqual([]);

  const figuresOf = async (span: 'hour' | '24 hours') => {
    await section.getByText(`Last ${span}`, { exact: true }).click();
    await words.filter({ hasText: `In the last ${span}` }).waitFor();
    return figures();
  };
  const more = async () => {
    // The second number of the text is that of the keys.
    const [admitted = 0, , , , refused = 0] = await figuresOf('hour');
    // The first number of the text is that of the hours.
    const [, allAdmitted = 0, , , , allRefused = 0] = await figuresOf('24 hours');
    return [allAdmitted - admitted, allRefused - refused];
  };
  await expect.poll(more).toEqual([1_000, 7]);
  expect(await rows.count()).toBe(96);
  const [, admitted = 0] = await figures();
  await section.getByLabel('Keys of the tier').selectOption('Elevated');
  await expect.poll(async () => (await figures())[1]).toBeLessThan(admitted);
  await section.getByRole('button', { name: 'Clear filters' }).click();
  await byKey.getByRole('button', { name: '\u2068Busy key\u2069, \u2068Hartwell & Lyle\u2069' }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText(/^In the last hour [\d,]+ calls were admitted/).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(visit.faults).toEqual([]);
});

it('a single call is described in the singular', async () => {
  const once = await makeKey(pages.database, await makeFirm(pages.database, { name: 'Once & Co' }));
  const sums = [{ keyId: once.id, tier: 'enterprise' as const, admitted: 1, refused: 0, near: 1, letPass: 1 }];
  await saveLimitSums(pages.database, [{ ageSeconds: 0, sums }]);
  const { page } = await pages.visitAs(operator);
  await page.goto(`/portal/limits?key=${once.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer
    .getByText(
      'In the last hour 1 call was admitted, 1 of them near a limit; 1 was let pass in shadow mode, and 0 refused.',
    )
    .waitFor();
});

it('shows calls without a key by day and reason, where limits are counted, the database, waiting records, and each process', async () => {
  for (let n = 0; n < 3; n += 1) await call(`${pages.url}/api/v1/assets?client_id=${clientId}`, 'sk_test_nobody');
  await expect.poll(async () => (await unauthenticatedCalls(pages.database, 1)).map(({ calls }) => calls)).toEqual([3]);
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/limits');
  const section = page.getByRole('region', { name: 'Calls without a key', exact: true });
  await section.getByText('3 calls in the last 30 days, 3 of them today.').waitFor();
  await section.getByText('As a table').click();
  expect(await section.getByRole('row').last().textContent()).toMatch(/^\d{1,2} \w{3,4} \d{4}invalid_api_key3$/);
  const limiter = page.getByRole('region', { name: 'Limiter' });
  await limiter.getByText('In the process', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Database' }).getByText('PostgreSQL').waitFor();
  const records = page.getByRole('region', { name: 'Access records' });
  await records.getByText('Waiting to be saved').waitFor();

  const lost = { startedSecondsAgo: 90, limiterSinceSecondsAgo: 20, recordsWaiting: 1_500, replicasAway: 1 };
  await saveProcess(pages.database, {
    ...{ id: 'another', host: 'gateway-2 17', limiter: 'local', limiterReason: 'connect ECONNREFUSED' },
    ...lost,
  });
  const seen = (at: string) =>
    pages.database.query({ text: `update gateway_processes set seen_at = ${at} where id = 'another'` });
  // A process is silent some seconds after it was last seen.
  await seen(`now() + interval '1 hour'`);
  const rows = page.getByRole('table', { name: 'Processes' }).locator('tbody tr');
  await rows.filter({ hasText: 'gateway-2 17' }).getByText('Fallback').waitFor();
  expect(await rows.count()).toBe(2);
  await limiter.getByText('1 of 2 processes').waitFor();
  await limiter.getByText('connect ECONNREFUSED').waitFor();
  await records.getByText('1,500').waitFor();
  await seen(`now() - interval '1 minute'`);
  await rows.filter({ hasText: 'gateway-2 17' }).getByText('Silent').waitFor();
  expect(await violations(page)).toEqual([]);
  await forgetProcess(pages.database, 'another');
  expect(visit.faults).toEqual([]);
});

it('clients see and change none of it', async () => {
  const client = await makeClient(pages.database);
  const visit = await pages.visitAs(client);
  await visit.page.goto('/portal/limits');
  await visit.page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  expect(await visit.page.content()).not.toContain('Busy key');
  for (const [operation, variables] of [
    ['Limits', {}],
    ['Limit', { keyId: busy.id }],
    ['WhatIf', { tier: 'standard' }],
    ['TierShadows', {}],
    ['SystemState', {}],
    ['LimitHistory', { span: 'hour' }],
    ['GatewayProcesses', {}],
    ['SetKeyTier', { keyId: busy.id, tier: 'enterprise', reason: 'x' }],
    ['SetKeyShadow', { keyId: busy.id, shadowed: true, reason: 'x' }],
    ['SetTierShadow', { tier: 'sandbox', shadowed: true, reason: 'x' }],
    ['SetFirmLimit', { firmId: busy.firmId, reason: 'x' }],
  ] as const) {
    const { status, body } = await operate(visit, pages.url, operation, variables);
    expect([operation, status, body.error?.code]).toEqual([operation, 403, 'forbidden']);
  }
});
