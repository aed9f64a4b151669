// Guarantee: a first sandbox call takes six clicks from the sign-in, revoking access two, narrowing a request five; and
// two clicks at once do what one does.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, makeFirm, makeGrant } from '#test/support/scenario.ts';
import { PASSWORD, type Pages, startPages, violations } from './browser.ts';
import { countClicks } from './clicks.ts';
import { makeConsent } from './consent-scene.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());

it('the first sandbox call takes six clicks, the first sign-in included', async () => {
  const firm = await makeFirm(pages.database, { name: 'Newcomers' });
  const member = await makeMember(pages.gateway, firm, 'Nell New');
  await pages.givePassword(member);
  const visit = await pages.visit();
  const { page } = visit;
  const clicks = await countClicks(page);
  await page.goto('/portal/');
  await page.getByLabel('E-mail').focus();
  await page.keyboard.type(member.email);
  await page.keyboard.press('Tab');
  await page.getByLabel('Password', { exact: true }).focus();
  await page.keyboard.type(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Getting started' }).click();
  await page.getByRole('button', { name: 'Create a sandbox key' }).click();
  await page.getByRole('button', { name: 'Create a test client' }).click();
  await page.getByRole('button', { name: 'Approve as the test client' }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('Answered').waitFor();
  const answer = await page.getByRole('region', { name: 'answer' }).innerText();
  expect(clicks()).toBe(6);
  expect(JSON.parse(answer)).toMatchObject({ data: expect.any(Array), pagination: { total_items: 40 } });
  expect(await violations(page)).toEqual([]);

  // The request to be pasted is the one that was tried.
  const pasted = await page.getByRole('region', { name: 'first request' }).innerText();
  const [, secret = ''] = /Bearer ([^']+)/.exec(pasted) ?? [];
  const [address = ''] = /http[^']*/.exec(pasted) ?? [];
  expect(await call(address, secret)).toMatchObject({ status: 200, body: { pagination: { total_items: 40 } } });
  expect(visit.faults).toEqual([]);
});

it('access is revoked in two clicks, and the API refuses the next call', async () => {
  const scene = await makeConsent(pages, 'Revoked');
  await makeGrant(pages.database, scene.key, scene.client);
  expect((await scene.read('/assets')).status).toBe(200);
  const { page } = await pages.visitAs(scene.client);
  const clicks = await countClicks(page);
  await page.goto('/portal/');
  await page.getByRole('button', { name: 'Revoke the access of Revoked, Key' }).click();
  const done = page.waitForResponse((response) => response.request().postData()?.includes('RevokeGrant') === true);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click();
  await done;
  expect((await scene.read('/assets')).body.error.code).toBe('grant_revoked');
  await page.getByText('can no longer see anything').waitFor();
  expect(clicks()).toBe(2);
  await page.getByText('Nobody has access now').waitFor();
  // The clicked button is gone, so the focus moves to the title.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Connected apps');
});

it('a request is approved with narrower terms in five clicks', async () => {
  const scene = await makeConsent(pages, 'Narrowed');
  await scene.ask();
  const { page } = await pages.visitAs(scene.client);
  const clicks = await countClicks(page);
  await page.goto('/portal/');
  await page.getByRole('link', { name: 'Review the request of Narrowed, Key' }).click();
  await page.getByRole('checkbox', { name: 'Where it is kept' }).click();
  await page.getByRole('radio', { name: 'Some categories' }).click();
  await page.getByRole('checkbox', { name: /Watches/ }).click();
  await page.getByRole('button', { name: 'Approve with these limits' }).click();
  await page.getByText('Narrowed can now see what you approved.').waitFor();
  expect(clicks()).toBe(5);
  const { body } = await scene.read('/assets');
  expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Calatrava 96', 'Chronograph 3448']);
  expect(Object.keys(body.data[0])).not.toContain('storage_location');
});

it('two clicks at once send an action once', async () => {
  const scene = await makeConsent(pages, 'Twice');
  await makeGrant(pages.database, scene.key, scene.client);
  const { page } = await pages.visitAs(scene.client);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postDataJSON()?.operation));
  await page.goto('/portal/');
  await page.getByRole('button', { name: 'Revoke the access of Twice, Key' }).click();
  const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke access' });
  await revoke.evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await page.getByText('can no longer see anything').first().waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(sent.filter((operation) => operation === 'RevokeGrant')).toHaveLength(1);
});
