// Test support of clients' pages: a firm with a key, a client with three items, and calls of the API with the key.

import { newId } from '#core/ids.ts';
import { type Scope, scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import { type NewGrant, requestGrant } from '#repositories/grants/grants.ts';
import type { User } from '#repositories/users.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { call, type Item, insert, type Key, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import type { Pages } from './browser.ts';

export interface ConsentScene {
  firm: Firm;
  member: User;
  key: Key;
  client: User;
  /** Two watches and a picture. */
  items: { watch: Item; chronograph: Item; picture: Item };
  ask(terms?: Partial<Pick<NewGrant, 'scopes' | 'filter' | 'expiresAt'> & { purpose: string }>): Promise<Grant>;
  /** Creates a collection with these items, and returns its id. */
  collect(name: string, items: readonly Item[]): Promise<string>;
  /** Sends a GET to a path below /api/v1 with the firm's key. */
  read(path: string): ReturnType<typeof call>;
  /** Titles of the assets that the API lists. */
  titles(): Promise<string[]>;
}

export async function makeConsent({ database, gateway, url }: Pages, firmName: string): Promise<ConsentScene> {
  const firm = await makeFirm(database, { name: firmName });
  const member = await makeMember(gateway, firm, 'Imogen Hartwell');
  const key = await makeKey(database, firm);
  const client = await makeClient(database);
  const items = {
    watch: await makeItem(database, client, { title: 'Calatrava 96' }),
    chronograph: await makeItem(database, client, { title: 'Chronograph 3448' }),
    picture: await makeItem(database, client, { title: 'Study of a horse', category: 'AR', category_fields: null }),
  };
  const read = (path: string) => {
    const mark = path.includes('?') ? '&' : '?';
    return call(`${url}/api/v1${path}${mark}client_id=${client.id}`, key.secret);
  };
  return {
    firm,
    member,
    key,
    client,
    items,
    read,
    ask: (terms = {}) =>
      requestGrant(
        database,
        {
          keyId: key.id,
          client: client.id,
          scopes: scopes('registry', 'valuation', 'detail'),
          filter: { type: 'all' },
          expiresAt: null,
          purpose: 'The insurance renewal in March',
          ...terms,
        },
        { kind: 'firm_member', id: member.id },
      ),
    async collect(name, collected) {
      const id = newId('collection');
      await insert(database, 'collections', { id, client_id: client.id, name });
      for (const item of collected) await insert(database, 'item_collections', { item_id: item.id, collection_id: id });
      return id;
    },
    titles: async () => (await read('/assets')).body.data.map(({ title }: { title: string }) => title),
  };
}

export const scopes = (...names: Scope[]) => scopeSet(names);
