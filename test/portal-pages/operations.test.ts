// Operations see who uses how much of which limit, right now, and steer it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { setFirmLimit } from '#repositories/firms.ts';
import { type ShadowTarget, setShadow } from '#repositories/keys/limit-shadows.ts';
import { createUser, type User } from '#repositories/users.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
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
  await read(90);
});

afterAll(() => pages.stop());

async function read(times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1)
    statuses.push((await call(`${pages.url}/api/v1/assets?client_id=${clientId}`, busy.secret)).status);
  return statuses;
}

it('keys stand by use, those near their limit marked, and move while one looks, unless paused', async () => {
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/');
  const first = page.getByRole('table', { name: 'Keys by use' }).locator('tbody tr').first();
  await first.getByText('Busy key').waitFor();
  expect(await first.textContent()).toContain('Near the limit');
  const used = async () => Number(/(\d+) \/ 100/.exec((await first.textContent()) ?? '')?.[1]);
  const before = await used();
  await read(5);
  await expect.poll(used).toBeGreaterThan(before);
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused').waitFor();
  const paused = await used();
  await read(1);
  await page.waitForTimeout(3_500);
  expect(await used()).toBe(paused);
  await page.getByText('Near the limit or refused').click();
  await page.getByRole('row').filter({ hasText: 'Idle' }).waitFor({ state: 'detached' });
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

it('where limits are kept, the database and what waits to be saved are said', async () => {
  const { page, context } = await pages.visitAs(operator);
  await page.goto('/portal/limits');
  await page.getByRole('region', { name: 'Limiter' }).getByText('In the process', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Database' }).getByText('PostgreSQL').waitFor();
  await page.getByRole('region', { name: 'Access records' }).getByText('Waiting to be saved').waitFor();
  await context.close();
});

it('a tier is overridden after a confirmation, is in effect, and stands in the history with who did it', async () => {
  const { page, context } = await pages.visitAs(operator);
  await page.goto('/portal/limits');
  await page.getByRole('button', { name: 'Busy key' }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('None: it has always been as every sandbox key.').waitFor();
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await drawer.getByRole('radio', { name: 'Elevated' }).check();
  await drawer.getByRole('button', { name: 'Go on' }).click();
  await drawer.getByText('Set Elevated?').waitFor();
  expect(await overrideOf(busy)).toBeNull();
  await drawer.getByRole('button', { name: 'Set Elevated' }).click();
  await drawer.getByText('Override: Elevated').waitFor();
  await drawer.getByText(/Olga Operator/).waitFor();
  expect(await overrideOf(busy)).toBe('elevated');
  await expect.poll(async () => (await read(1))[0]).toBe(200);

  await drawer.getByRole('button', { name: 'Change tier' }).click();
  await drawer.getByRole('radio', { name: 'The sandbox tier again' }).check();
  await drawer.getByRole('button', { name: 'Go on' }).click();
  await drawer.getByRole('button', { name: 'Lift the override' }).click();
  await drawer.getByText('Override lifted').waitFor();
  expect(await overrideOf(busy)).toBeNull();
  await context.close();
});

it('a firm’s limit, and who changed it, stand beside its keys', async () => {
  const firm = await makeFirm(pages.database, { name: 'Limited firm' });
  const key = await makeKey(pages.database, firm);
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto(`/portal/limits?key=${key.id}`);
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('No limit', { exact: true }).waitFor();
  await drawer.getByText('None.', { exact: true }).waitFor();
  for (const limit of [5_000, null, 700])
    await setFirmLimit(pages.database, firm.id, limit, { kind: 'operator', id: operator.id });
  await page.reload();
  const changes = drawer.getByRole('listitem');
  await changes.first().waitFor();
  expect(await changes.allTextContents()).toEqual([
    expect.stringMatching(/^700 requests a minute.*Olga Operator, /),
    expect.stringMatching(/^No limit for the firm.*Olga Operator, /),
    expect.stringMatching(/^5,000 requests a minute.*Olga Operator, /),
  ]);
  expect(await drawer.getByRole('definition').allTextContents()).toContainEqual(
    expect.stringMatching(/^0\s*\/\s*700$/),
  );
  expect(await violations(page)).toEqual([]);
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

async function overrideOf({ id }: Key): Promise<string | null | undefined> {
  const text = 'select tier_override from api_keys where id = $1';
  const [row] = await pages.database.query<{ tier_override: string | null }>({ text, values: [id] });
  return row?.tier_override;
}

it('what another tier would have refused in the last 24 hours is told, by key', async () => {
  await pages.database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - interval '2 hours' + (n % 10) * interval '1 second', $1, $2, $3, 'GET /api/v1/assets', 1, 200
      from generate_series(1, 250) n`,
    values: [busy.firmId, busy.id, clientId],
  });
  await recorded(pages.gateway, 250, clientId);
  const { page, context } = await pages.visitAs(operator);
  await page.goto('/portal/limits/what-if');
  await page.getByText('no call would have been refused.').waitFor();
  await page.getByText('Sandbox', { exact: true }).first().click();
  const told = page.getByText(/would have been refused/).first();
  await expect.poll(() => told.textContent()).toMatch(/1 key would have been refused 1\d\d times/);
  await page.getByRole('table', { name: 'Keys by what would have been refused' }).getByText('Busy key').waitFor();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

it('limits in shadow mode are told with who, when and why, and what they would have refused', async () => {
  const say = (target: ShadowTarget, shadowed: boolean, reason: string) =>
    setShadow(pages.database, target, { shadowed, reason }, { kind: 'operator', id: operator.id });
  await say({ keyId: busy.id }, true, 'Their migration');
  await say({ tier: 'standard' }, true, 'New limits');
  const visit = await pages.visitAs(operator);
  const { page } = visit;
  await page.goto('/portal/limits');
  await page.getByText('Standard is in shadow mode').waitFor();
  await page.getByText(/Olga Operator, .*: New limits/).waitFor();
  const row = page.getByRole('table', { name: 'Keys by use' }).getByRole('row').filter({ hasText: 'Busy key' });
  await row.getByText('In shadow mode').waitFor();
  expect(await read(110)).toEqual(Array(110).fill(200));
  await row.getByText('Over, let pass').waitFor();
  await expect.poll(() => row.textContent()).toMatch(/\d+ let pass/);
  await page.getByRole('button', { name: 'Busy key' }).click();
  const drawer = page.getByRole('dialog', { name: 'Key and tier' });
  await drawer.getByText('This key and its rotations').waitFor();
  await drawer.getByText('On: Their migration').waitFor();
  expect(await violations(page)).toEqual([]);
  await say({ keyId: busy.id }, false, 'They are done');
  await drawer.getByText('Off: They are done').waitFor();
  await say({ tier: 'standard' }, false, 'They stay');
  await page.getByText('Standard is in shadow mode').waitFor({ state: 'detached' });
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

it('nobody else sees any of it', async () => {
  const client = await makeClient(pages.database);
  const visit = await pages.visitAs(client);
  await visit.page.goto('/portal/limits');
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  expect(await visit.page.content()).not.toContain('Busy key');
  for (const [operation, variables] of [
    ['Limits', {}],
    ['Limit', { keyId: busy.id }],
    ['WhatIf', { tier: 'standard' }],
    ['TierShadows', {}],
    ['SystemState', {}],
    ['SetKeyTier', { keyId: busy.id, tier: 'enterprise' }],
  ] as const) {
    const { status, body } = await operate(visit, pages.url, operation, variables);
    expect([operation, status, body.error?.code]).toEqual([operation, 403, 'forbidden']);
  }
  await visit.context.close();
});
