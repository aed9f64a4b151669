// A firm's pages of its grants: requests to clients, grants that end soon, ended grants, and grants of other firms.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import type { User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { operate, type Pages, readAnew, startPages, type Visit, violations } from './browser.ts';

let pages: Pages;
let firm: Firm;
let member: User;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database);
  member = await makeMember(pages.gateway, firm, 'Imogen Hartwell');
});

afterAll(() => pages.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function nameClient(client: User, name: string): Promise<void> {
  await pages.database.query({ text: 'update users set name = $2 where id = $1', values: [client.id, name] });
}

async function ask({ page }: Visit, client: User, purpose: string): Promise<void> {
  await page.goto('/portal/access/ask');
  await page.getByLabel('Client').fill(client.email);
  await page.getByRole('radio', { name: 'Items of certain categories' }).check();
  await page.getByRole('checkbox', { name: 'Watches' }).check();
  await page.getByLabel('Purpose').fill(purpose);
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Waiting', { exact: true }).first().waitFor();
}

it('the list of grants names only scopes that the key has, as the page of the grant does', async () => {
  const narrow = await makeFirm(pages.database);
  const key = await makeKey(pages.database, narrow, { scopes: scopeSet(['registry', 'valuation']) });
  const { id } = await makeGrant(pages.database, key, await makeClient(pages.database));
  const visit = await pages.visitAs(await makeMember(pages.gateway, narrow));
  const { page } = visit;
  await page.goto('/portal/access');
  const row = page.getByRole('table').locator('tbody tr');
  await row.getByText('Registry, Valuation', { exact: true }).waitFor();
  await page.goto(`/portal/access/${id}`);
  await page.getByRole('heading', { name: 'Scopes' }).waitFor();
  expect(await page.getByRole('img', { name: 'Included:', exact: true }).count()).toBe(2);
});

describe('asking a client for access', () => {
  it('sends scopes, items, end and purpose, does not reveal the client’s name, and can be withdrawn', async () => {
    const asking = await makeFirm(pages.database);
    await makeKey(pages.database, asking, { scopes: scopeSet(['registry', 'valuation']) });
    const client = await makeClient(pages.database);
    await nameClient(client, 'Eleanor Whitcombe');
    const visit = await pages.visitAs(await makeMember(pages.gateway, asking, 'Imogen Hartwell'));
    const { page } = visit;
    await ask(visit, client, 'Insurance renewal in March');
    await page.getByRole('heading', { name: client.email, level: 1 }).waitFor();
    expect(await page.content()).not.toContain('Eleanor Whitcombe');
    const { body } = await operate(visit, pages.url, 'Grants', { status: ['pending'] });
    const { nodes } = body.data as { nodes: Record<string, unknown>[] };
    expect(nodes).toMatchObject([
      {
        status: 'pending',
        addressee: client.email,
        clientId: null,
        scopes: ['registry', 'valuation'],
        filter: { type: 'category', categories: [{ code: 'WT', name: 'Watches' }] },
        expiresAt: null,
        purpose: 'Insurance renewal in March',
      },
    ]);

    await page.getByRole('button', { name: 'Withdraw request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw request' }).click();
    await page.getByText('Withdrawn', { exact: true }).first().waitFor();
    await page.getByText('Withdrawn by Imogen Hartwell').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(visit.faults).toEqual([]);
  });

  it('does not send a key that was revoked meanwhile in place of the one that the form shows', async () => {
    const asking = await makeFirm(pages.database);
    const [kept, revoked] = [await makeKey(pages.database, asking), await makeKey(pages.database, asking)];
    const client = await makeClient(pages.database);
    const visit = await pages.visitAs(await makeMember(pages.gateway, asking));
    const { page } = visit;
    await page.clock.install();
    await page.goto('/portal/access/ask');
    const field = page.getByLabel('Key');
    await field.selectOption(revoked.id);
    await page.getByLabel('Client').fill(client.email);
    await page.getByLabel('Purpose').fill('The renewal');
    await revokeKey(pages.database, revoked.id, { kind: 'operator', id: 'test' });
    await readAnew(page);
    await page.getByText('This key can no longer be used. Choose another.').waitFor();
    expect(await field.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)).toBe(
      'No longer usable',
    );
    await page.getByRole('button', { name: 'Send request' }).click();
    await field.selectOption(kept.id);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Waiting', { exact: true }).first().waitFor();
    const asked = 'select lineage_id as key from grants where addressee = $1';
    expect(await pages.database.query({ text: asked, values: [client.email] })).toEqual([{ key: kept.id }]);
  });

  it('requires a purpose; a request to an unknown client waits like any other', async () => {
    await makeKey(pages.database, firm);
    const visit = await pages.visitAs(member);
    const { page } = visit;
    await page.goto('/portal/access/ask');
    await page.getByLabel('Client').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Say what it is for: the client decides by it.').waitFor();
    await page.getByLabel('Purpose').fill('Anything');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('heading', { name: 'nobody@example.com', level: 1 }).waitFor();
    await page.getByText('Waiting', { exact: true }).first().waitFor();
    await page.getByText('You learn who the client is when they approve.').waitFor();
  });
});

describe('grants that end within 7 days', () => {
  it('appear in a notice, in a list of their own and in the navigation', async () => {
    const key = await makeKey(pages.database, firm);
    for (const [name, days] of [
      ['Soon Client', 3],
      ['Later Client', 30],
    ] as const) {
      const client = await makeClient(pages.database);
      await nameClient(client, name);
      await makeGrant(pages.database, key, client, { expiresAt: inDays(days) });
    }
    const visit = await pages.visitAs(member);
    const { page } = visit;
    await page.goto('/portal/access');
    await page.getByText('1 grant ends within 7 days.').waitFor();
    await page.getByRole('link', { name: /Access.*1.*expiring soon/ }).waitFor();
    await page.getByRole('link', { name: 'Later Client' }).waitFor();
    await page.getByRole('link', { name: 'See which' }).click();
    await page.getByRole('link', { name: 'Soon Client' }).waitFor();
    await page.getByRole('link', { name: 'Later Client' }).waitFor({ state: 'detached' });
    await page.getByText(/^Ends in [23] days$/).waitFor();
    await page.getByRole('cell', { name: /^\d+ \w+ \d{4}\s*Ends in [23] days$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Soon Client' }).click();
    await page.getByText('Only the client can extend it').waitFor();
  });
});

describe('an ended grant', () => {
  it('can be requested again with the same key, client, scopes and categories', async () => {
    const key = await makeKey(pages.database, firm, { scopes: scopeSet(['registry', 'valuation', 'detail']) });
    const client = await makeClient(pages.database);
    const grant = await makeGrant(pages.database, key, client, {
      scopes: scopeSet(['registry', 'detail']),
      filter: { type: 'category', categories: ['AR', 'WT'] },
    });
    await revokeGrant(pages.database, grant.id, { kind: 'client', id: client.id });
    const visit = await pages.visitAs(member);
    const { page } = visit;
    await page.goto(`/portal/access/${grant.id}`);
    await page.getByRole('link', { name: 'Ask again' }).click();
    await page.getByLabel('Purpose').fill('As before');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Waiting', { exact: true }).first().waitFor();
    const { body } = await operate(visit, pages.url, 'Grants', { status: ['pending'], keyId: key.id });
    expect(body.data).toMatchObject({
      nodes: [
        {
          ...{ addressee: client.id, scopes: ['registry', 'detail'] },
          filter: { type: 'category', categories: [{ code: 'AR' }, { code: 'WT' }] },
        },
      ],
    });
  });

  it('for chosen items is not requested again for all items', async () => {
    const key = await makeKey(pages.database, firm);
    const client = await makeClient(pages.database);
    const item = await makeItem(pages.database, client);
    const filter = { type: 'items' as const, items: [item.registryId] };
    const grant = await makeGrant(pages.database, key, client, { filter });
    await revokeGrant(pages.database, grant.id, { kind: 'client', id: client.id });
    const { page } = await pages.visitAs(member);
    await page.goto(`/portal/access/${grant.id}`);
    await page.getByRole('link', { name: 'Ask again' }).click();
    await page.getByLabel('Purpose').fill('As before');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Name at least one item.').waitFor();
  });
});

describe('grants to another firm', () => {
  it('are visible neither by id nor in the list', async () => {
    const other = await makeFirm(pages.database, { name: 'Somebody Else' });
    const client = await makeClient(pages.database);
    const grant = await makeGrant(pages.database, await makeKey(pages.database, other), client);
    const visit = await pages.visitAs(member);
    await visit.page.goto(`/portal/access/${grant.id}`);
    await visit.page
      .getByRole('alert')
      .getByText(/^There is no/)
      .waitFor();
    expect((await operate(visit, pages.url, 'GrantDetail', { id: grant.id })).status).toBe(404);
    expect((await operate(visit, pages.url, 'WithdrawGrant', { id: grant.id })).status).toBe(404);
    const { body } = await operate(visit, pages.url, 'Grants', { first: 100 });
    expect(JSON.stringify(body)).not.toContain(client.id);
  });
});
