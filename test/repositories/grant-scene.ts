// A key, a client and a firm member who could agree on a grant.

import type { Actor } from '#core/actor.ts';
import { scopeSet } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import type { Firm } from '#repositories/firms.ts';
import type { NewGrant } from '#repositories/grants/grants.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';
import type { User } from '#repositories/users.ts';
import { asClient, asMember, makeClient, makeKey, makeMember } from '#test/repositories/parties.ts';

export interface Scene {
  key: ApiKey;
  client: User;
  /** The client, and a member of the key's firm, as actors. */
  owner: Actor;
  member: Actor;
  terms: NewGrant;
}

export async function makeScene(database: Database, firm: Firm): Promise<Scene> {
  const [key, client, user] = [
    await makeKey(database, firm),
    await makeClient(database),
    await makeMember(database, firm),
  ];
  const terms: NewGrant = {
    ...{ keyId: key.id, clientId: client.id, scopes: scopeSet(['registry', 'valuation']) },
    ...{ filter: { type: 'all' }, expiresAt: null },
  };
  return { key, client, owner: asClient(client), member: asMember(user), terms };
}
