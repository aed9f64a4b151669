// Each action of the portal is carried out once or not at all, also offline, cancelled, or if its response is lost.

import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeGrant, makeKey } from '#test/support/scenario.ts';
import { type Pages, startPages, type Visit } from './browser.ts';
import { type ConsentScene, makeConsent, scopes } from './consent-scene.ts';

let pages: Pages;

beforeAll(async () => {
  pages = await startPages();
});

afterAll(() => pages.stop());

/** An action: the page where it is taken, how it begins, and the button that sends it. */
interface Step {
  operation: string;
  by: 'client' | 'member' | 'operator';
  /** Makes what the action is about, and returns the path of the page below /portal. */
  prepare(scene: ConsentScene): Promise<string>;
  /** On the page, up to the button. */
  begin(page: Page, scene: ConsentScene): Promise<unknown>;
  take: string;
  inDialog: boolean;
  /** The message once it is done. */
  done: RegExp;
}

const at = (page: Page, path: string) => page.goto(`/portal${path}`);
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();
const grantOf = ({ key, client }: ConsentScene) =>
  makeGrant(pages.database, key, client, { scopes: scopes('registry') });

const STEPS: Step[] = [
  {
    operation: 'ApproveGrant',
    by: 'client',
    async prepare(scene) {
      await scene.ask();
      return '/connected';
    },
    begin: (page) => press(page, /^Approve as asked/),
    take: 'Approve',
    inDialog: true,
    done: /can now see what it asked for/,
  },
  {
    operation: 'ApproveGrant',
    by: 'client',
    prepare: async (scene) => `/connected/${(await scene.ask()).id}`,
    begin: (page) => page.getByRole('checkbox', { name: 'Where it is kept' }).uncheck(),
    take: 'Approve with these limits',
    inDialog: false,
    done: /can now see what you approved/,
  },
  {
    operation: 'DeclineGrant',
    by: 'client',
    async prepare(scene) {
      await scene.ask();
      return '/connected';
    },
    begin: (page) => press(page, /^Decline/),
    take: 'Decline request',
    inDialog: true,
    done: /Declined\./,
  },
  {
    operation: 'RevokeGrant',
    by: 'client',
    prepare: async (scene) => `/connected/${(await grantOf(scene)).id}`,
    begin: (page) => press(page, /^Revoke/),
    take: 'Revoke access',
    inDialog: true,
    done: /can no longer see anything/,
  },
  {
    operation: 'StopFirm',
    by: 'client',
    async prepare(scene) {
      await grantOf(scene);
      await makeGrant(pages.database, await makeKey(pages.database, scene.firm), scene.client);
      return '/connected';
    },
    begin: (page) => press(page, /^Stop everything of/),
    take: 'Stop everything',
    inDialog: true,
    done: /can no longer see anything, with any of its keys/,
  },
  {
    operation: 'ChangeGrant',
    by: 'client',
    prepare: async (scene) => `/connected/${(await grantOf(scene)).id}`,
    async begin(page) {
      await press(page, 'Change');
      await page.getByRole('checkbox', { name: 'What it is worth' }).check();
    },
    take: 'Save changes',
    inDialog: false,
    done: /Changed: it holds/,
  },
  {
    operation: 'GiveGrant',
    by: 'client',
    prepare: async ({ key }) => `/connected/new?key=${key.id}`,
    begin: (page) => page.getByRole('checkbox', { name: 'What you own' }).waitFor(),
    take: 'Give access',
    inDialog: false,
    done: /can now see what you gave/,
  },
  {
    operation: 'RequestGrant',
    by: 'member',
    prepare: async () => '/access/ask',
    async begin(page, { client }) {
      await page.getByLabel('Client').fill(client.email);
      await page.getByLabel('Purpose').fill('The insurance renewal');
    },
    take: 'Send request',
    inDialog: false,
    done: /Your request is on record/,
  },
  {
    operation: 'WithdrawGrant',
    by: 'member',
    prepare: async (scene) => `/access/${(await scene.ask()).id}`,
    begin: (page) => press(page, 'Withdraw request'),
    take: 'Withdraw request',
    inDialog: true,
    done: /The request is withdrawn/,
  },
  {
    operation: 'RevokeKey',
    by: 'member',
    prepare: async ({ key }) => `/keys/${key.id}`,
    begin: (page) => press(page, 'Revoke'),
    take: 'Revoke key',
    inDialog: true,
    done: /is revoked/,
  },
  {
    operation: 'RotateKey',
    by: 'member',
    prepare: async ({ key }) => `/keys/${key.id}`,
    begin: (page) => press(page, 'Rotate'),
    take: 'Rotate key',
    inDialog: true,
    done: /The key was rotated, but its new secret was lost/,
  },
  {
    operation: 'CreateKey',
    by: 'member',
    prepare: async () => '/keys/new',
    begin: (page) => page.getByLabel('Name').fill('Made once'),
    take: 'Create key',
    inDialog: false,
    done: /was created, but its secret was lost/,
  },
  {
    operation: 'SetKeyTier',
    by: 'operator',
    prepare: async ({ key }) => `/limits?key=${key.id}`,
    async begin(page) {
      await press(page, 'Change tier');
      await page.getByRole('radio', { name: 'Elevated' }).check();
      await page.getByLabel('Reason').fill('Their campaign');
      await press(page, 'Continue');
    },
    take: 'Set Elevated',
    inDialog: true,
    done: /has the tier Elevated/,
  },
];

async function open(page: Page, { prepare, begin }: Step, scene: ConsentScene): Promise<void> {
  await at(page, await prepare(scene));
  await begin(page, scene);
}

let operators = 0;

async function visit({ by }: Step, { firm, client }: ConsentScene): Promise<Visit> {
  if (by === 'client') return pages.visitAs(client);
  if (by === 'member') return pages.visitAs(await makeMember(pages.gateway, firm));
  const email = `steps-${++operators}@example.com`;
  return pages.visitAs(await createUser(pages.database, { role: 'ops', email, name: 'Olga Operator' }));
}

/** The rows of one firm that actions write. */
async function traces({ firm }: ConsentScene): Promise<unknown> {
  const [row] = await pages.database.query({
    text: `select
        (select json_agg(e order by e.id) from grant_events e join grants g on g.id = e.grant_id
          join api_keys k on k.id = g.lineage_id where k.firm_id = $1) as grants,
        (select json_agg(e.action order by e.id) from key_events e join api_keys k on k.id = e.key_id
          where k.firm_id = $1) as keys`,
    values: [firm.id],
  });
  return row;
}

const sends = (operation: string) => (request: { url(): string; postData(): string | null }) =>
  request.url().endsWith('/portal/graphql') && request.postData()?.includes(`"${operation}"`) === true;

/** Counts the page's requests of the operation from now on. */
function count({ page }: Visit, operation: string): () => number {
  let sent = 0;
  page.on('request', (request) => {
    if (sends(operation)(request)) sent += 1;
  });
  return () => sent;
}

/** Lets the operation be carried out without a response. Resolves once it has been. */
function withhold({ page }: Visit, operation: string): Promise<void> {
  return new Promise((tell) => {
    void page.route('**/portal/graphql', async (route) => {
      if (!sends(operation)(route.request())) return route.continue();
      await route.fetch();
      tell();
    });
  });
}

async function take({ page }: Visit, { take: name, inDialog }: Step): Promise<void> {
  const scope = inDialog ? page.getByRole('dialog') : page;
  await scope.getByRole('button', { name, exact: true }).click();
}

it.each(STEPS.map((step, index) => [`${step.operation} ${index}`, step] as const))(
  '%s fails at once offline and is never sent later; if its response is lost, the page reports the outcome, and sends nothing again',
  async (title, step) => {
    const scene = await makeConsent(pages, title);
    const visited = await visit(step, scene);
    const { page, context } = visited;
    await open(page, step, scene);
    const before = await traces(scene);
    const sent = count(visited, step.operation);
    await context.setOffline(true);
    await page.getByText('You are offline').first().waitFor();
    await take(visited, step);
    await page
      .getByRole('alert')
      .getByText(/You are offline: nothing was sent/)
      .waitFor();
    expect(sent()).toBe(1);
    const inQuestion = step.inDialog && step.by !== 'operator';
    if (inQuestion) {
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const read = page.waitForResponse('**/portal/graphql');
    await context.setOffline(false);
    await expect.poll(() => page.getByText('You are offline').count()).toBe(0);
    // A queued request would have been sent before the reads of a page that is online again.
    await (await read).finished();
    expect(sent()).toBe(1);
    expect(await traces(scene)).toEqual(before);

    let focused: string | null | undefined;
    if (inQuestion) await step.begin(page, scene);
    await page.route('**/portal/graphql', async (route: Route) => {
      if (!sends(step.operation)(route.request())) return route.continue();
      await route.fetch();
      focused = await page.evaluate(() => document.activeElement?.closest('button')?.textContent);
      await page.keyboard.press('Enter');
      await route.abort('connectionreset');
    });
    await take(visited, step);
    await page.getByText(step.done).first().waitFor();
    expect(focused).toBe(step.take);
    expect(sent()).toBe(2);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
);

it.each([
  ['', 0],
  [', also where what became of it cannot be read at first', 2],
])('a change that a proxy repeats by itself is reported as done and made once%s', async (_, failing) => {
  let left = 0;
  const step = STEPS.find(({ operation }) => operation === 'ChangeGrant') as Step;
  const scene = await makeConsent(pages, 'Sent twice');
  const visited = await visit(step, scene);
  const { page } = visited;
  await open(page, step, scene);
  await page.route('**/portal/graphql', async (route: Route) => {
    if (!sends(step.operation)(route.request())) return left-- > 0 ? route.abort() : route.continue();
    await route.fetch();
    const second = await route.fetch();
    expect(second.status()).toBe(409);
    left = failing;
    await route.fulfill({ response: second });
  });
  await take(visited, step);
  await page.getByText(step.done).first().waitFor();
  const { grants } = (await traces(scene)) as { grants: { action: string }[] };
  expect(grants.map(({ action }) => action)).toEqual(['grant', 'change']);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('“Stop everything” without a response is reported as done, also if the firm has requested access again since', async () => {
  const step = STEPS.find(({ operation }) => operation === 'StopFirm') as Step;
  const scene = await makeConsent(pages, 'Asks again');
  const visited = await visit(step, scene);
  const { page } = visited;
  await open(page, step, scene);
  await page.route('**/portal/graphql', async (route: Route) => {
    if (!sends(step.operation)(route.request())) return route.continue();
    await route.fetch();
    await scene.ask();
    await route.abort('connectionreset');
  });
  await take(visited, step);
  await page.getByText(step.done).first().waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it.each(['GiveGrant', 'CreateKey'])(
  '%s with an incomplete response: the page reads and reports the outcome',
  async (name) => {
    const step = STEPS.find(({ operation }) => operation === name) as Step;
    const scene = await makeConsent(pages, `Broken off ${name}`);
    const visited = await visit(step, scene);
    const { page } = visited;
    await open(page, step, scene);
    const sent = count(visited, name);
    await page.route('**/portal/graphql', async (route) => {
      if (!sends(name)(route.request())) return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).slice(0, 20) });
    });
    await take(visited, step);
    await page.getByText(step.done).first().waitFor();
    expect(sent()).toBe(1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
);

describe('an action that is cancelled while its response is outstanding', () => {
  const [approve] = STEPS as [Step];

  it('is reported as cancelled once it can no longer be carried out, and its connection is closed', async () => {
    const scene = await makeConsent(pages, 'Cancelled in time');
    const visited = await visit(approve, scene);
    const { page } = visited;
    await page.clock.install();
    await open(page, approve, scene);
    // The request never reaches the gateway.
    await page.route('**/portal/graphql', (route) =>
      sends('ApproveGrant')(route.request()) ? undefined : route.continue(),
    );
    const given = page.waitForEvent('requestfailed', (request) => sends('ApproveGrant')(request));
    await take(visited, approve);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await given;
    await page.getByText('Cancelled. Checking whether it was already done…').waitFor();
    await page.clock.fastForward(25_000);
    await page.getByText('Cancelled in time: nothing was done.').waitFor();
    expect((await scene.read('/assets')).body.error.code).toBe('no_active_grant');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('is reported as done if it was', async () => {
    const scene = await makeConsent(pages, 'Cancelled too late');
    const visited = await visit(approve, scene);
    const { page } = visited;
    await open(page, approve, scene);
    const arrived = withhold(visited, 'ApproveGrant');
    await take(visited, approve);
    await arrived;
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Too late to cancel: it was already done.').waitFor();
    await page.getByRole('table', { name: 'Keys with access' }).getByText('Cancelled too late').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('is reported as not done if the request did not arrive, and can be repeated', async () => {
    const scene = await makeConsent(pages, 'Did not arrive');
    const visited = await visit(approve, scene);
    const { page } = visited;
    await page.clock.install();
    await open(page, approve, scene);
    let tries = 0;
    await page.route('**/portal/graphql', (route) => {
      if (!sends('ApproveGrant')(route.request())) return route.continue();
      tries += 1;
      return tries === 1 ? route.abort('connectionreset') : route.continue();
    });
    await take(visited, approve);
    await page.getByRole('dialog').getByText('No response', { exact: true }).waitFor();
    await page.clock.fastForward(25_000);
    await page
      .getByRole('dialog')
      .getByText(/nothing was done. You can try again/)
      .waitFor();
    expect(tries).toBe(1);
    await take(visited, approve);
    await page.getByText(approve.done).waitFor();
    expect(tries).toBe(2);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('an action whose page is left while its response is outstanding', () => {
  const path = (page: Page) => new URL(page.url()).pathname;
  const DONE = 'Too late to cancel: it was already done.';

  async function outstanding(operation: string, title: string): Promise<Visit> {
    const step = STEPS.find((one) => one.operation === operation) as Step;
    const scene = await makeConsent(pages, title);
    const visited = await visit(step, scene);
    await open(visited.page, step, scene);
    const arrived = withhold(visited, operation);
    await take(visited, step);
    await arrived;
    return visited;
  }

  it.each([
    ['GiveGrant', '/portal/connected', DONE],
    ['RequestGrant', '/portal/access', DONE],
    ['CreateKey', '/portal/keys', /was created, but its secret was lost/],
  ])('by “Cancel”: %s is reported, and does not lead elsewhere', async (operation, to, told) => {
    const { page } = await outstanding(operation, `Left ${operation}`);
    await page.locator('#main').getByText('Cancel', { exact: true }).click();
    await page.getByText(told).first().waitFor();
    expect(path(page)).toBe(to);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('by “Cancel” of a change: it is reported, and the form is closed', async () => {
    const { page } = await outstanding('ChangeGrant', 'Left ChangeGrant');
    await page.locator('#main').getByText('Cancel', { exact: true }).click();
    await page.getByText(DONE).waitFor();
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('by a link: it is reported, and does not lead elsewhere', async () => {
    const { page } = await outstanding('GiveGrant', 'Left by a link');
    await page.getByRole('link', { name: 'Access record' }).click();
    // The message first, which is shown for some seconds.
    await page.getByText(DONE).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Access record' }).waitFor();
    expect(path(page)).toBe('/portal/record');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('by Back: a rotation whose secret nobody has seen is reported', async () => {
    const { key, firm } = await makeConsent(pages, 'Left rotation');
    const visited = await pages.visitAs(await makeMember(pages.gateway, firm));
    const { page } = visited;
    await at(page, '/keys');
    await page.locator(`#main a[href$="${key.id}"]`).click();
    await press(page, 'Rotate');
    const arrived = withhold(visited, 'RotateKey');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    await arrived;
    await page.goBack();
    await page.getByText(/The key was rotated, but its new secret was lost/).waitFor();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
