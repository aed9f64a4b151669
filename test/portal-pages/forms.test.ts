// Each form asks before its input is lost, and keeps it through a new sign-in; an invalid form moves the focus to its
// first invalid field, and an error disappears with its cause.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { createUser, type User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { findGrant } from '#test/support/recorded.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { PASSWORD, type Pages, startPages, violations } from './browser.ts';
import { enter } from './signing-in.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

interface Scene {
  user: User;
  /** Below /portal. */
  path: string;
}

interface Form {
  /** Creates a user, and returns the page on which the user finds the form. */
  open(): Promise<Scene>;
  fill(page: Page): Promise<void>;
  /** The present input. */
  input(page: Page): Promise<unknown>;
  /** Tries to leave; absent: by a link of the navigation. */
  leave?(page: Page): Promise<void>;
  /** Its input is a password, which is not kept through a new sign-in. */
  secret?: boolean;
}

async function asMember(path: string): Promise<Scene> {
  const firm = await makeFirm(pages.database);
  await makeKey(pages.database, firm);
  return { user: await makeMember(pages.gateway, firm), path };
}

async function asClient(pathOf: (ids: { grantId: string; keyId: string }) => string): Promise<Scene> {
  const firm = await makeFirm(pages.database);
  const client = await makeClient(pages.database);
  const grant = await makeGrant(pages.database, await makeKey(pages.database, firm), client);
  const key = await makeKey(pages.database, firm);
  return { user: client, path: pathOf({ grantId: grant.id, keyId: key.id }) };
}

async function asOperator(): Promise<Scene> {
  const key = await makeKey(pages.database, await makeFirm(pages.database));
  const email = `olga-${newId('user').toLowerCase()}@example.com`;
  const user = await createUser(pages.database, { role: 'ops', email, name: 'Olga Operator' });
  return { user, path: `/limits?key=${key.id}` };
}

const field = (label: string, value: string): Pick<Form, 'fill' | 'input'> => ({
  fill: (page) => page.getByLabel(label, { exact: true }).fill(value),
  input: (page) => page.getByLabel(label, { exact: true }).inputValue(),
});

const everyScope: Pick<Form, 'fill' | 'input'> = {
  fill: (page) => page.locator('#main input[value=estate]').click(),
  input: (page) => page.locator('#main input[value=estate]').isChecked(),
};

const FORMS: Record<string, Form> = {
  'a new key': { open: () => asMember('/keys/new'), ...field('Name', 'Ledger sync') },
  'a request for access': { open: () => asMember('/access/ask'), ...field('Purpose', 'The renewal') },
  'access given without a request': {
    open: () => asClient(({ keyId }) => `/connected/new?key=${keyId}`),
    ...everyScope,
  },
  'a change of access': { open: () => asClient(({ grantId }) => `/connected/${grantId}?change=1`), ...everyScope },
  'a new password': {
    open: () => asMember('/account'),
    ...field('New password', 'another long pass phrase'),
    secret: true,
  },
  'a tier': {
    open: asOperator,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Change tier' }).click();
      await page.getByRole('radio', { name: 'Elevated' }).check();
    },
    input: (page) => page.getByRole('radio', { name: 'Elevated' }).isChecked(),
    leave: (page) => page.keyboard.press('Escape'),
  },
};

const elsewhere = (page: Page) =>
  page
    .getByRole('navigation')
    .getByRole('link')
    .filter({ hasNot: page.locator('[aria-current]') })
    .last()
    .click();

describe.each(Object.entries(FORMS))('%s, partly filled in,', (_, form) => {
  const kept = form.secret ? '' : ', also through a new sign-in';

  it(`asks before it is left, and keeps its input${kept}; untouched it does not ask`, async () => {
    const { user, path } = await form.open();
    const { page, context } = await pages.visitAs(user);
    await page.goto(`/portal${path}`);
    if (form.leave === undefined) {
      await form.input(page);
      await elsewhere(page);
      await page.waitForURL(({ pathname, search }) => pathname + search !== `/portal${path}`);
      await page.goBack();
    }
    await form.fill(page);
    const input = await form.input(page);
    await (form.leave ?? elsewhere)(page);
    const question = page.getByRole('dialog', { name: 'Leave without sending?' });
    await question.getByRole('button', { name: 'Stay here' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.input(page)).toEqual(input);
    // Passwords are not kept.
    if (form.secret) return;

    await context.clearCookies();
    // When the window gets the focus, the page checks who is signed in.
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText(/what you had filled in is kept/).waitFor();
    await enter(page, user.email);
    await expect.poll(() => form.input(page)).toEqual(input);
  });
});

const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent);

/** Answers the operation with this refusal from now on. */
const refuse = (page: Page, operation: string, error: { message: string; param: string }) =>
  page.route('**/portal/graphql', (route) =>
    route.request().postDataJSON().operation === operation
      ? route.fulfill({ status: 400, json: { error: { code: 'invalid_parameter', ...error } } })
      : route.continue(),
  );

describe('an invalid form', () => {
  it('of the sign-in moves the focus to its first invalid field; a refusal disappears on the next input', async () => {
    const { user } = await asMember('/keys');
    await pages.givePassword(user);
    const { page } = await pages.visit();
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => focused(page)).toBe('E-mail');
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => focused(page)).toBe('Password');
    await page.getByLabel('Password', { exact: true }).fill('not the right one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const refusal = page.getByText('The e-mail address or the password is wrong.');
    await refusal.waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await refusal.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect.poll(() => focused(page)).toBe('E-mail');
    await page.getByText('Enter an e-mail address.').waitFor();
  });

  it('of the account does so too; “The two passwords differ.” disappears when the first is changed', async () => {
    const { user } = await asMember('/account');
    const { page } = await pages.visitAs(user);
    await page.goto('/portal/account');
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const change = page.getByRole('button', { name: 'Change password' });
    await change.click();
    await expect.poll(() => focused(page)).toBe('Present password');
    await page.getByText('Enter your present password.').waitFor();
    expect(await field('Present password').getAttribute('aria-invalid')).toBe('true');
    await field('Present password').fill('wrong');
    await field('New password').fill('another long pass phrase');
    await field('New password again').fill('another long pass phrasE');
    await change.click();
    await expect.poll(() => focused(page)).toBe('New password again');
    await page.getByText('The two passwords differ.').waitFor();
    await field('New password').fill('another long pass phrasE');
    await page.getByText('The two passwords differ.').waitFor({ state: 'detached' });
    await change.click();
    const refusal = page.getByText('The password is wrong.');
    await refusal.waitFor();
    await expect.poll(() => focused(page)).toBe('Present password');
    expect(await field('Present password').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    await field('Present password').fill('wrong again');
    await refusal.waitFor({ state: 'detached' });
    expect(await field('Present password').getAttribute('aria-invalid')).toBe(null);
  });

  it('in a dialog moves the focus to its first invalid field; a refusal disappears on the next input', async () => {
    const { user } = await asMember('/account');
    const { page } = await pages.visitAs(user);
    await page.goto('/portal/account');
    await page.getByRole('button', { name: 'Turn on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Enter your password.').waitFor();
    await expect.poll(() => focused(page)).toBe('Password');
    await dialog.getByLabel('Password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const refusal = dialog.getByText('The password is wrong.');
    await refusal.waitFor();
    await expect.poll(() => focused(page)).toBe('Password');
    await dialog.getByLabel('Password', { exact: true }).fill('wrong again');
    await refusal.waitFor({ state: 'detached' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Code that the app shows').fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('The code is wrong, or was used before.').waitFor();
    await expect.poll(() => focused(page)).toBe('Code that the app shows');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('for looking up a key moves the focus to a missing key id', async () => {
    const { user, path } = await asClient(() => '/connected/new');
    const { page } = await pages.visitAs(user);
    await page.goto(`/portal${path}`);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await expect.poll(() => focused(page)).toBe('Key id');
  });

  it('of a request moves the focus to its first invalid field; a refusal without a field is shown as an alert', async () => {
    const { user, path } = await asMember('/access/ask');
    const { page } = await pages.visitAs(user);
    await page.goto(`/portal${path}`);
    const send = page.getByRole('button', { name: 'Send request' });
    await send.click();
    await expect.poll(() => focused(page)).toBe('Client');
    await page.getByLabel('Client').fill('nobody');
    await send.click();
    await page.getByText('Enter an e-mail address or a client id (usr_…).').waitFor();
    await expect.poll(() => focused(page)).toBe('Client');
    await page.getByLabel('Client').fill('nobody@example.com');
    await send.click();
    await expect.poll(() => focused(page)).toBe('Purpose');
    await page.getByLabel('Purpose').fill('Anything');
    await page.getByRole('radio', { name: 'Items of certain categories' }).check();
    await page.getByRole('checkbox', { name: 'Watches' }).waitFor();
    await send.click();
    await page.getByText('Choose at least one category.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('checkbox');
    await page.getByRole('radio', { name: 'Certain items' }).check();
    await send.click();
    await expect.poll(() => focused(page)).toBe('Registry ids');
    await page.getByRole('radio', { name: 'All items' }).check();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('For how long').selectOption('Until a day…');
    await page.getByLabel('Last day').fill('2020-01-01');
    await send.click();
    await page.getByText('Choose a day in the future.').waitFor();
    await expect.poll(() => focused(page)).toBe('Last day');
    await page.getByLabel('For how long').selectOption('30 days');
    await refuse(page, 'RequestGrant', { message: 'These items cannot be asked for.', param: 'filter' });
    await send.click();
    await page.getByRole('alert').getByText('These items cannot be asked for.').waitFor();
  });

  it('of a tier returns to the field that the refusal is about', async () => {
    const { user, path } = await asOperator();
    const { page } = await pages.visitAs(user);
    await page.goto(`/portal${path}`);
    await page.getByRole('button', { name: 'Change tier' }).click();
    await page.getByRole('radio', { name: 'Elevated' }).check();
    await page.getByLabel('Reason').fill('Their campaign');
    await page.getByLabel('Ends').selectOption('7 days');
    await page.getByRole('button', { name: 'Continue' }).click();
    await refuse(page, 'SetKeyTier', { message: 'The end is too far away.', param: 'ends_at' });
    await page.getByRole('button', { name: 'Set Elevated' }).click();
    await page.getByText('The end is too far away.').waitFor();
    await expect.poll(() => focused(page)).toBe('Last day');
  });

  it('of access until a day, without the day, is not sent as access without an end', async () => {
    const client = await makeClient(pages.database);
    const key = await makeKey(pages.database, await makeFirm(pages.database));
    const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const { id } = await makeGrant(pages.database, key, client, { expiresAt });
    const { page, faults } = await pages.visitAs(client);
    await page.goto(`/portal/connected/${id}?change=1`);
    await page.getByLabel('Last day').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('#main').getByText('Choose a day.').waitFor();
    await expect.poll(() => focused(page)).toBe('Last day');
    expect(new Date((await findGrant(pages.database, id))?.expiresAt ?? 0).toISOString()).toBe(expiresAt);
    expect(faults).toEqual([]);
  });
});
