// API keys: who may create and change them, their tier, and their last use.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import { newId } from '#core/ids.ts';
import { NO_SCOPES, scopeSet } from '#core/scopes.ts';
import type { Database, Sql } from '#database/database.ts';
import type { Firm } from '#repositories/firms.ts';
import { openKeyHashes } from '#repositories/keys/key-hashes.ts';
import { findKey, listKeys } from '#repositories/keys/key-queries.ts';
import { createUseReporter, touchLastUsed } from '#repositories/keys/key-use.ts';
import { createKey, createKeyInTransaction, revokeKey, rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import {
  ahead,
  asClient,
  asMember,
  MOST_KEYS,
  makeClient,
  makeFirm,
  makeKey,
  makeMember,
  newKey,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';
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
const rotate = (id: string, overlapMs?: number, actor: Actor = operator, most = 1_000) =>
  rotateKey(database, id, { secret: makeKeySecret('sandbox'), overlapMs }, actor, {
    maxKeys: most,
    lifetimeDays: null,
  });

describe('a new key', () => {
  it('has the given settings, and not its hash', async () => {
    const wanted = newKey(firm, {
      name: 'Main',
      scopes: scopeSet(['registry']),
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
    const key = await createKey(database, wanted, operator, { maxKeys: MOST_KEYS, lifetimeDays: null });
    expect(key).toMatchObject({
      ...{ lineageId: key.id, firmId: firm.id, name: 'Main', environment: 'sandbox', scopes: 1, status: 'active' },
      ...{ prefix: wanted.secret.prefix, lastFour: wanted.secret.lastFour, createdBy: 'operator:test' },
      ...{ expiresAt: '2999-01-01T00:00:00.000Z', lastUsedAt: null, rotatedTo: null, revokedAt: null },
    });
    expect(key).not.toHaveProperty('secretHash');
    expect(await findKey(database, key.id)).toEqual(key);
    expect(await listKeys(database, { firmId: firm.id })).toContainEqual(key);
    expect(await listKeyEvents(database, key.id)).toMatchObject([
      { action: 'create', actor: 'operator:test', details: { name: 'Main', scopes: ['registry'] } },
    ]);
  });

  it("counts towards the firm's maximum, also when keys are created concurrently", async () => {
    const most = 5;
    const full = await makeFirm(database);
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, () =>
        createKey(database, newKey(full), operator, { maxKeys: most, lifetimeDays: null }),
      ),
    );
    const refused = made.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toEqual(Array(12 - most).fill(refusal('too_many_keys')));
    expect(await listKeys(database, { firmId: full.id })).toHaveLength(most);

    const [first, second] = await listKeys(database, { firmId: full.id });
    const another = () => createKey(database, newKey(full), operator, { maxKeys: most, lifetimeDays: null });
    await expect(another()).rejects.toThrow(refusal('too_many_keys'));
    await expect(another()).rejects.toThrow('The firm already has 5 usable keys');
    await revokeKey(database, first?.id ?? '', operator);
    const { predecessor } = await rotate(second?.id ?? '', 3_600_000, operator, most);
    // The predecessor is still active, so it counts.
    await expect(another()).rejects.toThrow(refusal('too_many_keys'));
    await revokeKey(database, predecessor.id, operator);
    const last = await another();
    await expect(another()).rejects.toThrow(refusal('too_many_keys'));
    await database.query({
      text: `update api_keys set created_at = now_ms() - interval '2 h', expires_at = now_ms() where id = $1`,
      values: [last.id],
    });
    expect(await another()).toMatchObject({ status: 'active' });
    expect(await createKey(database, newKey(firm), operator, { maxKeys: most, lifetimeDays: null })).toMatchObject({
      firmId: firm.id,
    });
  });

  it('needs an active enterprise plan', async () => {
    const lapsed = await makeFirm(database, false);
    await expect(makeKey(database, lapsed)).rejects.toThrow(refusal('plan_inactive'));
    await database.query({
      text: `update firms set plan = 'none', plan_active = true where id = $1`,
      values: [lapsed.id],
    });
    await expect(makeKey(database, lapsed)).rejects.toThrow(refusal('plan_inactive'));
    expect(await listKeys(database, { firmId: lapsed.id })).toEqual([]);
  });

  it('is refused with invalid scopes, name, expiry, id or firm', async () => {
    const refused = (changes: Parameters<typeof newKey>[1], code: string) =>
      expect(makeKey(database, firm, changes)).rejects.toThrow(refusal(code));
    await refused({ scopes: NO_SCOPES }, 'invalid_parameter');
    await refused({ scopes: 128 }, 'invalid_parameter');
    await refused({ name: ' ' }, 'invalid_parameter');
    await refused({ name: 'a\0b' }, 'invalid_parameter');
    await refused({ expiresAt: ahead(-1_000) }, 'invalid_parameter');
    await refused({ id: 'key_1' }, 'invalid_parameter');
    await refused({ firmId: newId('firm') }, 'resource_not_found');
    const { id } = await makeKey(database, firm);
    await refused({ id }, 'already_exists');
  });

  it.each([
    ['sandbox', null, 'sandbox'],
    ['production', null, 'standard'],
    ['sandbox', 'elevated', 'elevated'],
    ['production', 'enterprise', 'enterprise'],
  ] as const)('for %s with the override %s has the tier %s', async (environment, override, tier) => {
    const { id } = await makeKey(database, firm, { environment });
    expect(await setKeyTier(database, id, { ...why, tier: override }, operator)).toMatchObject({
      tier,
      tierOverride: override,
    });
    expect(await findKey(database, id)).toMatchObject({ tier });
  });
});

describe('access to keys', () => {
  it('members create, rotate and revoke keys of their own firm only, and set no tier', async () => {
    const own = asMember(await makeMember(database, firm));
    const stranger = asMember(await makeMember(database, await makeFirm(database)));
    const key = await createKey(database, newKey(firm), own, { maxKeys: MOST_KEYS, lifetimeDays: null });
    expect(key.createdBy).toBe(`firm_member:${own.id}`);
    await expect(
      createKey(database, newKey(firm), stranger, { maxKeys: MOST_KEYS, lifetimeDays: null }),
    ).rejects.toThrow(refusal('resource_not_found'));
    await expect(rotate(key.id, 0, stranger)).rejects.toThrow(refusal('resource_not_found'));
    await expect(revokeKey(database, key.id, stranger)).rejects.toThrow(refusal('resource_not_found'));
    await expect(setKeyTier(database, key.id, { ...why, tier: 'enterprise' }, own)).rejects.toThrow(
      refusal('forbidden'),
    );
    const { successor } = await rotate(key.id, 0, own);
    expect(await revokeKey(database, successor.id, own)).toMatchObject({ revokedBy: `firm_member:${own.id}` });
  });

  it('clients can neither create nor revoke keys', async () => {
    const client = asClient(await makeClient(database));
    const { id } = await makeKey(database, firm);
    await expect(createKey(database, newKey(firm), client, { maxKeys: MOST_KEYS, lifetimeDays: null })).rejects.toThrow(
      refusal('resource_not_found'),
    );
    await expect(revokeKey(database, id, client)).rejects.toThrow(refusal('resource_not_found'));
  });
});

describe('last use', () => {
  it('only moves forward', async () => {
    const [one, two] = [await makeKey(database, firm), await makeKey(database, firm)];
    const at = (second: number) => `2026-01-15T10:00:0${second}.000Z`;
    await touchLastUsed(database, [
      { keyId: two.id, at: at(2) },
      { keyId: one.id, at: at(3) },
      { keyId: two.id, at: at(1) },
    ]);
    await touchLastUsed(database, [{ keyId: one.id, at: at(1) }]);
    await touchLastUsed(database, []);
    expect(await findKey(database, one.id)).toMatchObject({ lastUsedAt: at(3) });
    expect(await findKey(database, two.id)).toMatchObject({ lastUsedAt: at(2) });
  });

  it('is not stored of a key that another transaction has locked, and does not wait for it', async () => {
    const [locked, free] = [await makeKey(database, firm), await makeKey(database, firm)];
    const at = '2026-01-15T10:00:00.000Z';
    await database.transaction(async (sql) => {
      await sql.query({ text: 'select from api_keys where id = $1 for update', values: [locked.id] });
      const uses = [locked, free].map(({ id }) => ({ keyId: id, at }));
      expect(await touchLastUsed(database, uses)).toEqual(new Set([locked.id]));
    });
    expect(await findKey(database, locked.id)).toMatchObject({ lastUsedAt: null });
    expect(await findKey(database, free.id)).toMatchObject({ lastUsedAt: at });
  });

  it('is stored once a minute at most, and is less than a minute old', async () => {
    const { id } = await makeKey(database, firm);
    let statements = 0;
    const counting: Sql = {
      query: (statement) => {
        statements += 1;
        return database.query(statement);
      },
    };
    const reportUses = createUseReporter();
    const began = Date.parse('2026-01-15T10:00:00.000Z');
    for (let second = 0; second <= 600; second++) {
      const at = new Date(began + second * 1_000).toISOString();
      await reportUses(counting, [{ keyId: id, at }]);
      const lastUsedAt = (await findKey(database, id))?.lastUsedAt ?? '';
      expect(Date.parse(at) - Date.parse(lastUsedAt)).toBeLessThan(60_000);
    }
    expect(statements).toBeLessThanOrEqual(11);
  });
});

describe('the set of key hashes', () => {
  it('contains keys whose transaction ends after that of a younger key', async () => {
    const hashes = openKeyHashes(database);
    const [older, younger] = [newKey(await makeFirm(database)), newKey(firm)];
    const bounds = { maxKeys: MOST_KEYS, lifetimeDays: null };
    await database.transaction(async (sql) => {
      await createKeyInTransaction(sql, older, operator);
      await createKey(database, younger, operator, bounds);
      expect(await hashes.has(younger.secret.hash)).toBe(true);
    });
    await expect.poll(() => hashes.has(older.secret.hash)).toBe(true);
  });

  it("contains keys that are created after the database's clock was set back", async () => {
    const hashes = openKeyHashes(database);
    const [before, after] = [newKey(firm), newKey(firm)];
    const { id } = await createKey(database, before, operator, { maxKeys: MOST_KEYS, lifetimeDays: null });
    const text = `update api_keys set created_at = now() + interval '1 hour' where id = $1`;
    await database.query({ text, values: [id] });
    expect(await hashes.has(before.secret.hash)).toBe(true);
    expect(await hashes.has(after.secret.hash)).toBe(false);
    await createKey(database, after, operator, { maxKeys: MOST_KEYS, lifetimeDays: null });
    await expect.poll(() => hashes.has(after.secret.hash)).toBe(true);
  });
});
