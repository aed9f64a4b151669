// Guarantee: operations see the use of limits, what a tier would refuse and the state of the system; no client data.

import { describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { requestLimits } from '#gateway/admission/request-limits.ts';
import type { Limited } from '#limits/limiter.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { codeOf } from '#test/support/portal.ts';
import { recorded, withScene } from '#test/support/portal-scene.ts';
import { call, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';
import { operator } from '../repositories/parties.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

type Usage = { keyId: string; near: boolean };

describe('limits', () => {
  it('show firm, tier, override and its history with actors, and mark keys near their limit', async () => {
    const { asOperator, portal, here } = scene;
    const changed = await asOperator(MUTATIONS.setKeyTier, { keyId: here.key.id, tier: 'sandbox', reason: 'a trial' });
    expect(changed).toMatchObject({ firmName: 'Here Firm', tier: 'sandbox', tierOverride: 'sandbox', limit: 100 });
    const { lineageId, firmId } = here.key;
    const { subject } = requestLimits({ lineageId, firmId, tier: 'sandbox', firmLimit: null, shadow: null }).key;
    const near = async () => {
      const usage: Usage[] = await asOperator(QUERIES.limits);
      return usage.filter((use) => use.near).map(({ keyId }) => keyId);
    };
    for (let taken = 0; taken < 79; taken++) await portal.platform.limiter.take(subject, 100);
    expect(await near()).toEqual([]);
    await portal.platform.limiter.take(subject, 100);
    expect(await near()).toEqual([here.key.id]);
    expect((await here.asMember(QUERIES.key, { id: here.key.id })).usage).toMatchObject({ used: 80, near: true });
    await asOperator(MUTATIONS.setKeyTier, { keyId: here.key.id, tier: null, reason: 'a trial' });
    const { tier, tierOverride, tierHistory } = await asOperator(QUERIES.limit, { keyId: here.key.id });
    expect([tier, tierOverride]).toEqual(['enterprise', null]);
    const actor = { kind: 'operator', name: 'Olga Operator' };
    expect(tierHistory).toMatchObject([
      { tier: null, actor },
      { tier: 'sandbox', actor },
    ]);
    expect(
      await codeOf(asOperator(MUTATIONS.setKeyTier, { keyId: here.key.id, tier: 'gold', reason: 'a trial' })),
    ).toBe('invalid_parameter');
    // The firm sees that operations acted, but not who.
    const { events } = await here.asMember(QUERIES.key, { id: here.key.id });
    expect(events[0]).toMatchObject({
      action: 'tier',
      tier: null,
      actor: { kind: 'operator', name: 'Portico’s staff' },
    });
  });

  it('of a firm are set and removed, and shown to firm and operations with the use of all its keys', async () => {
    const { asOperator, portal, here } = scene;
    const set = (perMinute: number | null) =>
      asOperator(MUTATIONS.setFirmLimit, { firmId: here.firm.id, perMinute, reason: 'a trial' });
    expect(await set(10)).toEqual({ limit: 10, used: 0, remaining: 10, refused: 0, near: false });
    const { lineageId, firmId } = here.otherKey;
    for (let taken = 0; taken < 9; taken++) {
      const { key, firm } = requestLimits({ lineageId, firmId, tier: 'enterprise', firmLimit: 10, shadow: null });
      await portal.platform.limiter.takeAll([key, firm as Limited]);
    }
    const load = { limit: 10, used: 9, remaining: 1, refused: 0, near: true };
    expect((await here.asMember(QUERIES.viewer)).firm.limit).toEqual(load);
    expect((await scene.there.asMember(QUERIES.viewer)).firm.limit).toBeNull();
    const usage = await asOperator(QUERIES.limit, { keyId: here.otherKey.id });
    expect(usage).toMatchObject({ used: 9, firm: { used: 9, limit: 10 } });
    expect(await codeOf(set(0))).toBe('invalid_parameter');
    const unknown = asOperator(MUTATIONS.setFirmLimit, { firmId: newId('firm'), perMinute: 5, reason: 'a trial' });
    expect(await codeOf(unknown)).toBe('resource_not_found');
    expect(await set(null)).toBeNull();
    expect((await asOperator(QUERIES.limit, { keyId: here.key.id })).firm).toBeNull();
    const { firmLimitHistory } = await asOperator(QUERIES.limit, { keyId: here.key.id });
    const actor = { kind: 'operator', name: 'Olga Operator' };
    expect(firmLimitHistory).toMatchObject([
      { limit: null, actor },
      { limit: 10, actor },
    ]);
    expect(Math.abs(Date.parse(firmLimitHistory[0].at) - Date.now())).toBeLessThan(60_000);
    const hidden = { kind: 'operator', name: 'Portico’s staff' };
    // The firm's record names operations and the limit, but neither person nor reason; another firm's record has none.
    const actsSeen = async (
      by: (query: string, variables: Record<string, unknown>) => Promise<{ nodes: { action: string }[] }>,
    ) => (await by(QUERIES.firmEvents, { group: 'settings' })).nodes.filter(({ action }) => action === 'limit');
    const acts = await actsSeen(here.asMember);
    expect(acts).toMatchObject([
      { actor: hidden, details: { limit: null } },
      { actor: hidden, details: { limit: 10 } },
    ]);
    expect(JSON.stringify(acts)).not.toContain('a trial');
    expect(await actsSeen(scene.there.asMember)).toEqual([]);
  });

  it('that expire are ended before, and those set without an expiry apply again', async () => {
    const { asOperator, there } = scene;
    const reason = 'a trial';
    const endsAt = new Date(Date.now() + 3_600_000).toISOString();
    const setTier = async (given: object) => {
      const { tierOverride, tierOverrideEndsAt } = await asOperator(MUTATIONS.setKeyTier, {
        keyId: there.key.id,
        reason,
        ...given,
      });
      return [tierOverride, tierOverrideEndsAt !== null];
    };
    expect(await setTier({ tier: 'elevated' })).toEqual(['elevated', false]);
    expect(await setTier({ tier: 'sandbox', endsAt })).toEqual(['sandbox', true]);
    expect(await codeOf(setTier({ tier: 'lasting', endsAt }))).toBe('invalid_parameter');
    expect(await setTier({ tier: 'lasting' })).toEqual(['elevated', false]);
    expect(await setTier({ tier: null })).toEqual([null, false]);

    const setLimit = (given: object) =>
      asOperator(MUTATIONS.setFirmLimit, { firmId: there.firm.id, reason, ...given }) as Promise<{
        limit: number;
      } | null>;
    expect(await setLimit({ perMinute: 700 })).toMatchObject({ limit: 700 });
    expect(await setLimit({ perMinute: 9, endsAt })).toMatchObject({ limit: 9 });
    expect(await codeOf(setLimit({ perMinute: 9, lasting: true }))).toBe('invalid_parameter');
    expect(await setLimit({ lasting: true })).toMatchObject({ limit: 700 });
    expect(await setLimit({})).toBeNull();
  });

  it('are put in shadow mode by key and tier, with actor and reason, and count would-be refusals', async () => {
    const { asOperator, portal, there } = scene;
    const actor = { kind: 'operator', name: 'Olga Operator' };
    const keyId = there.key.id;
    const usage = async () => {
      const { shadow, refused, wouldRefuse } = await asOperator(QUERIES.limit, { keyId });
      return { shadow, refused, wouldRefuse };
    };
    const set = (shadowed: boolean, reason: string) => asOperator(MUTATIONS.setKeyShadow, { keyId, shadowed, reason });
    const setTier = (shadowed: boolean, reason: string) =>
      asOperator(MUTATIONS.setTierShadow, { tier: 'enterprise', shadowed, reason });
    expect(await set(true, 'a migration')).toMatchObject({ keyId, shadow: 'key' });
    // One request more than the limit admits.
    const { lineageId, firmId } = there.key;
    const { subject } = requestLimits({ lineageId, firmId, tier: 'enterprise', firmLimit: null, shadow: 'key' }).key;
    for (const limit of [1, 1]) await portal.platform.limiter.take(subject, limit);
    expect(await usage()).toEqual({ shadow: 'key', refused: 0, wouldRefuse: 1 });
    expect((await there.asMember(QUERIES.key, { id: keyId })).usage).toMatchObject({ used: 1, refused: 0 });

    expect(await setTier(true, 'new limits')).toMatchObject({
      tier: 'enterprise',
      shadowed: true,
      history: [{ shadowed: true, reason: 'new limits', actor }],
    });
    await set(false, 'done');
    expect(await usage()).toEqual({ shadow: 'tier', refused: 0, wouldRefuse: 1 });
    await setTier(false, 'enough');
    expect(await usage()).toEqual({ shadow: null, refused: 1, wouldRefuse: 0 });
    expect((await asOperator(QUERIES.limit, { keyId })).shadowHistory).toMatchObject([
      { shadowed: false, reason: 'done', actor },
      { shadowed: true, reason: 'a migration', actor },
    ]);
    const tiers = await asOperator(QUERIES.tierShadows);
    expect(
      tiers.map(({ tier, shadowed, history }: { tier: string; shadowed: boolean; history: unknown[] }) => [
        tier,
        shadowed,
        history.length,
      ]),
    ).toEqual([
      ['sandbox', false, 0],
      ['standard', false, 0],
      ['elevated', false, 0],
      ['enterprise', false, 2],
    ]);
    // The firm does not see it.
    const { events } = await there.asMember(QUERIES.key, { id: keyId });
    expect(JSON.stringify(events)).not.toMatch(/shadow|a migration/);

    expect(await codeOf(set(true, ' '))).toBe('invalid_parameter');
    expect(await codeOf(set(true, 'two\nlines'))).toBe('invalid_parameter');
    const gold = asOperator(MUTATIONS.setTierShadow, { tier: 'gold', shadowed: true, reason: 'x' });
    expect(await codeOf(gold)).toBe('invalid_parameter');
    const unknown = asOperator(MUTATIONS.setKeyShadow, { keyId: newId('key'), shadowed: true, reason: 'x' });
    expect(await codeOf(unknown)).toBe('resource_not_found');
  });

  it('can be read by tools too', async () => {
    const token = await makeServiceToken(scene.gateway.database, 'ops');
    const query =
      '{ limits { keyId firmName near tierHistory { actor { name } } } systemState { database { version } } }';
    const { body } = await graphql(scene.gateway.internalUrl, token, { query });
    expect(body.errors).toBeUndefined();
    expect(body.data.limits.map(({ keyId }: Usage) => keyId)).toContain(scene.here.key.id);
  });
});

describe('what if', () => {
  it('counts by key what a tier would have refused of the recorded calls', async () => {
    const { asOperator } = scene;
    const { database } = scene.gateway;
    const firm = await makeFirm(database, { name: 'Busy Firm' });
    const key = await makeKey(database, firm);
    const client = await makeClient(database);
    await makeGrant(database, key, client);
    // 150 calls in one second two hours ago, a day and a half ago as many again, and one call now.
    await database.query({
      text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
        select 'req_' || n, now() - case when n <= 150 then interval '2 hours' else interval '36 hours' end, $1, $2, $3,
          'GET /api/v1/assets', 127, case when n <= 10 then 429 else 200 end
        from generate_series(1, 300) n`,
      values: [firm.id, key.id, client.id],
    });
    await call(`${scene.gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    await recorded(scene.gateway, 301, client.id);
    const ask = async (tier: string, more = {}) => asOperator(QUERIES.whatIf, { tier, firmId: firm.id, ...more });
    const sandbox = await ask('sandbox');
    expect(sandbox).toMatchObject({ tier: 'sandbox', limit: 100, wouldRefuse: 50 });
    expect(sandbox.keys).toMatchObject([
      {
        keyId: key.id,
        firmName: 'Busy Firm',
        tier: 'enterprise',
        requests: 151,
        refused: 10,
        wouldRefuse: 50,
        peakRequests: 150,
      },
    ]);
    expect(Math.abs(Date.parse(sandbox.keys[0].peakAt) - (Date.now() - 7_200_000))).toBeLessThan(60_000);
    expect((await ask('standard')).wouldRefuse).toBe(0);
    expect((await ask('sandbox', { keyIds: [scene.here.key.id] })).keys).toEqual([]);
    expect((await asOperator(QUERIES.whatIf, { tier: 'sandbox', keyIds: [key.id] })).keys.length).toBe(1);
    expect(await codeOf(asOperator(QUERIES.whatIf, { tier: 'gold' }))).toBe('invalid_parameter');
  });

  it('counts each call once, and none that counted against no key: revoked key, other network, unknown route', async () => {
    const { database, url } = scene.gateway;
    const firm = await makeFirm(database);
    const key = await makeKey(database, firm);
    const revoked = await makeKey(database, firm);
    const elsewhere = await makeKey(database, firm);
    const client = await makeClient(database);
    for (const one of [key, revoked, elsewhere]) await makeGrant(database, one, client);
    await revokeKey(database, revoked.id, operator);
    await database.query({
      text: `update api_keys set allowed_networks = '{192.0.2.0/24}' where id = $1`,
      values: [elsewhere.id],
    });
    const path = `/api/v1/assets?client_id=${client.id}`;
    expect((await call(url + path, key.secret)).status).toBe(200);
    const { id: stranger } = await makeClient(database);
    expect((await call(`${url}/api/v1/assets?client_id=${stranger}`, key.secret)).status).toBe(403);
    expect((await call(`${url}/api/v1/asets`, key.secret)).status).toBe(404);
    for (let nth = 0; nth < 3; nth++) {
      expect((await call(url + path, revoked.secret)).status).toBe(401);
      expect((await call(url + path, elsewhere.secret)).body.error.code).toBe('network_not_allowed');
    }
    const counted = 'select coalesce(sum(calls), 0)::int as calls from access_days where firm_id = $1';
    await expect
      .poll(async () => (await database.query<{ calls: number }>({ text: counted, values: [firm.id] }))[0]?.calls)
      .toBe(9);
    const { keys } = await scene.asOperator(QUERIES.whatIf, { tier: 'sandbox', firmId: firm.id });
    expect(keys.map(({ keyId, requests }: { keyId: string; requests: number }) => [keyId, requests])).toEqual([
      [key.id, 2],
    ]);
  });
});

describe('the state of the system', () => {
  it('reports on limiter, database, replicas and records', async () => {
    const state = await scene.asOperator(QUERIES.systemState);
    expect(state.limiter).toMatchObject({ state: 'standalone', latencyMs: null, reason: null });
    expect(state.database.version).toMatch(/^\d+/);
    expect(state.database.sizeBytes).toBeGreaterThan(1_000_000);
    expect(state.database.connections).toBeGreaterThan(0);
    expect(state.replicas).toEqual([]);
    const token = await makeServiceToken(scene.gateway.database, 'ops');
    const query = '{ systemState { startedAt limiter { state since } records { waiting saved } } }';
    const { body } = await graphql(scene.gateway.internalUrl, token, { query });
    expect(body.data.systemState.records.saved).toBeGreaterThanOrEqual(2);
    expect(body.data.systemState.limiter.state).toBe('standalone');
  });
});

it('an operator sees no portfolio, access record, grant or other data of clients', async () => {
  const { asOperator, here } = scene;
  const assets = 'query ($c: ID!) { body: assets(clientId: $c) { nodes { title } } }';
  expect(await codeOf(asOperator(assets, { c: here.client.id }))).toBe('forbidden');
  for (const query of [QUERIES.accessRecord, QUERIES.grants, QUERIES.consentHistory])
    expect(await codeOf(asOperator(query, {})), query).toBe('forbidden');
  const everything = JSON.stringify([
    await asOperator(QUERIES.limits),
    await asOperator(QUERIES.whatIf, { tier: 'sandbox' }),
  ]);
  for (const mark of [here.client.id, here.client.email, here.item.registryId]) expect(everything).not.toContain(mark);
});
