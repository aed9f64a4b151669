// Grants in the database: every step is taken once and recorded.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { usersCalled } from '#repositories/accounts/people.ts';
import type { Firm } from '#repositories/firms.ts';
import { type Grant, listGrants } from '#repositories/grants/grant-queries.ts';
import {
  approveGrant,
  changeGrant,
  declineGrant,
  grantWithoutRequest,
  markExpired,
  requestGrant,
  revokeGrant,
  stopFirm,
  withdrawGrant,
} from '#repositories/grants/grants.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { endFirm } from '#repositories/personal-data/firm-end.ts';
import { createUser } from '#repositories/users.ts';
import { makeScene, type Scene } from '#test/repositories/grant-scene.ts';
import { ahead, HOUR_MS, makeFirm, openMigrated, operator } from '#test/repositories/parties.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { findGrant, listGrantEvents } from '#test/support/recorded.ts';

let database: Database;
let close: () => Promise<void>;
let firm: Firm;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  firm = await makeFirm(database);
});
afterAll(() => close?.());

const refusal = (code: string) => expect.objectContaining({ name: 'Refusal', code });
const scene = () => makeScene(database, firm);
const request = ({ terms, member }: Scene) =>
  requestGrant(database, { ...terms, client: terms.clientId, purpose: 'Estate plan' }, member);
const actionsOf = async ({ id }: Grant) => (await listGrantEvents(database, id)).map(({ action }) => action);
const letExpire = ({ id }: Grant) =>
  database.query({ text: `update grants set expires_at = now_ms() - interval '1 second' where id = $1`, values: [id] });

describe('a request', () => {
  it('reaches a client whose address is typed in another case, letters beyond ASCII included', async () => {
    const { key, member, terms } = await scene();
    const host = `${key.id.toLowerCase()}.example.com`;
    const person = { role: 'client', name: 'Émile', environment: 'sandbox', reportingCurrency: 'EUR' } as const;
    const client = await createUser(database, { ...person, email: `Émile@${host}` });
    const pending = await requestGrant(database, { ...terms, client: `ÉMILE@${host}`, purpose: null }, member);
    expect(pending.clientId).toBe(client.id);
    const again = { ...terms, client: `émile@${host}`, purpose: null };
    await expect(requestGrant(database, again, member)).rejects.toEqual(refusal('already_exists'));
    expect(await usersCalled(database, `ÉMILE@${host}`)).toEqual([client.id]);
  });

  it('is approved narrower, changed, revoked, and each step is recorded with its actor', async () => {
    const here = await scene();
    const pending = await request(here);
    expect(pending).toMatchObject({
      status: 'pending',
      purpose: 'Estate plan',
      activatedAt: null,
      viewChangedAt: null,
    });
    const narrower = { scopes: scopeSet(['registry']), expiresAt: ahead(HOUR_MS) };
    const active = await approveGrant(database, pending.id, narrower, here.owner);
    expect(active).toMatchObject({ status: 'active', ...narrower, filter: { type: 'all' } });
    expect(active.activatedAt).not.toBeNull();
    const changed = await changeGrant(database, active.id, { scopes: ALL_SCOPES, expiresAt: null }, here.owner);
    expect(changed).toMatchObject({ scopes: ALL_SCOPES, expiresAt: null, activatedAt: active.activatedAt });
    const revoked = await revokeGrant(database, active.id, here.owner);
    expect(revoked.status).toBe('revoked');
    expect(revoked.endedAt).not.toBeNull();
    const client = `client:${here.client.id}`;
    expect(await listGrantEvents(database, pending.id)).toMatchObject([
      {
        action: 'request',
        actor: `firm_member:${here.member.id}`,
        details: { purpose: 'Estate plan', expires_at: null },
      },
      { action: 'approve', actor: client, details: { scopes: ['registry'], filter: { type: 'all' } } },
      { action: 'change', actor: client, details: { expires_at: null } },
      { action: 'revoke', actor: client, details: {} },
    ]);
  });

  it('is declined, and an active grant is revoked, when the client stops their firm', async () => {
    const here = await scene();
    const active = await approveGrant(database, (await request(here)).id, {}, here.owner);
    const ofFirm = { clientId: here.client.id, firmId: firm.id };
    await expect(stopFirm(database, ofFirm, here.member)).rejects.toThrow(refusal('forbidden'));
    expect(await stopFirm(database, { ...ofFirm, firmId: 'frm_another' }, here.owner)).toBe(0);
    expect(await stopFirm(database, { ...ofFirm, clientId: 'usr_another' }, here.owner)).toBe(0);
    expect(await stopFirm(database, ofFirm, here.owner)).toBe(1);
    expect(await stopFirm(database, ofFirm, here.owner)).toBe(0);
    const [last] = (await listGrantEvents(database, active.id)).slice(-1);
    expect(last).toMatchObject({ action: 'revoke', actor: `client:${here.client.id}` });
    const waiting = await request(here);
    expect(await stopFirm(database, ofFirm, here.owner)).toBe(1);
    const [declined] = (await listGrantEvents(database, waiting.id)).slice(-1);
    expect(declined).toMatchObject({ action: 'decline' });
  });

  it('cannot be approved with more scopes', async () => {
    const here = await scene();
    const { id } = await request(here);
    const wider = approveGrant(database, id, { scopes: ALL_SCOPES }, here.owner);
    await expect(wider).rejects.toThrow(refusal('invalid_parameter'));
    expect(await findGrant(database, id)).toMatchObject({ status: 'pending' });
  });

  it('is declined, or withdrawn, once', async () => {
    const here = await scene();
    const first = await request(here);
    await expect(request(here)).rejects.toThrow(refusal('already_exists'));
    expect(await declineGrant(database, first.id, here.owner)).toMatchObject({ status: 'declined', activatedAt: null });
    // The firm does not learn of the decline: it withdraws the request, and makes another.
    await expect(request(here)).rejects.toThrow(refusal('already_exists'));
    expect(await withdrawGrant(database, first.id, here.member)).toMatchObject({ status: 'withdrawn' });
    await expect(withdrawGrant(database, first.id, here.member)).rejects.toThrow(refusal('invalid_transition'));
    const second = await request(here);
    expect(await withdrawGrant(database, second.id, here.member)).toMatchObject({ status: 'withdrawn' });
    await expect(approveGrant(database, second.id, {}, here.owner)).rejects.toThrow(refusal('invalid_transition'));
    expect(await actionsOf(second)).toEqual(['request', 'withdraw']);
  });

  it('can be neither made nor approved while a grant is active', async () => {
    const here = await scene();
    const pending = await request(here);
    const active = await grantWithoutRequest(database, here.terms, here.owner);
    await expect(approveGrant(database, pending.id, {}, here.owner)).rejects.toThrow(refusal('already_exists'));
    await withdrawGrant(database, pending.id, here.member);
    await expect(request(here)).rejects.toThrow(refusal('already_exists'));
    await revokeGrant(database, active.id, here.owner);
    const again = await request(here);
    expect(await approveGrant(database, again.id, {}, here.owner)).toMatchObject({ status: 'active' });
  });
});

describe('an active grant', () => {
  it('is the only one of its key and client, also through the successor of the key', async () => {
    const { terms, key, owner } = await scene();
    const grant = await grantWithoutRequest(database, terms, owner);
    await expect(grantWithoutRequest(database, terms, owner)).rejects.toThrow(refusal('already_exists'));
    const { successor } = await rotateKey(database, key.id, { secret: makeKeySecret('sandbox') }, operator, {
      maxKeys: 100,
      lifetimeDays: null,
    });
    const again = { ...terms, keyId: successor.id };
    await expect(grantWithoutRequest(database, again, owner)).rejects.toThrow(refusal('already_exists'));
    expect(await findGrant(database, grant.id)).toMatchObject({ lineageId: key.id, keyId: successor.id });
    for (const keyId of [key.id, successor.id]) expect(await listGrants(database, { keyId })).toHaveLength(1);
  });

  it('is created once if several are given concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const { terms, owner } = await scene();
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, () => grantWithoutRequest(database, terms, owner)),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toEqual(refusal('already_exists'));
      }
      expect(await listGrants(database, { clientId: terms.clientId })).toHaveLength(1);
    }
  });

  it('is created once if an approval and a grant without request are concurrent', async () => {
    for (let round = 0; round < 10; round++) {
      const here = await scene();
      const { id } = await request(here);
      const both = [approveGrant(database, id, {}, here.owner), grantWithoutRequest(database, here.terms, here.owner)];
      const results = await Promise.allSettled(both);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('is revoked once, and stays revoked under a concurrent change', async () => {
    for (let round = 0; round < 10; round++) {
      const { terms, owner } = await scene();
      const { id } = await grantWithoutRequest(database, terms, owner);
      const change = changeGrant(database, id, { scopes: ALL_SCOPES }, owner).catch((error: unknown) => error);
      const revocations = await Promise.allSettled([
        revokeGrant(database, id, owner),
        revokeGrant(database, id, owner),
      ]);
      await change;
      expect(revocations.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await findGrant(database, id)).toMatchObject({ status: 'revoked' });
    }
  });

  it('has a later time of its view after a change of scopes or filter, but not of the expiry', async () => {
    const { terms, owner } = await scene();
    const grant = await grantWithoutRequest(database, terms, owner);
    await database.query({ text: 'select pg_sleep(0.002)' });
    const prolonged = await changeGrant(database, grant.id, { expiresAt: ahead(HOUR_MS) }, owner);
    expect(prolonged.viewChangedAt).toBe(grant.viewChangedAt);
    const filter = { type: 'category' as const, categories: ['WT'] };
    const narrowed = await changeGrant(database, grant.id, { filter }, owner);
    expect(narrowed).toMatchObject({ filter, expiresAt: prolonged.expiresAt, scopes: terms.scopes });
    expect(String(narrowed.viewChangedAt) > String(grant.viewChangedAt)).toBe(true);
    await database.query({ text: 'select pg_sleep(0.002)' });
    const widened = await changeGrant(database, grant.id, { scopes: ALL_SCOPES }, owner);
    expect(String(widened.viewChangedAt) > String(narrowed.viewChangedAt)).toBe(true);
  });
});

describe('expiry', () => {
  it('takes effect before it is recorded, and allows the next grant', async () => {
    const { terms, owner, member } = await scene();
    const grant = await grantWithoutRequest(database, { ...terms, expiresAt: ahead(HOUR_MS) }, owner);
    await letExpire(grant);
    const { expiresAt } = (await findGrant(database, grant.id)) as Grant;
    expect(await findGrant(database, grant.id)).toMatchObject({ status: 'expired', endedAt: expiresAt });
    const prolonged = changeGrant(database, grant.id, { expiresAt: null }, owner);
    await expect(prolonged).rejects.toThrow(refusal('invalid_transition'));
    await expect(revokeGrant(database, grant.id, owner)).rejects.toThrow(refusal('invalid_transition'));
    const next = await grantWithoutRequest(database, terms, owner);
    const events = await listGrantEvents(database, grant.id);
    expect(events.at(-1)).toMatchObject({ action: 'expire', actor: 'system:expiry', at: expiresAt });
    expect(await findGrant(database, grant.id)).toMatchObject({ status: 'expired', endedAt: expiresAt });
    await letExpire(next);
    const { id } = await requestGrant(database, { ...terms, client: terms.clientId, purpose: null }, member);
    expect(await approveGrant(database, id, {}, owner)).toMatchObject({ status: 'active' });
    expect(await actionsOf(next)).toEqual(['grant', 'expire']);
  });

  it('is not undone by a change that waits for it', async () => {
    const { terms, owner } = await scene();
    const grant = await grantWithoutRequest(database, { ...terms, expiresAt: ahead(HOUR_MS) }, owner);
    const prolonged = await database.transaction(async (sql) => {
      await sql.query({
        text: "update grants set expires_at = now() - interval '1 s' where id = $1",
        values: [grant.id],
      });
      const outcome = changeGrant(database, grant.id, { expiresAt: null }, owner).catch((error: unknown) => error);
      await untilBlocked(database);
      return { outcome };
    });
    expect(await prolonged.outcome).toEqual(refusal('invalid_transition'));
    expect(await findGrant(database, grant.id)).toMatchObject({ status: 'expired' });
  });

  it('is not recorded as a revocation if the firm ends later', async () => {
    const ending = await makeFirm(database);
    const [over, current] = [await makeScene(database, ending), await makeScene(database, ending)];
    const expired = await grantWithoutRequest(database, { ...over.terms, expiresAt: ahead(HOUR_MS) }, over.owner);
    const active = await grantWithoutRequest(database, current.terms, current.owner);
    await letExpire(expired);
    await endFirm(database, ending.id, operator);
    expect(await findGrant(database, expired.id)).toMatchObject({ status: 'expired' });
    expect(await actionsOf(expired)).toEqual(['grant']);
    expect(await findGrant(database, active.id)).toMatchObject({ status: 'revoked' });
    expect(await actionsOf(active)).toEqual(['grant', 'revoke']);
  });

  it('is not recorded as a revocation if the client stops the firm later', async () => {
    const { terms, owner } = await scene();
    const expired = await grantWithoutRequest(database, { ...terms, expiresAt: ahead(HOUR_MS) }, owner);
    await letExpire(expired);
    expect(await stopFirm(database, { clientId: terms.clientId, firmId: firm.id }, owner)).toBe(0);
    expect(await findGrant(database, expired.id)).toMatchObject({ status: 'expired' });
    expect(await actionsOf(expired)).toEqual(['grant']);
  });

  it('is recorded once for each expired grant', async () => {
    const grants = await Promise.all(
      [scene(), scene()].map(async (here) => grantWithoutRequest(database, (await here).terms, operator)),
    );
    await Promise.all(grants.map(letExpire));
    await Promise.all([markExpired(database), markExpired(database)]);
    expect(await markExpired(database)).toBe(0);
    for (const grant of grants) expect(await actionsOf(grant)).toEqual(['grant', 'expire']);
  });
});
