// Tools: keys, grants and a plant token for trying the demonstration's data.
import { makeToken } from '#auth/key-format.ts';
import { type Actor, actorText } from '#core/actor.ts';
import { ALL_SCOPES, scopeSet, scopesOf } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import { createToken, listTokens, revokeToken } from '#repositories/admission/tokens.ts';
import { setFirmIdentity } from '#repositories/firm-identities.ts';
import { listGrants } from '#repositories/grants/grant-queries.ts';
import { approveGrant, changeGrant, requestGrant, revokeGrant, withdrawGrant } from '#repositories/grants/grants.ts';
import { listKeys } from '#repositories/keys/key-queries.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { forgetNoticesOfThis } from '#repositories/notices/outbox.ts';
import { ACTOR, type DemoAccess, DemoGrants, MEMBER } from './grants.ts';
import { declinedRequest, endedPilot, hasHistory, NARROWED, REVIEW_KEY, rotated, saveCalls } from './history.ts';
import { setBack } from './history-events.ts';
import { BEAT, DEMO_FIRM, ELEANOR, KEIKO, KYOTO_STOREHOUSE, MATTEO, oldestItems } from './load.ts';

const PLANT_ACCOUNT = 'demo';
const IDENTITY = {
  address: '14 Lincoln’s Inn Fields\nLondon WC2A 3BP',
  website: 'https://www.hartwell-lyle.example/',
  email: 'clients@hartwell-lyle.example',
  phone: '+44 20 7946 0123',
};
const REGISTRY_AND_VALUES = scopeSet(['registry', 'valuation']);
/** The firm uses her address here: it already waits for an answer to a request by her id, which she has declined. */
const ELEANOR_EMAIL = 'eleanor.whitcombe@example.com';
const OF_ELEANOR: Actor = { kind: 'client', id: ELEANOR };

/** The request that waits for Eleanor's answer. */
const REQUEST: Omit<Parameters<typeof requestGrant>[1], 'keyId' | 'client'> = {
  scopes: scopeSet(['registry', 'valuation', 'documentation']),
  filter: { type: 'category', categories: ['JW', 'WT'] },
  expiresAt: null,
  purpose: 'The yearly review of what your watches and jewellery are insured for.',
};

/**
 * Revokes keys and tokens of earlier runs, whose secrets cannot be read back, and makes new ones. Adds a history if the
 * clients' record is empty.
 */
export async function giveDemoAccess(sql: Sql): Promise<DemoAccess> {
  await revokeEarlier(sql);
  const demoGrants = new DemoGrants(sql, Date.now());
  const fresh = !(await hasHistory(sql));

  await setFirmIdentity(sql, DEMO_FIRM, IDENTITY, MEMBER);
  await giveBreadth(demoGrants);
  const narrow = await giveNarrow(demoGrants);
  if (fresh) await endedPilot(demoGrants);
  const live = await demoGrants.key('Demo: production', 'production', ALL_SCOPES, 24);
  const shown = scopeSet(['registry', 'valuation', 'documentation', 'verification']);
  await demoGrants.grant([live, BEAT], shown, { type: 'all' }, 23);
  const report = await giveReport(demoGrants);

  const review = await demoGrants.key(REVIEW_KEY, 'sandbox', REQUEST.scopes, 22);
  if (fresh) await declinedRequest(demoGrants, review);
  await narrow();
  const { id } = await requestGrant(sql, { keyId: review, client: ELEANOR_EMAIL, ...REQUEST }, MEMBER);
  demoGrants.happened(id, 'request', 2);
  if (fresh) {
    await rotated(demoGrants, report);
    await setBack(sql, demoGrants.events);
    await saveCalls(demoGrants);
  }

  await forgetNoticesOfThis(sql);
  const { text, hash } = makeToken('plant');
  await createToken(sql, 'plant', { holder: PLANT_ACCOUNT, expiresAt: null, hash });
  return { keys: demoGrants.keys, grants: demoGrants.grants, plant_token: text };
}

/** One key and three clients, each with another filter. */
async function giveBreadth(demoGrants: DemoGrants): Promise<void> {
  const wide = await demoGrants.key('Demo: everything that is granted', 'sandbox', ALL_SCOPES, 60);
  await demoGrants.grant([wide, ELEANOR], ALL_SCOPES, { type: 'all' }, 44);
  const values = scopeSet(['registry', 'valuation', 'documentation']);
  await demoGrants.grant([wide, MATTEO], values, { type: 'category', categories: ['AR', 'VH', 'WN'] }, 43);
  const estate = scopeSet(['registry', 'detail', 'category_detail', 'estate']);
  await demoGrants.grant([wide, KEIKO], estate, { type: 'collection', collection: KYOTO_STOREHOUSE }, 42);
}

/** A grant of four items. The returned function narrows it to two. */
async function giveNarrow(demoGrants: DemoGrants): Promise<() => Promise<void>> {
  const key = await demoGrants.key('Demo: values of two items', 'sandbox', REGISTRY_AND_VALUES, 37);
  const items = await oldestItems(demoGrants.sql, ELEANOR, 4);
  const id = await demoGrants.grant([key, ELEANOR], ALL_SCOPES, { type: 'items', items }, 36);
  return async () => {
    const { filter } = await changeGrant(
      demoGrants.sql,
      id,
      { filter: { type: 'items', items: items.slice(0, 2) } },
      OF_ELEANOR,
    );
    demoGrants.happened(id, 'change', NARROWED);
    for (const grant of demoGrants.grants) if (grant.id === id) grant.filter = filter;
  };
}

/**
 * A grant requested without an end and approved for a month, of which five days and the rest of today are left. Returns
 * the key's id.
 */
async function giveReport(demoGrants: DemoGrants): Promise<string> {
  const keyId = await demoGrants.key('Demo: monthly report', 'sandbox', REGISTRY_AND_VALUES, 58);
  const scopes = REGISTRY_AND_VALUES;
  const request = { keyId, client: ELEANOR, scopes, filter: { type: 'all' } as const, expiresAt: null };
  const { id } = await requestGrant(
    demoGrants.sql,
    { ...request, purpose: 'Figures for your monthly report.' },
    MEMBER,
  );
  // The last instant of a day, as the portal sets it.
  const expiresAt = new Date((Math.floor(demoGrants.now / DAY_MS) + 6) * DAY_MS - 1).toISOString();
  await approveGrant(demoGrants.sql, id, { expiresAt }, OF_ELEANOR);
  demoGrants.happened(id, 'request', 26);
  demoGrants.happened(id, 'approve', 25);
  const recorded = { scopes: scopesOf(scopes), filter: request.filter, expires_at: expiresAt };
  demoGrants.grants.push({ id, key_id: keyId, client_id: ELEANOR, ...recorded });
  return keyId;
}

/** Revokes keys of earlier runs and their successors. Leaves expired keys as they are. */
async function revokeEarlier(sql: Sql): Promise<void> {
  const all = await listKeys(sql, { firmId: DEMO_FIRM });
  const ours = new Set(all.filter((key) => key.createdBy === actorText(ACTOR)).map((key) => key.lineageId));
  for (const { id, lineageId, status } of all) {
    if (!ours.has(lineageId) || status === 'revoked') continue;
    const grants = await listGrants(sql, { keyId: id });
    for (const grant of grants) {
      if (grant.status === 'active') await revokeGrant(sql, grant.id, ACTOR);
      // Only the firm can withdraw a request.
      if (grant.status === 'pending') await withdrawGrant(sql, grant.id, MEMBER);
    }
    if (status === 'active') await revokeKey(sql, id, ACTOR);
  }
  for (const { id, holder, status } of await listTokens(sql, 'plant'))
    if (holder === PLANT_ACCOUNT && status === 'active') await revokeToken(sql, 'plant', id);
}
