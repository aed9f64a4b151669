// A firm's link for clients, which reports nothing to the firm until access is given; and the firm's identity, as its
// members edit it and clients see it.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { firmIdentities, setFirmIdentity } from '#repositories/firm-identities.ts';
import { revokeKey, rotateKey } from '#repositories/keys/keys.ts';
import { KEY_BOUNDS } from '#test/repositories/parties.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeGrant, makeKey } from '#test/support/scenario.ts';
import {
  faultsOnEveryScreen,
  type Pages,
  PHONE,
  readAnew,
  settled,
  startPages,
  violations,
  violationsInBothSchemes,
} from './browser.ts';
import { type ConsentScene, makeConsent } from './consent-scene.ts';
import { enter } from './signing-in.ts';

let pages: Pages;
let scene: ConsentScene;

beforeAll(async () => {
  pages = await startPages();
  scene = await makeConsent(pages, 'Hartwell & Lyle');
});
afterAll(() => pages.stop());

const linkOn = async (page: Page): Promise<string> =>
  (await page.getByRole('region', { name: 'link' }).textContent()) ?? '';

/** The numbers of rows from which a firm's pages are made, and the key's last use. */
async function seenByFirm(keyId: string): Promise<Record<string, unknown>> {
  const tables = ['grants', 'grant_events', 'key_events', 'firm_events', 'access_calls', 'firm_refusals', 'notices'];
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ');
  const [row] = await pages.database.query<Record<string, unknown>>({
    text: `select ${counts}, (select last_used_at from api_keys where id = $1)`,
    values: [keyId],
  });
  return row ?? {};
}

describe('a firm’s identity', () => {
  it('is edited by a member, with its changes listed below; an invalid web site is reported at its field', async () => {
    const { page, faults } = await pages.visitAs(scene.member);
    await page.goto('/portal/firm');
    await page.getByLabel('Web site').fill('www.hartwell.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Begin with https://').waitFor();
    await page.getByLabel('Web site').fill('https://www.hartwell.example');
    await page.getByLabel('Address').fill('1 High Street\nLondon');
    await page.getByLabel('E-mail').fill('clients@hartwell.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Address, web site and e-mail changed by Imogen Hartwell').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('keeps a concurrent change of another field as well as what the member has filled in', async () => {
    const { firm, member } = await makeConsent(pages, 'Two at once');
    const actor = { kind: 'firm_member', id: member.id } as const;
    const initial = { address: '1 High Street', website: null, email: 'old@hartwell.example', phone: null };
    await setFirmIdentity(pages.database, firm.id, initial, actor);
    const { page } = await pages.visitAs(member);
    await page.clock.install();
    await page.goto('/portal/firm');
    await page.getByLabel('Telephone').fill('+44 20 7946 0000');
    await setFirmIdentity(pages.database, firm.id, { ...initial, email: 'new@hartwell.example' }, actor);
    await readAnew(page);
    await page.getByText(/^E-mail changed by/).waitFor();
    expect(await page.getByLabel('Telephone').inputValue()).toBe('+44 20 7946 0000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Telephone changed by').waitFor();
    const identity = (await firmIdentities(pages.database, [firm.id])).get(firm.id);
    expect(identity).toEqual({ ...initial, email: 'new@hartwell.example', phone: '+44 20 7946 0000' });
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe('new@hartwell.example');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('is shown with a request that is not yet answered', async () => {
    await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    const request = page.getByRole('listitem').filter({ hasText: 'asks for access' });
    await request.getByText('1 High Street').waitFor();
    const site = request.getByRole('link', { name: 'www.hartwell.example' });
    expect(await site.getAttribute('href')).toBe('https://www.hartwell.example/');
    expect(await site.getAttribute('rel')).toContain('noopener noreferrer');
  });
});

describe('a link', () => {
  it('carries the scopes and the duration that the firm suggests, as text and as a QR code', async () => {
    const { page, faults } = await pages.visitAs(scene.member);
    await page.goto(`/portal/keys/${scene.key.id}`);
    await page.getByRole('link', { name: 'Link for clients' }).click();
    await page.getByRole('heading', { level: 1, name: 'Link for clients' }).waitFor();
    const all = await linkOn(page);
    expect(all).toContain(`${pages.url}/portal/connect/${scene.key.id}?scopes=registry,valuation,`);
    const code = () => page.locator('svg[role=img] path').getAttribute('d');
    const before = await code();
    for (const name of ['Detail', 'Category detail', 'Documentation', 'Estate', 'Verification'])
      await page.getByRole('checkbox', { name, exact: true }).uncheck();
    await page.getByLabel('For how long').selectOption('90');
    expect(await linkOn(page)).toBe(`${pages.url}/portal/connect/${scene.key.id}?scopes=registry,valuation&days=90`);
    expect(await code()).not.toBe(before);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the code' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Key link.svg');
    expect(faults).toEqual([]);
  });

  it('is not offered to a key that nobody can give access to', async () => {
    const key = await makeKey(pages.database, scene.firm);
    await revokeKey(pages.database, key.id, { kind: 'operator', id: 'test' });
    const { page, faults } = await pages.visitAs(scene.member);
    await page.goto(`/portal/keys/${key.id}/link`);
    await page.getByText('Clients cannot give access to this key').waitFor();
    expect(await page.getByRole('region', { name: 'link' }).count()).toBe(0);
    expect(await page.locator('#main').getByRole('button').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('leads a client through the sign-in to giving access; until then the firm learns nothing', async () => {
    const { database } = pages;
    const key = await makeKey(database, scene.firm);
    const other = await makeConsent(pages, 'Called afterwards');
    await makeGrant(database, other.key, other.client);
    await pages.givePassword(scene.client);
    const { page, faults } = await pages.visit({ viewport: PHONE });
    await page.goto(`/portal/connect/${key.id}?scopes=valuation,registry,nonsense&days=90`);
    await page.getByText('A firm gave you its link.').waitFor();
    const before = await seenByFirm(key.id);
    await enter(page, scene.client.email);
    await page.getByRole('heading', { level: 1, name: 'Connect a firm' }).waitFor();
    await page.getByText('Hartwell & Lyle').first().waitFor();
    await page.getByText('1 High Street').waitFor();
    expect(await page.getByRole('checkbox', { name: 'What it is worth' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Who inherits it' }).isChecked()).toBe(false);
    // 90 days from now end within a day, so the page adds the time to the day that the field shows.
    await page.getByText(/^It ends on \d+ \w+ \d{4}, \d\d:\d\d/).waitFor();
    await page.getByLabel('Last day').fill('2031-03-04');
    expect(await page.getByText(/^It ends on/).count()).toBe(0);
    await page.getByLabel('Until when').selectOption({ label: '90 days' });
    await page.waitForLoadState('networkidle');
    // Calls are saved in their order, a moment later.
    await other.read('/assets');
    await recorded(pages.gateway, 1, other.client.id);
    const after = await seenByFirm(key.id);
    expect({ ...after, access_calls: Number(after.access_calls) - 1, notices: 0 }).toEqual({ ...before, notices: 0 });

    await page.getByRole('button', { name: 'Give access' }).click();
    await page.getByText('Hartwell & Lyle can now see what you gave.').waitFor();
    const [grant] = await database.query<{ scopes: number; days: number }>({
      text: `select scopes, round(extract(epoch from expires_at - now()) / 86400)::int as days from grants g
        where lineage_id = $1 and client_id = $2`,
      values: [key.id, scene.client.id],
    });
    expect(grant).toEqual({ scopes: 3, days: 90 });
    expect(faults).toEqual([]);
  });

  it('leads to a pending request, to existing access and to the successor of a rotated key', async () => {
    const { database } = pages;
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connect/${scene.key.id}`);
    await page.getByText('It asks for access already.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Answer the request' }).click();
    await page.getByRole('button', { name: 'Approve as asked' }).waitFor();

    const granted = await makeKey(database, scene.firm);
    await makeGrant(database, granted, scene.client);
    await page.goto(`/portal/connect/${granted.id}`);
    await page.getByText('It has access already.').waitFor();
    await page.getByRole('link', { name: 'See or change it' }).waitFor();

    const key = await makeKey(database, scene.firm);
    const { text: _, ...secret } = makeKeySecret('production');
    await rotateKey(database, key.id, { overlapMs: 0, secret }, { kind: 'operator', id: 'test' }, KEY_BOUNDS);
    await page.goto(`/portal/connect/${key.id}`);
    await page.getByRole('button', { name: 'Give access' }).waitFor();

    const sandbox = await makeKey(database, scene.firm, { environment: 'sandbox' });
    for (const missing of [sandbox.id, `key_${'0'.repeat(26)}`, 'key_nonsense']) {
      await page.goto(`/portal/connect/${missing}`);
      await page.getByText('This link does not lead to a key that you can give access to.').waitFor();
      expect(await page.getByText('Hartwell').count()).toBe(0);
    }
  });

  it('tells a member of a firm that it is for clients', async () => {
    const { page } = await pages.visitAs(scene.member);
    await page.goto(`/portal/connect/${scene.key.id}`);
    await page.getByText('It leads clients to a firm’s key.').waitFor();
  });

  it('is remembered for a sign-in in another tab, once', async () => {
    await pages.givePassword(scene.client);
    const { page, context } = await pages.visit();
    await page.goto(`/portal/connect/${scene.key.id}`);
    await page.getByText('A firm gave you its link.').waitFor();
    // A new tab, as a link in a mail opens one. An open first tab would follow the sign-in, and show the page too.
    const other = await context.newPage();
    await page.close();
    await other.goto('/portal/sign-in');
    await enter(other, scene.client.email);
    await other.getByRole('heading', { level: 1, name: 'Connect a firm' }).waitFor();
    await other.goto('/portal/');
    await other.getByRole('heading', { level: 1, name: 'Connected apps' }).waitFor();
  });
});

it('axe finds nothing on the pages of the identity and the link on any screen', async () => {
  const key = await makeKey(pages.database, scene.firm);
  const visits = [
    [await pages.visitAs(scene.member), ['/firm', `/keys/${key.id}/link`]],
    [await pages.visitAs(scene.client), [`/connect/${key.id}`, '/connected']],
  ] as const;
  for (const [{ page, faults }, paths] of visits) {
    for (const path of paths) {
      await page.goto(`/portal${path}`);
      await settled(page);
      await page.waitForLoadState('networkidle');
      expect([path, await faultsOnEveryScreen(page)]).toEqual([path, []]);
    }
    expect(faults).toEqual([]);
  }
});

it('a form for giving access stays when the firm asks for access meanwhile', async () => {
  const asking = await makeConsent(pages, 'Asks meanwhile');
  const { page } = await pages.visitAs(asking.client);
  await page.clock.install();
  await page.goto(`/portal/connect/${asking.key.id}`);
  const worth = page.getByRole('checkbox', { name: 'What it is worth' });
  await worth.check();
  const grant = await asking.ask();
  await readAnew(page);
  const notice = page.getByRole('alert').filter({ hasText: 'It asks for access already.' });
  const link = notice.getByRole('link', { name: 'Answer the request' });
  expect(await link.getAttribute('href')).toBe(`/portal/connected/${grant.id}`);
  expect(await worth.isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await link.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  expect(await worth.isChecked()).toBe(true);
});
