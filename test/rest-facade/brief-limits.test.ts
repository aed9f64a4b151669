// Guarantee: an override of a limit with an end applies until then on every gateway and then ends by itself everywhere;
// the value set before applies again, and the end is recorded.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { MAX_REASON } from '#core/text-lengths.ts';
import { firmLimitChanges, setFirmLimit } from '#repositories/firms.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { tierChanges } from '#repositories/keys/limit-records.ts';
import { keyShadowChanges, listShadows, setShadow, tierShadows } from '#repositories/keys/limit-shadows.ts';
import { KEY_BOUNDS } from '#test/repositories/parties.ts';
import { beforeEnd } from '#test/support/before-end.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { call, makeFirm, makeKey, type Response, why } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;
const until = (end: Date) => ({ reason: 'a campaign', endsAt: end.toISOString() });
const policy = ({ headers }: Response) => headers.get('ratelimit-policy');

let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  one = await startGateway();
  other = await startGateway({ databaseUrl: one.databaseUrl });
});
afterAll(async () => {
  await other?.stop();
  await one?.stop();
});

/** A key of the tier Standard, used on both gateways, so that both have its admission in their caches. */
async function onBoth() {
  const firm = await makeFirm(one.database, { tier: 'standard' });
  const { key, client } = await makePartner(one, { key: await makeKey(one.database, firm) });
  const ask = () => Promise.all([one, other].map(({ url }) => call(url + pathFor(client.id, '/assets'), key.secret)));
  const policies = async () => (await ask()).map(policy);
  expect(await policies()).toEqual(both('"key";q=1000;w=60'));
  return { firm, key, policies };
}

const both = <Value>(value: Value) => [value, value];
const polling = { timeout: 60_000, interval: 50 };

describe('an override with an end', () => {
  it('of a key’s tier ends on all gateways, for rotations too, and the one without an end applies again', async () => {
    const { database } = one;
    const { successor, occasion, policies } = await beforeEnd(async (soon) => {
      const { key, policies } = await onBoth();
      await setKeyTier(database, key.id, { ...why, tier: 'elevated' }, operator);
      expect(await policies()).toEqual(both('"key";q=5000;w=60'));
      const occasion = until(soon());
      const { endsAt } = occasion;
      const set = await setKeyTier(database, key.id, { ...occasion, tier: 'enterprise' }, operator);
      expect(set).toMatchObject({ tier: 'enterprise', tierOverride: 'enterprise', tierOverrideEndsAt: endsAt });
      expect(await policies()).toEqual(both('"key";q=20000;w=60'));
      const { text: _, ...secret } = makeKeySecret('production');
      const { successor } = await rotateKey(database, key.id, { secret }, operator, KEY_BOUNDS);
      expect(successor.tier).toBe('enterprise');
      return { successor, occasion, policies };
    });

    await vi.waitFor(async () => expect(await policies()).toEqual(both('"key";q=5000;w=60')), polling);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(occasion.endsAt));
    expect(await findKey(database, successor.id)).toMatchObject({ tier: 'elevated', tierOverrideEndsAt: null });
    const changes = (await tierChanges(database, [successor.id])).get(successor.id);
    expect(changes).toMatchObject([
      { tier: null, ended: true, at: occasion.endsAt, actor: { kind: 'system' } },
      { tier: 'enterprise', ended: false, ...occasion, actor: { kind: 'operator', name: 'test' } },
      { tier: 'elevated', ended: false, ...why },
    ]);
  });

  it('can be withdrawn before its end, and then no end is recorded', async () => {
    const { database } = one;
    const { key, end } = await beforeEnd(async (soon) => {
      const { key, policies } = await onBoth();
      const end = soon();
      await setKeyTier(database, key.id, { ...until(end), tier: 'enterprise' }, operator);
      await setKeyTier(database, key.id, { ...why, tier: null }, operator);
      expect(await policies()).toEqual(both('"key";q=1000;w=60'));
      return { key, end };
    });
    await sleep(end.getTime() - Date.now() + 100);
    expect((await tierChanges(database, [key.id])).get(key.id)?.map(({ ended }) => ended)).toEqual([false, false]);
  });

  it('of a firm’s limit ends on all gateways, the agreed limit applies again, and both are recorded', async () => {
    const { database } = one;
    const { firm, occasion, policies } = await beforeEnd(async (soon) => {
      const { firm, policies } = await onBoth();
      await setFirmLimit(database, firm.id, { ...why, limit: 700 }, operator);
      expect(await policies()).toEqual(both('"key";q=1000;w=60, "firm";q=700;w=60'));
      const occasion = until(soon());
      expect(await setFirmLimit(database, firm.id, { ...occasion, limit: 3_000 }, operator)).toMatchObject({
        requestLimit: 3_000,
        requestLimitEndsAt: occasion.endsAt,
      });
      expect(await policies()).toEqual(both('"key";q=1000;w=60, "firm";q=3000;w=60'));
      return { firm, occasion, policies };
    });
    await vi.waitFor(
      async () => expect(await policies()).toEqual(both('"key";q=1000;w=60, "firm";q=700;w=60')),
      polling,
    );
    expect((await firmLimitChanges(database, [firm.id])).get(firm.id)).toMatchObject([
      { limit: null, ended: true, at: occasion.endsAt },
      { limit: 3_000, ended: false, ...occasion },
      { limit: 700, ended: false },
    ]);
  });

  it.each(['key', 'tier'] as const)('of the shadow mode of a %s ends by itself', async (what) => {
    const { database } = one;
    const { key, occasion, shadow } = await beforeEnd(async (soon) => {
      const key = await makeKey(database, await makeFirm(database));
      const target = what === 'key' ? { keyId: key.id } : ({ tier: 'enterprise' } as const);
      const shadow = async () => (await findKey(database, key.id))?.shadow;
      const occasion = until(soon());
      await setShadow(database, target, { ...occasion, shadowed: true }, operator);
      expect(await shadow()).toBe(what);
      expect(await listShadows(database)).toMatchObject([{ endsAt: occasion.endsAt, reason: 'a campaign' }]);
      return { key, occasion, shadow };
    });
    await vi.waitFor(async () => expect(await shadow()).toBeNull(), polling);
    expect(await listShadows(database)).toEqual([]);
    const changes =
      what === 'key'
        ? (await keyShadowChanges(database, [key.id])).get(key.id)
        : (await tierShadows(database)).find(({ tier }) => tier === 'enterprise')?.history;
    // A repetition has added to the history of the same tier.
    expect(changes?.filter(({ at, endsAt }) => [at, endsAt].includes(occasion.endsAt))).toMatchObject([
      { shadowed: null, ended: true, at: occasion.endsAt },
      { shadowed: true, ended: false, ...occasion },
    ]);
  });

  it('is refused with an end in the past, with an end but no value, and without a reason', async () => {
    const { database } = one;
    const firm = await makeFirm(database);
    const key = await makeKey(database, firm);
    const past = { reason: 'x', endsAt: '2020-01-01T00:00:00.000Z' };
    const campaign = until(new Date(Date.now() + 3_600_000));
    const refused = { code: 'invalid_parameter' };
    await expect(setKeyTier(database, key.id, { ...past, tier: 'sandbox' }, operator)).rejects.toMatchObject(refused);
    await expect(setKeyTier(database, key.id, { ...campaign, tier: null }, operator)).rejects.toMatchObject(refused);
    await expect(setFirmLimit(database, firm.id, { ...campaign, limit: null }, operator)).rejects.toMatchObject(
      refused,
    );
    await expect(setFirmLimit(database, firm.id, { ...past, limit: 5 }, operator)).rejects.toMatchObject(refused);
    const noReason = { reason: ' ', endsAt: null };
    await expect(setKeyTier(database, key.id, { ...noReason, tier: 'sandbox' }, operator)).rejects.toMatchObject(
      refused,
    );
    await expect(setFirmLimit(database, firm.id, { ...noReason, limit: 5 }, operator)).rejects.toMatchObject(refused);
    await expect(setShadow(database, { keyId: key.id }, { ...past, shadowed: true }, operator)).rejects.toMatchObject(
      refused,
    );
    expect((await tierChanges(database, [key.id])).size).toBe(0);
  });

  it('takes a reason as long as any other act of operations', async () => {
    const { database } = one;
    const { id } = await makeFirm(database);
    const withReason = (length: number) =>
      setFirmLimit(database, id, { reason: 'x'.repeat(length), endsAt: null, limit: 5 }, operator);
    await withReason(MAX_REASON);
    await expect(withReason(MAX_REASON + 1)).rejects.toMatchObject({ code: 'invalid_parameter', param: 'reason' });
  });
});
