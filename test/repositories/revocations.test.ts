// Revocations that a restored database lacks are repeated, and its history then says what happened.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeSet } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Database } from '#database/database.ts';
import type { Revocation } from '#database/revocation-journal.ts';
import { repeatForgotten } from '#gateway/restore/servable.ts';
import { createToken, listTokens } from '#repositories/admission/tokens.ts';
import {
  declineGrant,
  grantWithoutRequest,
  markExpired,
  requestGrant,
  revokeGrant,
} from '#repositories/grants/grants.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { lockPerson } from '#repositories/personal-data/client-traces.ts';
import { lockGrants } from '#repositories/personal-data/recorded-traces.ts';
import {
  forgetRevocations,
  isCut,
  listRevocations,
  repeatRevocations,
  unknownRevocations,
} from '#repositories/revocations.ts';
import { makeScene, type Scene } from '#test/repositories/grant-scene.ts';
import { ahead, HOUR_MS, makeFirm, openMigrated } from '#test/repositories/parties.ts';
import { findGrant, listGrantEvents } from '#test/support/recorded.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

const run = (text: string, ...values: unknown[]) => database.query({ text, values });

describe('a grant that has expired since the backup', () => {
  /** Restores a grant from before `take` once it has expired, and repeats the revocations since; returns its id. */
  async function restoredAfter(take: (scene: Scene, id: string) => Promise<unknown>): Promise<string> {
    const here = await makeScene(database, await makeFirm(database));
    const { id } = await grantWithoutRequest(database, here.terms, here.owner);
    const known = (await listRevocations(database, { from: 0 })).length;
    await take(here, id);
    const taken = (await listRevocations(database, { from: 0 })).slice(known);
    await run(`delete from grant_events where grant_id = $1 and action <> 'grant'`, id);
    const past = `activated_at = now_ms() - interval '2 days', expires_at = now_ms() - interval '1 day'`;
    await run(`update grants set status = 'active', ended_at = null, ${past} where id = $1`, id);
    await run('delete from revocations');
    await database.transaction((sql) => repeatRevocations(sql, taken));
    await markExpired(database);
    return id;
  }
  const stepsOf = async (id: string) =>
    (await listGrantEvents(database, id)).map(({ action, actor }) => [action, actor]);

  it('is revoked if it was revoked, and ended no later than its expiry', async () => {
    const id = await restoredAfter(({ owner }, grant) => revokeGrant(database, grant, owner));
    const grant = await findGrant(database, id);
    expect(grant).toMatchObject({ status: 'revoked', endedAt: grant?.expiresAt });
    expect((await stepsOf(id)).slice(1)).toEqual([['revoke', 'system:restore']]);
  });

  it('is expired if all grants of its client ended, and this one was not revoked', async () => {
    const id = await restoredAfter(({ client }) =>
      run(`update users set environment = 'production' where id = $1`, client.id),
    );
    expect(await findGrant(database, id)).toMatchObject({ status: 'expired' });
    expect((await stepsOf(id)).slice(1)).toEqual([['expire', 'system:expiry']]);
  });
});

const act = (table_name: string, row_id: string, terms: object, daysAgo = 0): Revocation => ({
  ...{ id: randomUUID(), seq: 1, at: new Date(Date.now() - daysAgo * DAY_MS).toISOString() },
  ...{ table_name, row_id, changed: Object.keys(terms), terms: { ...terms } },
});

it('acts of any age are repeated, in their order, without those on sessions that have expired since', async () => {
  const acts = [act('grants', 'a', {}, 1_000), act('portal_sessions', 'b', {}, 7), act('api_keys', 'c', {}, 1)];
  const given = [...acts, act('portal_sessions', 'd', {}, 30)].toReversed();
  expect(await unknownRevocations(database, given)).toEqual(acts);
});

it('an act that left more than there is gives nothing back', async () => {
  const firm = await makeFirm(database);
  const { key, terms, owner, member } = await makeScene(database, firm);
  const narrow = {
    ...{ scopes: scopeSet(['registry']), expiresAt: ahead(HOUR_MS) },
    filter: { type: 'category' as const, categories: ['WT'] },
  };
  const { id } = await grantWithoutRequest(database, { ...terms, ...narrow }, owner);
  const networks = ['203.0.113.0/24'];
  await run(
    'update api_keys set scopes = $2, expires_at = $3, allowed_networks = $4 where id = $1',
    ...[key.id, narrow.scopes, narrow.expiresAt, networks],
  );
  await run(`update users set firm_role = 'auditor' where id = $1`, member.id);
  const token = { holder: 'ops' as const, hash: randomBytes(32), expiresAt: narrow.expiresAt };
  const { id: tokenId } = await createToken(database, 'service', token);
  const wide = { scopes: scopeSet(['registry', 'valuation']), expires_at: null };
  for (const filter of [{ type: 'category', categories: ['WT', 'PM'] }, { type: 'all' }])
    await repeatRevocations(database, [
      act('grants', id, { ...wide, filter }),
      act('api_keys', key.id, { ...wide, allowed_networks: [] }),
      act('users', member.id, { firm_role: 'developer' }),
      act('service_tokens', tokenId, { expires_at: null }),
    ]);
  expect(await findGrant(database, id)).toMatchObject(narrow);
  expect(await findKey(database, key.id)).toMatchObject({
    ...{ scopes: narrow.scopes, expiresAt: narrow.expiresAt, allowedNetworks: networks },
  });
  expect(await run('select firm_role from users where id = $1', member.id)).toEqual([{ firm_role: 'auditor' }]);
  expect(await listTokens(database, 'service')).toMatchObject([{ id: tokenId, expiresAt: narrow.expiresAt }]);
});

it('an act that left other scopes than there are, or another plan, ends the access', async () => {
  const firm = await makeFirm(database);
  const { key, terms, owner } = await makeScene(database, firm);
  const { id } = await grantWithoutRequest(database, { ...terms, scopes: scopeSet(['valuation']) }, owner);
  await repeatRevocations(database, [act('grants', id, { scopes: scopeSet(['registry', 'detail']) })]);
  expect(await findGrant(database, id)).toMatchObject({ status: 'revoked' });
  await run('update api_keys set scopes = $2 where id = $1', key.id, scopeSet(['valuation']));
  await repeatRevocations(database, [act('api_keys', key.id, { scopes: scopeSet(['registry']) })]);
  expect(await findKey(database, key.id)).toMatchObject({ status: 'revoked' });
  await repeatRevocations(database, [act('firms', firm.id, { plan: 'none', plan_active: true })]);
  expect(await run('select plan_active from firms where id = $1', firm.id)).toEqual([{ plan_active: false }]);
});

it('a journal is cut if it lacks an act on lasting access that it had an hour to record', async () => {
  await run('delete from revocations');
  const [old, session, recent] = [
    act('grants', 'a', {}, 2),
    act('portal_sessions', 'b', {}, 2),
    act('grants', 'c', {}),
  ];
  await repeatRevocations(database, [old, session, recent]);
  expect(await isCut(database, [old])).toBe(false);
  expect(await isCut(database, [session, recent])).toBe(true);
});

it('acts on sessions are forgotten once these have expired, except the newest act', async () => {
  await run('delete from revocations');
  const acts = [
    act('grants', 'a', {}, 100),
    act('portal_sessions', 'b', {}, 100),
    act('portal_sessions', 'c', {}, 100),
  ];
  await repeatRevocations(database, acts);
  await forgetRevocations(database);
  expect((await listRevocations(database, { from: 0 })).map(({ row_id }) => row_id)).toEqual(['a', 'c']);
});

it('a request that the client declined is declined again, without telling the firm', async () => {
  const here = await makeScene(database, await makeFirm(database));
  const request = { ...here.terms, client: here.client.email, purpose: null };
  const { id } = await requestGrant(database, request, here.member);
  const known = (await listRevocations(database, { from: 0 })).length;
  await declineGrant(database, id, here.owner);
  const taken = (await listRevocations(database, { from: 0 })).slice(known);
  await run(`delete from grant_events where grant_id = $1 and action <> 'request'`, id);
  await run(`update grants set status = 'pending', untold = false, ended_at = null where id = $1`, id);
  await run('delete from revocations');
  await database.transaction((sql) => repeatRevocations(sql, taken));

  expect(await findGrant(database, id)).toMatchObject({ status: 'declined', open: true });
  expect((await listGrantEvents(database, id)).slice(1)).toMatchObject([
    { action: 'decline', actor: 'system:restore' },
  ]);
  await expect(requestGrant(database, request, here.member)).rejects.toMatchObject({ code: 'already_exists' });
});

it('repeating revocations does not deadlock with an erasure', async () => {
  const here = await makeScene(database, await makeFirm(database));
  const { id } = await grantWithoutRequest(database, here.terms, here.owner);
  const known = (await listRevocations(database, { from: 0 })).length;
  await revokeGrant(database, id, here.owner);
  await run(`update users set email = 'other-' || email where id = $1`, here.client.id);
  const taken = (await listRevocations(database, { from: 0 })).slice(known);
  expect(taken.map(({ table_name }) => table_name)).toEqual(['grants', 'users']);
  await run(`update grants set status = 'active', ended_at = null where id = $1`, id);
  await run('delete from revocations');
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const repeating = Promise.withResolvers<number>();
  await database.transaction(async (sql) => {
    const person = await lockPerson(sql, here.client.id);
    if (person === null) throw new Error('the client does not exist');
    database.transaction((own) => repeatForgotten(own, taken)).then(repeating.resolve, repeating.reject);
    await expect.poll(async () => (await run(waits)).length, { timeout: 60_000 }).toBe(1);
    expect(await lockGrants(sql, person, null)).toMatchObject({ gone: [id] });
  });
  expect(await repeating.promise).toBe(2);
});
