// Changes of a key's name, note, expiry and networks, within bounds; no change revives a key that has ended.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import type { Database } from '#database/database.ts';
import type { Firm } from '#repositories/firms.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { changeKey, type KeyChanges } from '#repositories/keys/key-settings.ts';
import { createKey, revokeKey, rotateKey } from '#repositories/keys/keys.ts';
import {
  ahead,
  asClient,
  asMember,
  makeClient,
  makeFirm,
  makeKey,
  makeMember,
  newKey,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';
import { listKeyEvents } from '#test/support/recorded.ts';

let database: Database;
let close: () => Promise<void>;
let firm: Firm;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  firm = await makeFirm(database);
});
afterAll(() => close?.());

const inDays = (days: number) => ahead(days * 86_400_000);
const refusal = (code: string, param?: string) =>
  expect.objectContaining({ name: 'Refusal', code, ...(param === undefined ? {} : { param }) });
const change = (id: string, changes: KeyChanges, actor: Actor = operator, lifetimeDays: number | null = null) =>
  changeKey(database, id, changes, actor, { lifetimeDays });
const changesOf = async (id: string) => (await listKeyEvents(database, id)).filter(({ action }) => action === 'change');
const end = (id: string) =>
  database.query({ text: "update api_keys set expires_at = now() - interval '1 s' where id = $1", values: [id] });

describe('a change', () => {
  it('sets what is given, leaves the rest, and is recorded with its actor and the former values', async () => {
    const member = await makeMember(database, firm);
    const key = await makeKey(database, firm, { name: 'Old', expiresAt: inDays(10) });
    const later = inDays(20);
    expect(await change(key.id, { name: 'New' }, asMember(member))).toEqual({ ...key, name: 'New' });
    expect(await change(key.id, { note: 'Runs on ledger-2 ' }, asMember(member))).toMatchObject({
      ...{ name: 'New', note: 'Runs on ledger-2', expiresAt: key.expiresAt, allowedNetworks: [] },
    });
    await change(key.id, { expiresAt: later, allowedNetworks: ['203.0.113.0/24'], note: '' });
    expect(await findKey(database, key.id)).toMatchObject({
      ...{ name: 'New', note: null, expiresAt: later, allowedNetworks: ['203.0.113.0/24'] },
    });
    const of = ({ actor, details }: Awaited<ReturnType<typeof changesOf>>[number]) => ({ actor, details });
    expect((await changesOf(key.id)).map(of)).toEqual([
      { actor: `firm_member:${member.id}`, details: { name: 'New', before: { name: 'Old' } } },
      { actor: `firm_member:${member.id}`, details: { note: 'Runs on ledger-2', before: { note: null } } },
      {
        actor: 'operator:test',
        details: {
          ...{ note: null, expires_at: later, allowed_networks: ['203.0.113.0/24'] },
          before: { note: 'Runs on ledger-2', expires_at: key.expiresAt, allowed_networks: [] },
        },
      },
    ]);
  });

  it('of networks is refused if they have changed meanwhile, unless it would make no difference', async () => {
    const key = await makeKey(database, firm, { allowedNetworks: ['203.0.113.0/24', '198.51.100.0/24'] });
    const networksBefore = key.allowedNetworks;
    await change(key.id, { allowedNetworks: ['203.0.113.0/24'], networksBefore });
    const back = change(key.id, { allowedNetworks: [...networksBefore, '192.0.2.0/24'], networksBefore });
    await expect(back).rejects.toEqual(refusal('invalid_transition', 'allowed_networks'));
    // The same change repeated by a proxy, and a change that leaves the networks alone.
    await change(key.id, { allowedNetworks: ['203.0.113.0/24'], networksBefore });
    await change(key.id, { note: 'Later', networksBefore });
    expect(await findKey(database, key.id)).toMatchObject({ allowedNetworks: ['203.0.113.0/24'], note: 'Later' });
    expect(await changesOf(key.id)).toHaveLength(2);
  });

  it('that changes nothing is not recorded', async () => {
    const key = await makeKey(database, firm, { name: 'Same', allowedNetworks: ['2001:DB8::/32', '203.0.113.7'] });
    expect(key.allowedNetworks).toEqual(['203.0.113.7/32', '2001:db8::/32']);
    await change(key.id, { name: 'Same', note: ' ', allowedNetworks: ['203.0.113.7/32', '2001:db8:0:0::/32'] });
    expect(await changesOf(key.id)).toEqual([]);
  });

  it('by another firm or a client is refused like that of an unknown key', async () => {
    const key = await makeKey(database, firm);
    const stranger = asMember(await makeMember(database, await makeFirm(database)));
    for (const actor of [stranger, asClient(await makeClient(database))])
      await expect(change(key.id, { name: 'Mine' }, actor)).rejects.toThrow(refusal('resource_not_found'));
    expect(await findKey(database, key.id)).toEqual(key);
  });

  it('is made after concurrent ones, each recorded with the value that the previous one left', async () => {
    const key = await makeKey(database, firm, { name: '0' });
    await Promise.all(Array.from({ length: 8 }, (_, at) => change(key.id, { name: String(at + 1) })));
    const events = await changesOf(key.id);
    const names = ['0', ...events.map(({ details }) => details.name)];
    expect(events.map(({ details }) => (details.before as { name: string }).name)).toEqual(names.slice(0, -1));
    expect((await findKey(database, key.id))?.name).toBe(names.at(-1));
  });
});

describe('the expiry of a key', () => {
  it('can be moved both ways and removed while the key is active, but not set in the past', async () => {
    const key = await makeKey(database, firm, { expiresAt: inDays(10) });
    for (const expiresAt of [inDays(100), inDays(1), null])
      expect(await change(key.id, { expiresAt })).toMatchObject({ expiresAt, status: 'active' });
    const past = '2020-01-01T00:00:00.000Z';
    await expect(change(key.id, { expiresAt: past })).rejects.toThrow(refusal('invalid_parameter', 'expires_at'));
  });

  it.each([
    ['revoked', (id: string) => revokeKey(database, id, operator)],
    ['expired', end],
  ])('cannot be changed once the key is %s, nor can its networks; its name and note can', async (status, finish) => {
    const key = await makeKey(database, firm, { expiresAt: inDays(10), allowedNetworks: ['203.0.113.7'] });
    await finish(key.id);
    for (const changes of [{ expiresAt: inDays(20) }, { expiresAt: null }, { allowedNetworks: [] }])
      await expect(change(key.id, changes)).rejects.toThrow(refusal('invalid_transition'));
    await expect(change(key.id, { name: 'Renamed', expiresAt: null })).rejects.toThrow(refusal('invalid_transition'));
    expect(await change(key.id, { name: 'Renamed', note: 'Got out' })).toMatchObject({ name: 'Renamed', status });
  });

  it('of a rotated key can be moved to an earlier time only', async () => {
    const key = await makeKey(database, firm);
    const secret = makeKeySecret('sandbox');
    const bounds = { maxKeys: 1_000, lifetimeDays: null };
    const { predecessor } = await rotateKey(database, key.id, { secret, overlapMs: 3_600_000 }, operator, bounds);
    for (const expiresAt of [null, inDays(1)])
      await expect(change(key.id, { expiresAt })).rejects.toThrow(refusal('invalid_transition'));
    const sooner = new Date(Date.parse(predecessor.expiresAt ?? '') - 60_000).toISOString();
    expect(await change(key.id, { expiresAt: sooner })).toMatchObject({ expiresAt: sooner, status: 'active' });
  });

  it('is within the maximum lifetime of keys, whether set at creation, by a change or by a rotation', async () => {
    const bounds = { maxKeys: 1_000, lifetimeDays: 30 };
    const tooLate = refusal('invalid_parameter', 'expires_at');
    for (const expiresAt of [null, inDays(31)])
      await expect(createKey(database, newKey(firm, { expiresAt }), operator, bounds)).rejects.toThrow(tooLate);
    const without = createKey(database, newKey(firm, { expiresAt: null }), operator, bounds);
    await expect(without).rejects.toThrow('A key needs an expiry, at most 30 days from now.');
    const key = await createKey(database, newKey(firm, { expiresAt: inDays(29) }), operator, bounds);
    for (const expiresAt of [null, inDays(31)])
      await expect(change(key.id, { expiresAt }, operator, 30)).rejects.toThrow(tooLate);
    expect(await change(key.id, { expiresAt: inDays(10) }, operator, 30)).toMatchObject({ status: 'active' });
    // A key that is older than the maximum keeps its expiry when it is renamed; its successor gets one within it.
    const older = await makeKey(database, firm);
    expect(await change(older.id, { name: 'Older' }, operator, 30)).toMatchObject({ expiresAt: null });
    const { successor } = await rotateKey(database, older.id, { secret: makeKeySecret('sandbox') }, operator, bounds);
    const days = (Date.parse(successor.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });
});

describe('networks', () => {
  it.each([
    ['203.0.113.77/24', '203.0.113.0/24'],
    [' 203.0.113.7 ', '203.0.113.7/32'],
    ['2001:DB8:0:0::1/64', '2001:db8::/64'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
  ])('%s is stored as %s', async (given, stored) => {
    const key = await makeKey(database, firm);
    expect((await change(key.id, { allowedNetworks: [given, given] })).allowedNetworks).toEqual([stored]);
  });

  it.each([
    ...['', 'anywhere', '203.0.113', '203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/24/24', '203.0.113.0/2x'],
    ...['2001:db8::/129', 'fe80::1%eth0', '::ffff:203.0.113.7', '::FFFF:cb00:7107/128', '203.0.113.0 /24', '1.2.3.4;'],
  ])('“%s” is refused', async (given) => {
    const key = await makeKey(database, firm, { allowedNetworks: ['203.0.113.7'] });
    const refused = refusal('invalid_parameter', 'allowed_networks');
    await expect(change(key.id, { allowedNetworks: ['203.0.113.8', given] })).rejects.toThrow(refused);
    await expect(makeKey(database, firm, { allowedNetworks: [given] })).rejects.toThrow(refused);
    expect((await findKey(database, key.id))?.allowedNetworks).toEqual(['203.0.113.7/32']);
  });

  it('are at most 50', async () => {
    const key = await makeKey(database, firm);
    const networks = Array.from({ length: 51 }, (_, at) => `10.0.${at}.0/24`);
    const refused = refusal('invalid_parameter', 'allowed_networks');
    await expect(change(key.id, { allowedNetworks: networks })).rejects.toThrow(refused);
    expect((await change(key.id, { allowedNetworks: networks.slice(1) })).allowedNetworks.length).toBe(50);
  });
});

it('names and notes are limited in length and refuse control characters, names also empty ones', async () => {
  const key = await makeKey(database, firm);
  for (const name of ['', ' ', 'a\u0000b', 'a\u009bb', 'a\u202eb', '\u2066a\u2069', 'a'.repeat(201)])
    await expect(change(key.id, { name })).rejects.toThrow(refusal('invalid_parameter', 'name'));
  for (const note of ['a\u0000b', 'a\u009bb', 'a'.repeat(2_001)])
    await expect(change(key.id, { note })).rejects.toThrow(refusal('invalid_parameter', 'note'));
  expect((await change(key.id, { note: 'Two\nlines' })).note).toBe('Two\nlines');
});
