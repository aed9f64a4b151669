// A client's decisions in the portal take effect on the next call of the API.

import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { changeGrant, requestGrant } from '#repositories/grants/grants.ts';
import { findGrant } from '#test/support/recorded.ts';
import { makeGrant, makeKey } from '#test/support/scenario.ts';
import { operate, type Pages, startPages, violations } from './browser.ts';
import { makeConsent, scopes } from './consent-scene.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

describe('a request', () => {
  it('shows on the start page which firm asks for what, until when and why; approved as asked, it gives access to that', async () => {
    const scene = await makeConsent(pages, 'Hartwell & Lyle');
    await scene.ask({ expiresAt: '2031-03-04T12:00:00.000Z' });
    const { page, faults } = await pages.visitAs(scene.client);
    await page.goto('/portal/');
    const card = page.getByRole('listitem').filter({ hasText: 'Hartwell & Lyle asks for access' });
    await card.waitFor();
    const words = (await card.textContent()) ?? '';
    for (const expected of ['What you own, what it is worth and where it is kept', 'All items', '4 Mar 2031'])
      expect(words).toContain(expected);
    expect(words).toContain('The insurance renewal in March');
    expect((await scene.read('/assets')).body.error.code).toBe('no_active_grant');
    await page.getByRole('button', { name: 'Approve as asked: Hartwell & Lyle, Key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Hartwell & Lyle can now see what it asked for.').waitFor();
    expect(await scene.titles()).toEqual(['Calatrava 96', 'Chronograph 3448', 'Study of a horse']);
    await page.getByRole('table', { name: 'Keys with access' }).getByText('Hartwell & Lyle').waitFor();
    expect(faults).toEqual([]);
  });

  it('names in its last sentence categories of which the client has no items', async () => {
    const scene = await makeConsent(pages, 'Lyle & Sons');
    const grant = await scene.ask({ filter: { type: 'category', categories: ['AR', 'WN'] } });
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByText(/^They see .* of Art and Wine and spirits, until/).waitFor({ timeout: 10_000 });
  });

  it('isolates the writing direction of the names of firm, key and member', async () => {
    const scene = await makeConsent(pages, 'שלום ובניו');
    const keyName = 'דוח 7';
    await pages.database.query({
      text: 'update api_keys set name = $2 where id = $1',
      values: [scene.key.id, keyName],
    });
    await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    const card = page.getByRole('listitem').filter({ hasText: 'asks for access' });
    await card.waitFor();
    expect(await card.locator('bdi').allTextContents()).toEqual([scene.firm.name, keyName]);
    await card.getByRole('button', { name: /^Decline/ }).click();
    await page.getByRole('dialog').locator('bdi').getByText(scene.firm.name).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByRole('link', { name: /^Review/ }).click();
    await page.locator('header bdi').getByText(keyName).waitFor();
    await page.getByRole('link', { name: 'Consent history' }).click();
    const step = page.getByRole('listitem').filter({ hasText: 'asked for access' });
    await step.locator('bdi').first().waitFor();
    expect(await step.locator('bdi').allTextContents()).toEqual(['Imogen Hartwell', scene.firm.name, keyName]);
  });

  it.each([
    [30, ', \\d\\d:\\d\\d UTC'],
    [60, ''],
  ])('that ends in %d hours is shown with its day, and with its hour within 48 hours', async (hours, time) => {
    const scene = await makeConsent(pages, `In ${hours} hours`);
    await scene.ask({ expiresAt: new Date(Date.now() + hours * 3_600_000).toISOString() });
    const { page } = await pages.visitAs(scene.client, { timezoneId: 'UTC' });
    const end = `\\d+ \\w+ \\d{4}${time}`;
    const shown = (text: string) => page.getByText(new RegExp(text)).first().waitFor();
    const follow = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
    await page.goto('/portal/connected');
    await shown(`^${end}$`);
    await page.getByRole('link', { name: /^Review/ }).click();
    await shown(`They see .*, until ${end}\\.$`);
    const choices = await page.getByLabel('Until when').locator('option').allTextContents();
    expect(choices[0]).toMatch(new RegExp(`^As asked: until ${end}$`));
    await page.getByRole('button', { name: 'Approve as asked' }).click();
    await page.getByText(/can now see what/).waitFor();
    await follow('Connected apps');
    await page.getByRole('table', { name: 'Keys with access' }).waitFor();
    await shown(`^${end}$`);
    await follow('Consent history');
    await shown(`^Until ${end}$`);
  });

  it('approved with narrower terms gives access to exactly those', async () => {
    const scene = await makeConsent(pages, 'Narrowed');
    await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    await page.getByRole('link', { name: 'Review the request of Narrowed, Key' }).click();
    await page.getByRole('checkbox', { name: 'Where it is kept' }).uncheck();
    expect(await page.getByRole('checkbox', { name: 'Who inherits it' }).isDisabled()).toBe(true);
    await page.getByRole('radio', { name: 'Chosen items' }).check();
    await page.getByRole('option', { name: /Calatrava 96/ }).click();
    await page.getByRole('option', { name: /Study of a horse/ }).click();
    await page.getByText('2 items chosen').waitFor();
    await page.getByLabel('Until when').selectOption({ label: '30 days' });
    await page.getByText(/They see what you own and what it is worth of 2 chosen items/).waitFor();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.getByText('Narrowed can now see what you approved.').waitFor();

    const { status, body } = await scene.read('/assets');
    expect(status).toBe(200);
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Calatrava 96', 'Study of a horse']);
    expect(body.data[0].market_value).toEqual({ amount: '12500.00', currency: 'USD' });
    expect(Object.keys(body.data[0])).not.toContain('storage_location');
    const outside = await scene.read(`/assets/${scene.items.chronograph.registryId}`);
    expect([outside.status, outside.body.error.code]).toEqual([403, 'asset_not_in_grant']);
    expect((await scene.read('/assets?include=documents')).body.error.code).toBe('insufficient_scope');
    const [row] = await pages.database.query<{ days: number }>({
      text: `select round(extract(epoch from expires_at - now()) / 86400)::int as days from grants where client_id = $1`,
      values: [scene.client.id],
    });
    expect(row?.days).toBe(30);
  });

  it('for categories can be narrowed to some of them; no request can be widened', async () => {
    const scene = await makeConsent(pages, 'Categories');
    const grant = await scene.ask({
      filter: { type: 'category', categories: ['AR', 'WT'] },
      expiresAt: '2031-03-04T12:00:00.000Z',
    });
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByText('They asked for categories: you can leave some out, or choose items of them.').waitFor();
    expect(await page.getByRole('radio', { name: 'Everything' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Watches' }).uncheck();
    expect(await page.getByLabel('Until when').locator('option').allTextContents()).not.toContain('Until I revoke it');
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.getByText('Categories can now see what you approved.').waitFor();
    expect(await scene.titles()).toEqual(['Study of a horse']);

    const other = await makeConsent(pages, 'Wider');
    const request = await other.ask({ scopes: scopes('registry') });
    const asOther = await pages.visitAs(other.client);
    const wider = await operate(asOther, pages.url, 'ApproveGrant', { id: request.id, scopes: ['registry', 'estate'] });
    expect([wider.status, wider.body.error?.code]).toEqual([400, 'invalid_parameter']);
    expect((await other.read('/assets')).body.error.code).toBe('no_active_grant');
  });

  it('for categories can be approved for items in them, and for no other items', async () => {
    const scene = await makeConsent(pages, 'Of These');
    const grant = await scene.ask({ filter: { type: 'category', categories: ['CN', 'WT'] } });
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    const outside = [scene.items.watch, scene.items.picture].map(({ registryId }) => registryId);
    for (const items of [outside, outside.slice(1)]) {
      const wider = { id: grant.id, filter: { type: 'items', items } };
      const { status, body } = await operate(visit, pages.url, 'ApproveGrant', wider);
      expect([status, body.error?.code]).toEqual([400, 'invalid_parameter']);
    }
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByRole('radio', { name: 'Chosen items' }).check();
    await page.getByText('2 items', { exact: true }).waitFor();
    // The names of categories are read by a query of their own.
    const offered = page.getByRole('listbox', { name: 'Your items' }).getByRole('option');
    await expect.poll(() => offered.allTextContents()).toEqual(['Chronograph 3448Watches', 'Calatrava 96Watches']);
    const categories = page.getByLabel('Category').last().locator('option');
    await expect.poll(() => categories.allTextContents()).toEqual(['All', 'Watches (2)']);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    await page.getByText('2 items chosen').waitFor();
    await page.getByRole('button', { name: 'Remove Chronograph 3448' }).click();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.getByText('Of These can now see what you approved.').waitFor();
    expect(await scene.titles()).toEqual(['Calatrava 96']);
    const refused = await scene.read(`/assets/${scene.items.chronograph.registryId}`);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'asset_not_in_grant']);
  });

  it('approved before the categories to choose from are loaded moves the focus to what is missing', async () => {
    const scene = await makeConsent(pages, 'Slow & Sons');
    const request = await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    const loaded = Promise.withResolvers<void>();
    await page.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('"OwnCategories"')) await loaded.promise;
      return route.fallback();
    });
    await page.goto(`/portal/connected/${request.id}`);
    await page.getByRole('radio', { name: 'Some categories' }).check();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    const message = page.getByText('Choose at least one category.').last();
    await expect.poll(() => message.evaluate((text) => text === document.activeElement)).toBe(true);
    loaded.resolve();
    const category = page.getByRole('checkbox', { name: 'Watches' });
    await category.waitFor();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    const first = page.getByLabel('Categories', { exact: true }).getByRole('checkbox').first();
    await expect.poll(() => first.evaluate((box) => box === document.activeElement)).toBe(true);
  });

  it('for a collection can be approved for items in it, and for no other items', async () => {
    const scene = await makeConsent(pages, 'In There');
    const collection = await scene.collect('The vault', [scene.items.watch, scene.items.picture]);
    // The grant of another key, so that the firm knows the collection.
    await makeGrant(pages.database, await makeKey(pages.database, scene.firm), scene.client);
    const grant = await scene.ask({ filter: { type: 'collection', collection } });
    const visit = await pages.visitAs(scene.client);
    const { page } = visit;
    const wider = { id: grant.id, filter: { type: 'items', items: [scene.items.chronograph.registryId] } };
    const { status, body } = await operate(visit, pages.url, 'ApproveGrant', wider);
    expect([status, body.error?.code]).toEqual([400, 'invalid_parameter']);
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByText('They asked for one collection: you can choose items of it instead.').waitFor();
    await page.getByRole('radio', { name: 'Chosen items' }).check();
    await page.getByText('2 items', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    await page.getByText('2 items chosen').waitFor();
    await page.getByRole('option', { name: /Calatrava 96/ }).click();
    await page.getByRole('button', { name: 'Approve with these limits' }).click();
    await page.getByText('In There can now see what you approved.').waitFor();
    expect(await scene.titles()).toEqual(['Study of a horse']);
  });

  it('beyond the newest 100 is counted, and the history can be filtered by a firm with older steps', async () => {
    const scene = await makeConsent(pages, 'Many requests');
    const earlier = await makeConsent(pages, 'Long ago');
    await makeGrant(pages.database, earlier.key, scene.client);
    for (let count = 0; count < 102; count += 1) {
      const { id } = await makeKey(pages.database, scene.firm);
      const terms = { scopes: scopes('registry'), filter: { type: 'all' }, expiresAt: null, purpose: 'More' } as const;
      const request = { ...terms, keyId: id, client: scene.client.id };
      await requestGrant(pages.database, request, { kind: 'firm_member', id: scene.member.id });
    }
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    await page.getByRole('listitem').filter({ hasText: 'asks for access' }).first().waitFor();
    await page.getByText('These are the newest 100 of 102 requests.').waitFor();
    await page.goto('/portal/history');
    await page.getByLabel('Firm').selectOption({ label: 'Long ago' });
    await page.getByText(/gave Long ago access/).waitFor();
    const others = page.getByRole('listitem').filter({ hasText: 'asked for access' });
    await expect.poll(() => others.count()).toBe(0);
  });

  it('filters the history by a firm that is named as soon as it is known, and never by “All firms”', async () => {
    const scene = await makeConsent(pages, 'Named later');
    await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    const held: Route[] = [];
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('"ConsentFirms"') ? void held.push(route) : route.continue(),
    );
    await page.goto(`/portal/history?firm=${scene.firm.id}`);
    const chosen = page.getByLabel('Firm').locator('option:checked');
    await expect.poll(() => chosen.textContent()).toBe('The chosen firm');
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await expect.poll(() => chosen.textContent()).toBe('Named later');
  });

  it('declined gives no access, and is listed among ended access', async () => {
    const scene = await makeConsent(pages, 'Declined');
    await scene.ask();
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    await page.getByRole('button', { name: 'Decline the request of Declined, Key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decline request' }).click();
    await page.getByText('Declined. Declined sees nothing through “Key”.').waitFor();
    expect((await scene.read('/assets')).body.error.code).toBe('no_active_grant');
    await page.getByRole('heading', { name: 'Waiting for your answer' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show 1' }).click();
    await page.getByRole('table', { name: 'Ended access' }).getByText('Declined').first().waitFor();
  });
});

describe('access', () => {
  it('that does not exist is reported in plain words, with a way to what does', async () => {
    const { client } = await makeConsent(pages, 'Nothing of theirs');
    const { page } = await pages.visitAs(client);
    const nowhere = `/portal/connected/${newId('grant')}`;
    await page.goto(`${nowhere}/receipts/1`);
    await page.getByText('There is no such step of this access.').waitFor();
    await page.goto(nowhere);
    await page.getByRole('heading', { name: 'There is no such access' }).waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/grant|request/i);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'See who has access' }).click();
    await page.getByRole('heading', { name: 'Connected apps', level: 1 }).waitFor();
  });

  it('to what its key cannot read is named before saving, and can be taken back', async () => {
    const scene = await makeConsent(pages, 'Reads little');
    const key = await makeKey(pages.database, scene.firm, { scopes: scopes('registry') });
    const given = { scopes: scopes('registry', 'valuation', 'estate') };
    const grant = await makeGrant(pages.database, key, scene.client, given);
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${grant.id}?change=1`);
    const idle = page.getByText(
      /They see what you own of all items.* cannot read: what it is worth and who inherits it/,
    );
    await idle.waitFor();
    expect(await page.getByRole('checkbox', { name: 'Where it is kept' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'What it is worth' }).uncheck();
    await page.getByRole('checkbox', { name: 'Who inherits it' }).uncheck();
    await idle.waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/^Changed: it holds for/).waitFor();
    expect((await findGrant(pages.database, grant.id))?.scopes).toBe(scopes('registry'));
  });

  it('of several keys of a firm is listed together, and ends in two clicks together with its requests', async () => {
    const scene = await makeConsent(pages, 'Many keys');
    const other = await makeConsent(pages, 'Another firm');
    const second = await makeKey(pages.database, scene.firm);
    const asking = await makeKey(pages.database, scene.firm);
    await makeGrant(pages.database, scene.key, scene.client);
    await makeGrant(pages.database, other.key, scene.client);
    await makeGrant(pages.database, second, scene.client);
    const terms = { scopes: scopes('registry'), filter: { type: 'all' }, expiresAt: null } as const;
    await requestGrant(
      pages.database,
      { ...terms, keyId: asking.id, client: scene.client.id, purpose: 'More' },
      { kind: 'firm_member', id: scene.member.id },
    );
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    const rows = page.getByRole('table', { name: 'Keys with access' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    const firms = (await rows.allTextContents()).map((text) => text.includes('Many keys'));
    expect(firms).toEqual(firms.toSorted((one, next) => Number(one !== firms[0]) - Number(next !== firms[0])));
    await page.getByRole('button', { name: 'Stop everything of Many keys' }).click();
    await page.getByText(/keeps what it has read already/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect((await scene.read('/assets')).status).toBe(403);
    // Requests are read by a query of their own, which may be answered later.
    await expect.poll(() => page.getByText('asks for access').count()).toBe(0);
    expect((await rows.allTextContents()).join()).toContain('Another firm');
  });

  it('keeps its place in the list while more rows are loaded', async () => {
    const scene = await makeConsent(pages, 'Now and then');
    const other = await makeConsent(pages, 'In between');
    await makeGrant(pages.database, scene.key, scene.client);
    for (let count = 0; count < 55; count += 1)
      await makeGrant(pages.database, await makeKey(pages.database, other.firm), scene.client);
    await makeGrant(pages.database, await makeKey(pages.database, scene.firm), scene.client);
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    const rows = page.getByRole('table', { name: 'Keys with access' }).locator('tbody tr');
    const firms = async () =>
      (await rows.allTextContents()).map((text) => (text.includes('Now and then') ? 'now' : 'between'));
    await rows.last().scrollIntoViewIfNeeded();
    await expect.poll(() => rows.count()).toBe(57);
    expect(await firms()).toEqual(['now', ...Array.from({ length: 55 }, () => 'between'), 'now']);
  });

  it('is widened and narrowed with effect on the next call', async () => {
    const scene = await makeConsent(pages, 'Changed');
    const grant = await makeGrant(pages.database, scene.key, scene.client, {
      scopes: scopes('registry'),
      filter: { type: 'items', items: [scene.items.watch.registryId] },
      expiresAt: '2031-03-04T12:00:00.000Z',
    });
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${grant.id}`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('checkbox', { name: 'What it is worth' }).check();
    await page.getByRole('option', { name: /Study of a horse/ }).click();
    await page.getByRole('button', { name: 'Remove Calatrava 96' }).click();
    await page.getByLabel('Until when').selectOption({ label: 'Until I revoke it' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changed: it holds for Changed from this moment.').waitFor();
    const { body } = await scene.read('/assets');
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Study of a horse']);
    expect(Object.keys(body.data[0])).toContain('market_value');
    const [row] = await pages.database.query({
      text: 'select expires_at from grants where id = $1',
      values: [grant.id],
    });
    expect(row).toEqual({ expires_at: null });
    await page.getByText('You changed what they can see').waitFor();
  });

  it('that was changed elsewhere is not overwritten from an outdated form', async () => {
    const scene = await makeConsent(pages, 'Elsewhere too');
    const grant = await makeGrant(pages.database, scene.key, scene.client, {
      scopes: scopes('registry', 'valuation', 'detail'),
    });
    const granted = async () => (await findGrant(pages.database, grant.id))?.scopes;
    const { page } = await pages.visitAs(scene.client);
    await page.goto(`/portal/connected/${grant.id}?change=1`);
    await page.getByRole('checkbox', { name: 'What it is worth' }).uncheck();
    const owner = { kind: 'client', id: scene.client.id } as const;
    await changeGrant(pages.database, grant.id, { scopes: scopes('registry', 'valuation') }, owner);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('This access was changed in the meantime').waitFor();
    expect(await granted()).toBe(scopes('registry', 'valuation'));
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByText('This access was changed in the meantime').waitFor({ state: 'detached' });
    expect(await page.getByRole('checkbox', { name: 'Where it is kept' }).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: 'What it is worth' }).uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changed: it holds for Elsewhere too from this moment.').waitFor();
    expect(await granted()).toBe(scopes('registry'));
  });

  it('is given without a request to a key that is looked up by its id', async () => {
    const scene = await makeConsent(pages, 'Unasked');
    const { page } = await pages.visitAs(scene.client);
    await page.goto('/portal/connected');
    await page.getByText('Nobody sees your portfolio').waitFor();
    await page.getByRole('link', { name: 'Give access' }).click();
    await page.getByLabel('Key id').fill('key_01');
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('A key’s id begins with key_').waitFor();
    await page.getByLabel('Key id').fill('key_01GR638KM0J6FFEH15V0EWDKVZ');
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('There is no key with this id').waitFor();
    await page.getByLabel('Key id').fill(scene.key.id);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('Unasked').first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Look it up');
    await page.getByRole('radio', { name: 'Some categories' }).check();
    await page.getByRole('button', { name: 'Give access' }).click();
    await page.locator('#main').getByText('Choose at least one category.').waitFor();
    await page.getByRole('checkbox', { name: 'Art', exact: true }).check();
    await page.getByRole('button', { name: 'Give access' }).click();
    await page.getByText('Unasked can now see what you gave.').waitFor();
    expect(await scene.titles()).toEqual(['Study of a horse']);
  });
});

it('another client’s grant is hidden on every page and in every operation', async () => {
  const scene = await makeConsent(pages, 'Private Matters');
  const grant = await makeGrant(pages.database, scene.key, scene.client);
  const other = await makeConsent(pages, 'Elsewhere');
  const visit = await pages.visitAs(other.client);
  const { page } = visit;
  for (const path of ['/portal/connected', `/portal/connected/${grant.id}`, '/portal/record', '/portal/history']) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.content()).not.toContain('Private Matters');
  }
  const attempts = [
    ['ClientGrantDetail', { id: grant.id }],
    ['ChangeGrant', { id: grant.id, noExpiry: true }],
    ['RevokeGrant', { id: grant.id }],
    ['Preview', { grantId: grant.id, request: `/api/v1/assets?client_id=${scene.client.id}` }],
  ] as const;
  for (const [operation, variables] of attempts) {
    const { status, body } = await operate(visit, pages.url, operation, variables);
    expect([operation, status, body.error?.code]).toEqual([operation, 404, 'resource_not_found']);
  }
  const own = await operate(visit, pages.url, 'OwnItems', { registryIds: [scene.items.watch.registryId] });
  expect(own.body.data).toEqual({ totalItems: 0, nodes: [] });
  expect((await scene.read('/assets')).status).toBe(200);
});

it('a request can be narrowed and approved with the keyboard alone', async () => {
  const scene = await makeConsent(pages, 'By Keys');
  await scene.ask();
  const { page } = await pages.visitAs(scene.client);
  await page.goto('/portal/connected');
  const reach = async (name: RegExp | string) => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement | null;
        const labels = [...(element?.labels ?? [])].map((label) => label.textContent).join(' ');
        return element?.getAttribute('aria-label') ?? (labels || (element?.textContent ?? ''));
      });
      if (typeof name === 'string' ? at === name : name.test(at)) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  await page.getByRole('link', { name: /Review the request/ }).waitFor();
  await reach(/Review the request of By Keys/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'By Keys' }).waitFor();
  await reach(/^Where it is kept/);
  await page.keyboard.press('Space');
  await reach(/^Everything/);
  for (let type = 0; type < 3; type += 1) await page.keyboard.press('ArrowDown');
  await page.getByRole('listbox', { name: 'Your items' }).waitFor();
  await reach('Search');
  await page.keyboard.type('calatrava');
  await page.getByText('1 item', { exact: true }).waitFor();
  await reach('Your items');
  await page.keyboard.press('Space');
  await page.getByText('1 item chosen').waitFor();
  await reach('Approve with these limits');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText('By Keys can now see what you approved.').waitFor();
  expect(await scene.titles()).toEqual(['Calatrava 96']);
  expect(Object.keys((await scene.read('/assets')).body.data[0])).not.toContain('notes');
});
