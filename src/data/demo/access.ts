// Data room: keys, grants and a plant token to try the demonstration data with.
import { type Actor, actorText } from '#core/actor.ts';
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Environment } from '#core/principal.ts';
import { ALL_SCOPES, type Scope, type ScopeSet, scopeSet, scopesOf } from '#core/scopes.ts';
import type { Sql } from '../database.ts';
import { listGrants } from '../repositories/grant-records.ts';
import { grantUnasked, requestGrant, revokeGrant, withdrawGrant } from '../repositories/grants.ts';
import { listKeys } from '../repositories/key-records.ts';
import { createKey, revokeKey, type StoredSecret } from '../repositories/keys.ts';
import { createPlantToken, listPlantTokens, revokePlantToken } from '../repositories/tokens.ts';
import { BEAT, DEMO_FIRM, ELEANOR, IMOGEN, KEIKO, KYOTO_STOREHOUSE, MATTEO, oldestItems } from './load.ts';

/** How secrets are made, which this room does not know. */
export interface SecretMaker {
  key(environment: Environment): StoredSecret & { text: string };
  plantToken(): { text: string; hash: Buffer };
}

export interface DemoKey {
  id: string;
  name: string;
  environment: Environment;
  scopes: Scope[];
  secret: string;
}

export interface DemoGrant {
  id: string;
  key_id: string;
  client_id: string;
  scopes: Scope[];
  filter: AssetFilter;
}

export interface DemoAccess {
  keys: DemoKey[];
  grants: DemoGrant[];
  plant_token: string;
}

const ACTOR: Actor = { kind: 'operator', id: 'demo' };
const MEMBER: Actor = { kind: 'firm_member', id: IMOGEN };
const PLANT_ACCOUNT = 'demo';

/** What the firm waits for Eleanor to answer. */
const REQUEST: Omit<Parameters<typeof requestGrant>[1], 'keyId' | 'clientId'> = {
  scopes: scopeSet(['registry', 'valuation', 'documentation']),
  filter: { type: 'category', categories: ['JW', 'WT'] },
  expiresAt: null,
  purpose: 'The yearly review of what your watches and jewellery are insured for.',
};

/** Secrets cannot be read back: what an earlier run made is revoked, and new ones are made. */
export async function giveDemoAccess(sql: Sql, secrets: SecretMaker): Promise<DemoAccess> {
  await revokeEarlier(sql);
  const access: DemoAccess = { keys: [], grants: [], plant_token: '' };

  const key = async (name: string, environment: Environment, scopes: ScopeSet): Promise<string> => {
    const secret = secrets.key(environment);
    const wanted = { firmId: DEMO_FIRM, name, environment, scopes, expiresAt: null, secret };
    const { id } = await createKey(sql, wanted, ACTOR);
    access.keys.push({ id, name, environment, scopes: scopesOf(scopes), secret: secret.text });
    return id;
  };
  const grant = async (keyId: string, clientId: string, scopes: ScopeSet, filter: AssetFilter): Promise<void> => {
    const { id } = await grantUnasked(sql, { keyId, clientId, scopes, filter, expiresAt: null }, ACTOR);
    access.grants.push({ id, key_id: keyId, client_id: clientId, scopes: scopesOf(scopes), filter });
  };

  const wide = await key('Demo: everything that is granted', 'sandbox', ALL_SCOPES);
  await grant(wide, ELEANOR, ALL_SCOPES, { type: 'all' });
  await grant(wide, MATTEO, scopeSet(['registry', 'valuation', 'documentation']), {
    type: 'category',
    categories: ['AR', 'VH', 'WN'],
  });
  await grant(wide, KEIKO, scopeSet(['registry', 'detail', 'category_detail', 'estate']), {
    type: 'collection',
    collection: KYOTO_STOREHOUSE,
  });
  const narrow = await key('Demo: values of two items', 'sandbox', scopeSet(['registry', 'valuation']));
  await grant(narrow, ELEANOR, ALL_SCOPES, { type: 'items', items: await oldestItems(sql, ELEANOR, 2) });
  const live = await key('Demo: production', 'production', ALL_SCOPES);
  await grant(live, BEAT, scopeSet(['registry', 'valuation', 'documentation', 'verification']), { type: 'all' });

  const review = await key('Demo: insurance review', 'sandbox', scopeSet(['registry', 'valuation', 'documentation']));
  await requestGrant(sql, { keyId: review, clientId: ELEANOR, ...REQUEST }, MEMBER);

  const token = secrets.plantToken();
  await createPlantToken(sql, { accountId: PLANT_ACCOUNT, expiresAt: null, hash: token.hash });
  return { ...access, plant_token: token.text };
}

async function revokeEarlier(sql: Sql): Promise<void> {
  const keys = (await listKeys(sql, { firmId: DEMO_FIRM })).filter((key) => key.createdBy === actorText(ACTOR));
  for (const { id, status } of keys) {
    if (status === 'revoked') continue;
    const grants = await listGrants(sql, { keyId: id });
    for (const grant of grants) {
      if (grant.status === 'active') await revokeGrant(sql, grant.id, ACTOR);
      // Only the firm takes a request back.
      if (grant.status === 'pending') await withdrawGrant(sql, grant.id, MEMBER);
    }
    await revokeKey(sql, id, ACTOR);
  }
  for (const { id, accountId, status } of await listPlantTokens(sql))
    if (accountId === PLANT_ACCOUNT && status === 'active') await revokePlantToken(sql, id);
}
