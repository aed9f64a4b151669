// Revocations that a restored database lacks are repeated, and its history then says what happened.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/database.ts';
import { repeatForgotten } from '#gateway/restore/servable.ts';
import {
  declineGrant,
  grantWithoutRequest,
  markExpired,
  requestGrant,
  revokeGrant,
} from '#repositories/grants/grants.ts';
import { lockPerson } from '#repositories/personal-data/client-traces.ts';
import { lockGrants } from '#repositories/personal-data/recorded-traces.ts';
import { listRevocations, repeatRevocations } from '#repositories/revocations.ts';
import { makeScene, type Scene } from '#test/repositories/grant-scene.ts';
import { makeFirm, openMigrated } from '#test/repositories/parties.ts';
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
