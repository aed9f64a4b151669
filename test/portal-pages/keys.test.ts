// Keys in the portal: their creation, revocation and rotation, and their use of a firm's limit.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Firm, setFirmLimit } from '#repositories/firms.ts';
import type { User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey, why } from '#test/support/scenario.ts';
import { operate, type Pages, settled, startPages, type Visit, violations } from './browser.ts';

let pages: Pages;
let firm: Firm;
let member: User;

beforeAll(async () => {
  pages = await startPages();
  firm = await makeFirm(pages.database, { name: 'Hartwell & Lyle' });
  member = await makeMember(pages.gateway, firm, 'Imogen Hartwell');
});

afterAll(() => pages.stop());

const assets = (secret: string, clientId: string) => call(`${pages.url}/api/v1/assets?client_id=${clientId}`, secret);

/** Fills in the form and sends it; returns the secret that the page shows. */
async function createKey({ page }: Visit, name: string): Promise<string> {
  await page.goto('/portal/keys/new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('radio', { name: 'Production' }).click();
  await page.getByLabel('Valuation').check();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: `“${name}” is ready` }).waitFor();
  return (await page.getByRole('status', { name: 'Secret' }).textContent()) ?? '';
}

/** Everything that the browser has stored for the page. */
async function browserStorage({ page, context }: Visit): Promise<string> {
  const inPage = await page.evaluate(async () => {
    const caches_ = 'caches' in globalThis ? await caches.keys() : [];
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href, caches_]);
  });
  return inPage + JSON.stringify(await context.storageState({ indexedDB: true }));
}

it('the use of a firm’s limit by all its keys is shown once the firm has one', async () => {
  const limited = await makeFirm(pages.database, { name: 'Limited' });
  const imogen = await makeMember(pages.gateway, limited, 'Imogen Limited');
  const client = await makeClient(pages.database);
  const keys = [await makeKey(pages.database, limited), await makeKey(pages.database, limited)];
  const visit = await pages.visitAs(imogen);
  const { page } = visit;
  await page.goto('/portal/keys');
  await page.getByRole('table').waitFor();
  expect(await page.getByText('All keys together').count()).toBe(0);
  await setFirmLimit(pages.database, limited.id, { ...why, limit: 3 }, { kind: 'operator', id: 'test' });
  for (const { secret } of keys) for (let call = 0; call < 2; call++) await assets(secret, client.id);
  await page.reload();
  const section = page.getByRole('region', { name: 'All keys together' });
  await section.getByText('1 refused').waitFor();
  expect(await section.textContent()).toMatch(/3\s*\/\s*3/);
  expect(await violations(page)).toEqual([]);
  expect(visit.faults).toEqual([]);
});

describe('a key that is created in the portal', () => {
  it('works in the API from the moment its secret is shown, with a request to paste', async () => {
    const visit = await pages.visitAs(member);
    const { page } = visit;
    const secret = await createKey(visit, 'Ledger sync');
    expect(secret).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
    const client = await makeClient(pages.database);
    expect((await assets(secret, client.id)).body.error.code).toBe('no_active_grant');
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy request' }).click();
    const pasted = await copied();
    expect(pasted).toContain(`Authorization: Bearer ${secret}`);
    const [address = ''] = /http[^']*/.exec(pasted) ?? [];
    expect((await call(address, secret)).body.error.code).toBe('no_active_grant');
    await page.getByRole('button', { name: 'Copy secret' }).click();
    expect(await copied()).toBe(secret);
    expect(visit.faults).toEqual([]);
  });

  it('shows its secret once: not again on Back, also from elsewhere, after a reload, on any page or in storage', async () => {
    const visit = await pages.visitAs(member);
    const { page } = visit;
    const responses: string[] = [];
    const secret = await createKey(visit, 'Shown once');
    page.on(
      'response',
      (response) =>
        void response.text().then(
          (text) => responses.push(text),
          () => {},
        ),
    );
    expect(await browserStorage(visit)).not.toContain(secret);

    await page.getByRole('link', { name: 'I have saved the secret' }).click();
    await page.getByRole('heading', { name: 'Shown once' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.goBack();
    await page.getByRole('heading', { name: 'Create a key' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.goForward();
    await page.reload();
    await page.getByRole('heading', { name: 'Shown once' }).waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    expect(await page.content()).not.toContain(secret);
    expect(await browserStorage(visit)).not.toContain(secret);
    await expect.poll(() => responses.join()).toContain('Shown once');
    expect(responses.join()).not.toContain(secret);

    const another = await createKey(visit, 'Elsewhere');
    await page.goto('/docs');
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.content()).not.toContain(another);
  });
});

describe('revoking a key', () => {
  it('asks first, with the key’s name, traffic and number of clients; then the key is refused at once', async () => {
    const { database } = pages;
    const key = await makeKey(database, firm);
    await database.query({ text: `update api_keys set name = 'ERP of 2019' where id = $1`, values: [key.id] });
    const client = await makeClient(database);
    await makeItem(database, client);
    await makeGrant(database, key, client);
    for (let n = 0; n < 3; n += 1) expect((await assets(key.secret, client.id)).status).toBe(200);
    await recordsSaved(key, 3);

    const visit = await pages.visitAs(member);
    const { page } = visit;
    await page.goto(`/portal/keys/${key.id}`);
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke “ERP of 2019”?' });
    await dialog.waitFor();
    const words = (await dialog.textContent()) ?? '';
    expect(words).toContain('3 requests in the last 24 hours');
    expect(words).toContain('1 client has granted it access');
    expect(await violations(page)).toEqual([]);
    expect((await assets(key.secret, client.id)).status).toBe(200);

    const revoked = page.waitForResponse((response) => response.request().postData()?.includes('RevokeKey') === true);
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await revoked;
    const refused = await assets(key.secret, client.id);
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key']);
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });
});

async function recordsSaved(key: Key, count: number): Promise<void> {
  await expect
    .poll(async () => {
      const text = 'select count(*)::int as count from recorded_calls where key_id = $1';
      const [row] = await pages.database.query<{ count: number }>({ text, values: [key.id] });
      return row?.count;
    })
    .toBe(count);
}

const rowOf = (page: Visit['page'], { lastFour }: Key) => page.getByRole('row').filter({ hasText: lastFour });

describe('rotating a key', () => {
  it('creates a new secret while the old one works for the chosen overlap', async () => {
    const { database } = pages;
    const key = await makeKey(database, firm);
    const client = await makeClient(database);
    await makeGrant(database, key, client);
    const visit = await pages.visitAs(member);
    const { page } = visit;
    await page.goto(`/portal/keys/${key.id}`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('24 hours').check();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('heading', { name: 'The new secret of “Key”' }).waitFor();
    const secret = (await page.getByRole('status', { name: 'Secret' }).textContent()) ?? '';
    expect(secret).not.toBe(key.secret);
    for (const either of [secret, key.secret]) expect((await assets(either, client.id)).status).toBe(200);

    await page.goto(`/portal/keys/${key.id}`);
    await page.getByText(/Works until/).waitFor();
    await page.getByRole('link', { name: 'a later key, which replaces this one' }).first().waitFor();
    await page.getByRole('link', { name: 'successor' }).click();
    await page.waitForURL((at) => !at.pathname.endsWith(key.id));
    await page.getByRole('link', { name: 'an earlier key, which this one replaces' }).first().waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await rowOf(page, key)
      .getByText(/^Ends in (23|24) hours$/)
      .waitFor();
  });

  it('ends the old secret at once if no overlap is chosen', async () => {
    const key = await makeKey(pages.database, firm);
    const client = await makeClient(pages.database);
    await makeGrant(pages.database, key, client);
    const visit = await pages.visitAs(member);
    await visit.page.goto(`/portal/keys/${key.id}`);
    await visit.page.getByRole('button', { name: 'Rotate' }).click();
    await visit.page.getByLabel('None').check();
    await visit.page.getByRole('button', { name: 'Rotate key' }).click();
    await visit.page.getByRole('heading', { name: 'The new secret of “Key”' }).waitFor();
    expect((await assets(key.secret, client.id)).body.error.code).toBe('expired_api_key');
    await pages.database.query({
      text: `update api_keys set expires_at = expires_at - interval '50 hours' where id = $1`,
      values: [key.id],
    });
    await visit.page.goto(`/portal/keys/${key.id}`);
    await visit.page.getByText(/^Ended .* Its successor works in its place\.$/).waitFor();
    await visit.page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await rowOf(visit.page, key).getByText('Ended 2 days ago').waitFor();
  });
});

describe('a firm whose plan is not active', () => {
  it('sees why instead of the form, and is refused if it sends the operation anyway', async () => {
    const inactive = await makeFirm(pages.database, { name: 'Lapsed & Sons', planActive: false });
    const visit = await pages.visitAs(await makeMember(pages.gateway, inactive));
    await visit.page.goto('/portal/keys/new');
    await visit.page.getByText('The enterprise plan is not active').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    for (const path of ['/portal/keys', '/portal/access/ask']) {
      await visit.page.goto(path);
      await settled(visit.page);
      await visit.page.getByText('The enterprise plan is not active').waitFor();
      expect(await visit.page.getByRole('link', { name: 'Create key' }).count()).toBe(0);
    }
    const variables = { name: 'Past it', environment: 'sandbox', scopes: ['registry'] };
    const { status, body } = await operate(visit, pages.url, 'CreateKey', variables);
    expect([status, body.error?.code]).toEqual([403, 'plan_inactive']);
  });
});

describe('the keys of another firm', () => {
  it('are not in the list, and are reported as not found on pages and in operations', async () => {
    const other = await makeFirm(pages.database, { name: 'Somebody Else' });
    const theirs = await makeKey(pages.database, other);
    const visit = await pages.visitAs(member);
    await visit.page.goto(`/portal/keys/${theirs.id}`);
    await visit.page
      .getByRole('alert')
      .getByText(/^There is no key/)
      .waitFor();
    for (const operation of ['FirmKey', 'RevokeKey', 'RotateKey']) {
      const { status } = await operate(visit, pages.url, operation, { id: theirs.id });
      expect([operation, status]).toEqual([operation, 404]);
    }
    const { body } = await operate(visit, pages.url, 'FirmKeys', {});
    expect(JSON.stringify(body)).not.toContain(theirs.id);
  });
});
