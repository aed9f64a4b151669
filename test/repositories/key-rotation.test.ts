// Rotations and revocations of keys: a rotation has one successor and a revocation is final, concurrent acts included.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { newId } from '#core/ids.ts';
import type { Database } from '#database/database.ts';
import { type Firm, lockFirm } from '#repositories/firms.ts';
import { findKey, listKeys } from '#repositories/keys/key-queries.ts';
import { touchLastUsed } from '#repositories/keys/key-use.ts';
import { createKey, revokeKey, rotateKey, rotateKeyInTransaction, setKeyTier } from '#repositories/keys/keys.ts';
import { tierChanges } from '#repositories/keys/limit-records.ts';
import { ahead, HOUR_MS, makeFirm, makeKey, openMigrated, operator } from '#test/repositories/parties.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { listKeyEvents } from '#test/support/recorded.ts';
import { why } from '#test/support/scenario.ts';

let database: Database;
let close: () => Promise<void>;
let firm: Firm;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  firm = await makeFirm(database);
});
afterAll(() => close?.());

const refusal = (code: string) => expect.objectContaining({ name: 'Refusal', code });
const rotate = (id: string, overlapMs?: number) =>
  rotateKey(database, id, { secret: makeKeySecret('sandbox'), overlapMs }, operator, {
    maxKeys: 1_000,
    lifetimeDays: null,
  });

describe('a rotation', () => {
  it('makes a successor of the same settings and lineage, and the predecessor stays valid for an hour', async () => {
    const settings = { note: 'For the ERP', allowedNetworks: ['203.0.113.0/24'] };
    const first = await makeKey(database, firm, {
      ...{ name: 'Rotated', scopes: 3, expiresAt: ahead(100 * HOUR_MS), ...settings },
    });
    await setKeyTier(database, first.id, { ...why, tier: 'elevated' }, operator);
    const { successor, predecessor } = await rotate(first.id);
    const { name, environment, scopes, lineageId, expiresAt } = first;
    expect(successor).toMatchObject({
      name,
      environment,
      scopes,
      lineageId,
      expiresAt,
      ...settings,
      tier: 'elevated',
      status: 'active',
    });
    expect(successor.prefix + successor.lastFour).not.toBe(first.prefix + first.lastFour);
    expect(predecessor).toMatchObject({ id: first.id, rotatedTo: successor.id, status: 'active' });
    const left = Date.parse(predecessor.expiresAt ?? '') - Date.parse(successor.createdAt);
    expect(Math.abs(left - HOUR_MS)).toBeLessThan(1_000);
    const again = await rotate(successor.id);
    expect(again.successor.lineageId).toBe(first.id);
    const events = await listKeyEvents(database, first.id);
    expect(events.map(({ action }) => action)).toEqual(['create', 'tier', 'rotate', 'create', 'rotate', 'create']);
  });

  it('needs no active plan: a secret can be replaced at any time', async () => {
    const lapsed = await makeFirm(database);
    const { id } = await makeKey(database, lapsed);
    await database.query({ text: 'update firms set plan_active = false where id = $1', values: [lapsed.id] });
    const { successor, predecessor } = await rotate(id, 0);
    expect([successor.status, predecessor.status]).toEqual(['active', 'expired']);
  });

  it('never prolongs the predecessor', async () => {
    const expiresAt = ahead(60_000);
    const { id } = await makeKey(database, firm, { expiresAt });
    expect((await rotate(id, 24 * HOUR_MS)).predecessor).toMatchObject({ expiresAt });
  });

  it('without overlap ends the predecessor at once', async () => {
    const { id } = await makeKey(database, firm);
    expect((await rotate(id, 0)).predecessor.status).toBe('expired');
  });

  it('is refused beyond 24 hours, below 0, and for a revoked, expired, rotated or unknown key', async () => {
    const { id } = await makeKey(database, firm);
    await expect(rotate(id, 24 * HOUR_MS + 1)).rejects.toThrow(refusal('invalid_parameter'));
    await expect(rotate(id, -1)).rejects.toThrow(refusal('invalid_parameter'));
    await expect(rotate(id, Number.NaN)).rejects.toThrow(refusal('invalid_parameter'));
    await rotate(id);
    await expect(rotate(id)).rejects.toThrow(/rotated already/);
    const revoked = await makeKey(database, firm);
    await revokeKey(database, revoked.id, operator);
    await expect(rotate(revoked.id)).rejects.toThrow(/revoked/);
    const expired = await makeKey(database, firm);
    await database.query({ text: 'update api_keys set expires_at = now_ms() where id = $1', values: [expired.id] });
    await expect(rotate(expired.id)).rejects.toThrow(/expired/);
    await expect(rotate(newId('key'))).rejects.toThrow(refusal('resource_not_found'));
  });

  it('has one successor under concurrent rotations', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await makeKey(database, firm);
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => rotate(id)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toEqual(refusal('invalid_transition'));
      }
      const lineage = (await listKeys(database, { firmId: firm.id })).filter((key) => key.lineageId === id);
      expect(lineage).toHaveLength(2);
    }
  });

  it('at the maximum of keys is refused with an overlap, and possible without one, also concurrently', async () => {
    const most = 4;
    const full = await makeFirm(database);
    const usable = async () =>
      (await listKeys(database, { firmId: full.id })).filter(({ status }) => status === 'active').length;
    const step = (id: string, overlapMs: number) =>
      rotateKey(database, id, { secret: makeKeySecret('sandbox'), overlapMs }, operator, {
        maxKeys: most,
        lifetimeDays: null,
      });
    const keys = [await makeKey(database, full), await makeKey(database, full), await makeKey(database, full)];
    // The maximum leaves room for one overlap.
    const overlapping = await Promise.allSettled(keys.map(({ id }) => step(id, HOUR_MS)));
    const reasons = overlapping.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(reasons).toEqual([refusal('too_many_keys'), refusal('too_many_keys')]);
    expect(String(reasons[0])).toContain('Rotate without an overlap, or revoke a key');
    expect(await usable()).toBe(most);
    // The refused rotations changed nothing.
    const left = (await listKeys(database, { firmId: full.id })).filter(({ rotatedTo }) => rotatedTo === null);
    expect(left).toHaveLength(3);
    expect((await listKeyEvents(database, left[0]?.id ?? '')).map(({ action }) => action)).toEqual(['create']);

    const swapped = await Promise.all(left.map(({ id }) => step(id, 0)));
    expect(swapped.map(({ successor }) => successor.status)).toEqual(['active', 'active', 'active']);
    expect(await usable()).toBe(most);
    const secret = makeKeySecret('sandbox');
    const wanted = {
      firmId: full.id,
      name: 'More',
      environment: 'sandbox',
      scopes: 1,
      expiresAt: null,
      secret,
    } as const;
    await expect(createKey(database, wanted, operator, { maxKeys: most, lifetimeDays: null })).rejects.toThrow(
      refusal('too_many_keys'),
    );
  });

  it('does not split the tier: an override of either key applies to both, and ends one set before', async () => {
    const { id } = await makeKey(database, firm);
    const { successor } = await rotate(id);
    const tiers = async () =>
      Promise.all(
        [id, successor.id].map(async (key) => {
          const { tier, tierOverride, tierOverrideEndsAt } = (await findKey(database, key)) ?? {};
          return [tier, tierOverride, tierOverrideEndsAt];
        }),
      );
    const endsAt = ahead(HOUR_MS);
    await setKeyTier(database, successor.id, { ...why, endsAt, tier: 'enterprise' }, operator);
    expect(await tiers()).toEqual(Array(2).fill(['enterprise', 'enterprise', endsAt]));
    await setKeyTier(database, id, { ...why, tier: 'standard' }, operator);
    expect(await tiers()).toEqual(Array(2).fill(['standard', 'standard', null]));
    for (const key of [id, successor.id]) {
      const changes = (await tierChanges(database, [key])).get(key);
      expect(changes?.map(({ tier, ended }) => [tier, ended])).toEqual([
        ['standard', false],
        ['enterprise', false],
      ]);
    }
    await setKeyTier(database, successor.id, { ...why, tier: null }, operator);
    expect(await tiers()).toEqual(Array(2).fill(['sandbox', null, null]));
  });

  it('that an override of the tier waits for gets it too', async () => {
    const { id, firmId } = await makeKey(database, firm);
    const { overriding, successor } = await database.transaction(async (sql) => {
      await lockFirm(sql, firmId);
      const rotated = await rotateKeyInTransaction(sql, id, { secret: makeKeySecret('sandbox') }, operator);
      const overriding = setKeyTier(database, id, { ...why, tier: 'elevated' }, operator);
      await untilBlocked(database);
      return { ...rotated, overriding };
    });
    expect(await overriding).toMatchObject({ id, tier: 'elevated' });
    expect(await findKey(database, successor.id)).toMatchObject({ tier: 'elevated', tierOverride: 'elevated' });
  });

  it('succeeds while the last use of the key is being stored', async () => {
    const { id } = await makeKey(database, firm);
    const rotation = database.transaction(async (sql) => {
      await touchLastUsed(sql, [{ keyId: id, at: '2026-01-15T10:00:00.000Z' }]);
      const rotating = rotate(id);
      await untilBlocked(database);
      return { rotating };
    });
    const { predecessor } = await (await rotation).rotating;
    expect(predecessor.lastUsedAt).toBe('2026-01-15T10:00:00.000Z');
  });
});

describe('a revocation', () => {
  it('is final, records who did it, and changes nothing the second time', async () => {
    const { id } = await makeKey(database, firm);
    const revoked = await revokeKey(database, id, operator);
    expect(revoked).toMatchObject({ status: 'revoked', revokedBy: 'operator:test' });
    expect(await revokeKey(database, id, { kind: 'operator', id: 'other' })).toEqual(revoked);
    expect((await listKeyEvents(database, id)).map(({ action }) => action)).toEqual(['create', 'revoke']);
    await expect(revokeKey(database, newId('key'), operator)).rejects.toThrow(refusal('resource_not_found'));
  });

  it('wins over a rotation that waits for it', async () => {
    const { id } = await makeKey(database, firm);
    const { rotating } = await database.transaction(async (sql) => {
      await revokeKey(sql, id, operator);
      const rotating = rotate(id).catch((error: unknown) => error);
      await untilBlocked(database);
      return { rotating };
    });
    expect(await rotating).toEqual(refusal('invalid_transition'));
    expect(await findKey(database, id)).toMatchObject({ status: 'revoked', rotatedTo: null });
  });

  it('ends the key also when it waits for a rotation', async () => {
    const { id } = await makeKey(database, firm);
    const { revoking } = await database.transaction(async (sql) => {
      await rotateKeyInTransaction(sql, id, { secret: makeKeySecret('sandbox') }, operator);
      const revoking = revokeKey(database, id, operator);
      await untilBlocked(database);
      return { revoking };
    });
    expect(await revoking).toMatchObject({ status: 'revoked' });
  });
});
