// Guarantee: a key that is created in the portal works at once, shows its secret once, and is refused once revoked.

import { describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { codeOf } from '#test/support/portal.ts';
import { withScene } from '#test/support/portal-scene.ts';
import { call } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

const statusOf = async (secret: string) => {
  const { status, body } = await call(`${scene.gateway.url}/api/v1/assets?client_id=${scene.here.client.id}`, secret);
  return body.error?.code ?? status;
};
const NEW = { name: 'Reporting', environment: 'production', scopes: ['registry', 'valuation'] };

describe('a new key', () => {
  it('works as soon as it is created, and is refused as soon as it is revoked', async () => {
    const { asMember, asClient } = scene.here;
    const { key, secret } = await asMember(MUTATIONS.createKey, NEW);
    expect(await statusOf(secret)).toBe('no_active_grant');
    const filter = { type: 'all' };
    const grant = await asClient(MUTATIONS.giveGrant, { keyId: key.id, scopes: ['registry'], filter });
    expect(grant).toMatchObject({ status: 'active', keyName: 'Reporting', firmName: 'Here Firm' });
    expect(await statusOf(secret)).toBe(200);
    const revoked = await asMember(MUTATIONS.revokeKey, { id: key.id });
    expect(revoked).toMatchObject({ status: 'revoked', usable: false, usage: null });
    expect(revoked.revokedBy).toEqual({ kind: 'firm_member', name: 'Here Member' });
    expect(await statusOf(secret)).toBe('invalid_api_key');
  });

  it('is returned with its secret once', async () => {
    const { asMember } = scene.here;
    const { key, secret } = await asMember(MUTATIONS.createKey, NEW);
    expect(key).toMatchObject({ ...NEW, status: 'active', usable: true, activeGrants: 0, tier: 'enterprise' });
    expect([secret.slice(0, 12), secret.slice(-4)]).toEqual([key.prefix, key.lastFour]);
    expect(key.createdBy).toEqual({ kind: 'firm_member', name: 'Here Member' });
    for (const [document, variables] of [
      [QUERIES.keys, {}],
      [QUERIES.key, { id: key.id }],
    ] as const)
      expect(JSON.stringify(await asMember(document, variables))).not.toContain(secret.slice(13, -5));
  });

  it('has the id that the caller chose, so that a lost response can be looked up, and is created once', async () => {
    const { asMember } = scene.here;
    const id = newId('key');
    const { key } = await asMember(MUTATIONS.createKey, { ...NEW, id });
    expect(key.id).toBe(id);
    for (const ask of [asMember, scene.there.asMember])
      expect(await codeOf(ask(MUTATIONS.createKey, { ...NEW, id }))).toBe('already_exists');
    expect(await codeOf(asMember(MUTATIONS.createKey, { ...NEW, id: newId('grant') }))).toBe('invalid_parameter');
  });

  it('is refused while the firm has its maximum number of usable keys', async () => {
    const { asMember, firm } = scene.here;
    const { platform } = scene.portal;
    const { maxKeys } = platform.keyBounds;
    const [row] = await scene.gateway.database.query<{ usable: number }>({
      text: `select count(*)::integer as usable from api_keys where firm_id = $1 and revoked_at is null`,
      values: [firm.id],
    });
    platform.keyBounds.maxKeys = (row?.usable ?? 0) + 1;
    try {
      const { key } = await asMember(MUTATIONS.createKey, NEW);
      expect(await codeOf(asMember(MUTATIONS.createKey, NEW))).toBe('too_many_keys');
      expect(await codeOf(asMember(MUTATIONS.rotateKey, { id: key.id }))).toBe('too_many_keys');
      const { key: successor } = await asMember(MUTATIONS.rotateKey, { id: key.id, overlapSeconds: 0 });
      await asMember(MUTATIONS.revokeKey, { id: successor.id });
      expect((await asMember(MUTATIONS.createKey, NEW)).key.usable).toBe(true);
    } finally {
      platform.keyBounds.maxKeys = maxKeys;
    }
  });

  it('is refused if the plan is not active or a value is invalid', async () => {
    const { asMember, firm } = scene.there;
    const set = (active: boolean) =>
      scene.gateway.database.query({
        text: 'update firms set plan_active = $1 where id = $2',
        values: [active, firm.id],
      });
    await set(false);
    expect((await asMember(QUERIES.viewer)).firm.planActive).toBe(false);
    expect(await codeOf(asMember(MUTATIONS.createKey, NEW))).toBe('plan_inactive');
    await set(true);
    const wrong = (changes: object) => codeOf(asMember(MUTATIONS.createKey, { ...NEW, ...changes }));
    expect(await wrong({ scopes: ['everything'] })).toBe('invalid_parameter');
    expect(await wrong({ scopes: [] })).toBe('invalid_parameter');
    expect(await wrong({ environment: 'staging' })).toBe('invalid_parameter');
    expect(await wrong({ name: ' ' })).toBe('invalid_parameter');
    expect(await wrong({ expiresAt: '2020-01-01T00:00:00.000Z' })).toBe('invalid_parameter');
  });
});

describe('the settings of a key', () => {
  it('are changed one by one with effect at once, and each change is recorded with the value before', async () => {
    const { asMember, client } = scene.here;
    const { key, secret } = await asMember(MUTATIONS.createKey, { ...NEW, note: 'At first', allowedNetworks: ['::1'] });
    expect(key).toMatchObject({ note: 'At first', allowedNetworks: ['::1/128'] });
    expect(await statusOf(secret)).toBe('network_not_allowed');
    expect(await asMember(MUTATIONS.changeKey, { id: key.id, allowedNetworks: ['127.0.0.0/8'] })).toMatchObject({
      ...{ name: 'Reporting', note: 'At first', allowedNetworks: ['127.0.0.0/8'], expiresAt: null },
    });
    expect(await statusOf(secret)).toBe('no_active_grant');
    const expiresAt = '2999-01-01T00:00:00.000Z';
    expect(await asMember(MUTATIONS.changeKey, { id: key.id, expiresAt, name: 'Renamed' })).toMatchObject({
      expiresAt,
    });
    const last = await asMember(MUTATIONS.changeKey, { id: key.id, noExpiry: true, note: '' });
    expect(last).toMatchObject({ name: 'Renamed', note: null, expiresAt: null });
    expect(last.events.slice(0, -1).map(({ changes }: { changes: object[] }) => changes)).toEqual([
      [
        { property: 'note', before: ['At first'], after: [] },
        { property: 'expiresAt', before: [expiresAt], after: [] },
      ],
      [
        { property: 'name', before: ['Reporting'], after: ['Renamed'] },
        { property: 'expiresAt', before: [], after: [expiresAt] },
      ],
      [{ property: 'allowedNetworks', before: ['::1/128'], after: ['127.0.0.0/8'] }],
    ]);
    const theirs = scene.there.asMember(MUTATIONS.changeKey, { id: key.id, name: 'Taken' });
    expect(await codeOf(theirs)).toBe('resource_not_found');
    // Clients do not see them.
    const seen = await scene.here.asClient(QUERIES.keySummary, { keyId: key.id });
    expect(JSON.stringify([seen, client.id])).not.toContain('127.0.0.0');
  });

  it('allow no end beyond the installation’s maximum lifetime, which members can read', async () => {
    const { asMember } = scene.here;
    const { keyBounds } = scene.portal.platform;
    const { key } = await asMember(MUTATIONS.createKey, NEW);
    keyBounds.lifetimeDays = 30;
    try {
      expect((await asMember(QUERIES.viewer)).maxKeyLifetimeDays).toBe(30);
      const late = { expiresAt: '2999-01-01T00:00:00.000Z' };
      expect(await codeOf(asMember(MUTATIONS.createKey, NEW))).toBe('invalid_parameter');
      expect(await codeOf(asMember(MUTATIONS.createKey, { ...NEW, ...late }))).toBe('invalid_parameter');
      expect(await codeOf(asMember(MUTATIONS.changeKey, { id: key.id, ...late }))).toBe('invalid_parameter');
      const rotated = await asMember(MUTATIONS.rotateKey, { id: key.id });
      expect(Date.parse(rotated.key.expiresAt)).toBeLessThanOrEqual(Date.now() + 30 * 86_400_000);
    } finally {
      keyBounds.lifetimeDays = null;
    }
  });

  it('use can be read for 1 to 90 days', async () => {
    const { asMember, key } = scene.here;
    const use = (days: number) =>
      asMember('query ($id: ID!, $days: Int) { body: key(id: $id) { use(days: $days) { days } } }', {
        id: key.id,
        days,
      });
    expect((await use(90)).use.days.length).toBe(90);
    for (const days of [0, 91]) expect(await codeOf(use(days))).toBe('invalid_parameter');
  });
});

describe('rotation', () => {
  it('creates a second secret; both work until the old key is revoked, and the history has both keys', async () => {
    const { asMember, key, client } = scene.here;
    const rotated = await asMember(MUTATIONS.rotateKey, { id: key.id, overlapSeconds: 60 });
    expect(rotated.key).toMatchObject({ status: 'active', activeGrants: 1 });
    expect(rotated.predecessor).toMatchObject({ rotatedTo: rotated.key.id, status: 'rotated', usable: true });
    expect([await statusOf(key.secret), await statusOf(rotated.secret)]).toEqual([200, 200]);
    const { events } = await asMember(QUERIES.key, { id: rotated.key.id });
    expect(events.map(({ action, keyId }: { action: string; keyId: string }) => [action, keyId])).toEqual([
      ['create', rotated.key.id],
      ['rotate', key.id],
      ['create', key.id],
    ]);
    expect(events[1]).toMatchObject({ successor: rotated.key.id, overlapMs: 60_000 });
    expect(events[0]).toMatchObject({ predecessor: key.id });
    const { nodes } = await asMember(QUERIES.grants, { keyId: key.id });
    expect(nodes).toMatchObject([{ keyId: rotated.key.id, clientId: client.id, status: 'active' }]);
    await asMember(MUTATIONS.revokeKey, { id: key.id });
    expect([await statusOf(key.secret), await statusOf(rotated.secret)]).toEqual(['invalid_api_key', 200]);
    expect(await codeOf(asMember(MUTATIONS.rotateKey, { id: key.id }))).toBe('invalid_transition');
    expect(await codeOf(asMember(MUTATIONS.rotateKey, { id: rotated.key.id, overlapSeconds: 90_000 }))).toBe(
      'invalid_parameter',
    );
  });
});

describe('a list of 500 keys', () => {
  it('contains the usage of each in one response', async () => {
    const { asMember, firm } = scene.there;
    await scene.gateway.database.query({
      text: `insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix,
          secret_last_four, created_by)
        select id, id, $1, 'Key ' || n, 'production', 127, sha256(id::bytea), 'sk_live_abcd', 'wxyz', 'operator:test'
        from (select n, 'key_' || lpad(n::text, 26, '0') as id from generate_series(1, 500) n) made`,
      values: [firm.id],
    });
    const keys = await asMember('{ body: keys { id name usage { used limit } traffic { last7Days } activeGrants } }');
    expect(keys.length).toBeGreaterThanOrEqual(502);
    expect(keys.every(({ usage }: { usage: { limit: number } }) => usage.limit === 20_000)).toBe(true);
  });
});
