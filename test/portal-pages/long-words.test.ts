// Whatever somebody called a thing, and wherever that stands, the page stays as wide as a phone.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUser, type User } from '#repositories/users.ts';
import { recorded } from '#test/support/portal-scene.ts';
import { makeGrant, makeKey } from '#test/support/scenario.ts';
import { overflow, type Pages, PHONE, settled, startPages } from './browser.ts';
import { type ConsentScene, makeConsent } from './consent-scene.ts';

/** A name that has no place to break. */
const WORD = 'W'.repeat(100);
/** The longest that may stand before an address's @, and one of its names after it. */
const addressOf = (who: string) => `${who.padEnd(64, 'w')}@${'w'.repeat(63)}.example.com`;

let pages: Pages;
let scene: ConsentScene;
let paths: Record<'firm' | 'client' | 'ops', { user: User; at: string[] }>;

beforeAll(async () => {
  pages = await startPages();
  const { database } = pages;
  scene = await makeConsent(pages, WORD);
  const { client, member, key, items } = scene;
  const request = await scene.ask({ purpose: WORD });
  const other = await makeKey(database, scene.firm);
  const grant = await makeGrant(database, other, client);
  await scene.collect(WORD, [items.watch]);
  const operator = await createUser(database, { role: 'ops', email: addressOf('operator'), name: WORD });
  for (const [table, column] of [
    ['users', 'name'],
    ['api_keys', 'name'],
    ['items', 'title'],
  ]) {
    await database.query({ text: `update ${table} set ${column} = $1`, values: [WORD] });
  }
  const named = async (user: User, who: string): Promise<User> => {
    const email = addressOf(who);
    await database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, email] });
    return { ...user, email };
  };
  await scene.read('/assets');
  await recorded(pages.gateway, 1, client.id);
  paths = {
    firm: {
      user: await named(member, 'member'),
      at: ['keys', 'keys/new', `keys/${key.id}`, 'access', `access/${grant.id}`, 'access/ask', 'activity', 'start'],
    },
    client: {
      user: await named(client, 'client'),
      at: ['connected', ...[request.id, grant.id].map((id) => `connected/${id}`), 'record', 'history'],
    },
    ops: { user: operator, at: ['limits', `limits?key=${key.id}`, 'limits/what-if'] },
  };
});

afterAll(() => pages.stop());

it.each(['firm', 'client', 'ops'] as const)(
  'the pages of %s break a long word rather than scroll sideways',
  async (role) => {
    const { user, at } = paths[role];
    const { page, context } = await pages.visitAs(user, { viewport: PHONE });
    const wide: string[] = [];
    for (const path of [...at, 'account']) {
      await page.goto(`/portal/${path}`);
      await settled(page);
      if ((await overflow(page)) > 0) wide.push(path);
    }
    expect(wide).toEqual([]);
    await context.close();
  },
  300_000,
);
