// Guarantee: each step of a grant is taken by the party that may take it, in a state that allows it, and shown to both.

import { describe, expect, it } from 'vitest';
import { codeOf } from '#test/support/portal.ts';
import { withScene } from '#test/support/portal-scene.ts';
import { call, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

const ALL = { type: 'all' };
const titles = async (secret: string) => {
  const { body } = await call(`${scene.gateway.url}/api/v1/assets?client_id=${scene.here.client.id}`, secret);
  return body.error?.code ?? body.data.map(({ title }: { title: string }) => title);
};

describe('a request', () => {
  it('is approved with narrower terms, then changed and revoked, with effect on the next call', async () => {
    const { asMember, asClient, client, firm } = scene.here;
    const { database } = scene.gateway;
    await makeItem(database, client, { title: 'A coin', category: 'CN' });
    const { key, secret } = await asMember(MUTATIONS.createKey, {
      ...{ name: 'Advice', environment: 'production' },
      scopes: ['registry', 'valuation', 'detail'],
    });
    const asked = { keyId: key.id, client: client.email.toUpperCase(), scopes: ['registry', 'valuation'], filter: ALL };
    const request = await asMember(MUTATIONS.requestGrant, { ...asked, purpose: 'Yearly review' });
    expect(request).toMatchObject({
      status: 'pending',
      addressee: client.email.toUpperCase(),
      clientName: null,
      purpose: 'Yearly review',
    });
    expect(await titles(secret)).toBe('no_active_grant');

    const { nodes } = await asClient(QUERIES.grants, { status: ['pending'], firmId: firm.id });
    expect(nodes[0]).toMatchObject({
      id: request.id,
      keyName: 'Advice',
      keyScopes: ['registry', 'valuation', 'detail'],
    });
    const wider = { id: request.id, scopes: ['registry', 'estate'] };
    expect(await codeOf(asClient(MUTATIONS.approveGrant, wider))).toBe('invalid_parameter');
    const narrower = { id: request.id, scopes: ['registry'], filter: { type: 'category', categories: ['CN'] } };
    const approved = await asClient(MUTATIONS.approveGrant, narrower);
    expect(approved.filter).toMatchObject({
      type: 'category',
      categories: [{ code: 'CN', name: 'Coins and currency' }],
    });
    expect(await titles(secret)).toEqual(['A coin']);

    const changed = { id: request.id, filter: ALL, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    expect(await asClient(MUTATIONS.changeGrant, changed)).toMatchObject({ expiringSoon: true, scopes: ['registry'] });
    expect((await titles(secret)).sort()).toEqual(['A coin', 'Here watch']);
    expect((await asClient(MUTATIONS.changeGrant, { id: request.id, noExpiry: true })).expiresAt).toBeNull();
    expect((await asClient(MUTATIONS.revokeGrant, { id: request.id })).status).toBe('revoked');
    expect(await titles(secret)).toBe('grant_revoked');

    const { events } = await asMember(QUERIES.grant, { id: request.id });
    const steps = events.map(({ action, actor }: { action: string; actor: { name: string } }) => [action, actor.name]);
    expect(steps).toEqual([
      ['revoke', 'Client'],
      ['change', 'Client'],
      ['change', 'Client'],
      ['approve', 'Client'],
      ['request', 'Here Member'],
    ]);
    expect(events[1]).toMatchObject({ expirySet: true, expiresAt: null, scopes: null, filter: null });
    const history = await asClient(QUERIES.consentHistory, { first: 5 });
    expect(history.nodes.map(({ id }: { id: string }) => id)).toEqual(events.map(({ id }: { id: string }) => id));
  });

  it('is withdrawn by the firm or declined by the client once', async () => {
    const { here, there } = scene;
    expect((await there.asMember(MUTATIONS.withdrawGrant, { id: there.request.id })).status).toBe('withdrawn');
    expect(await codeOf(there.asMember(MUTATIONS.withdrawGrant, { id: there.request.id }))).toBe('invalid_transition');
    expect((await here.asClient(MUTATIONS.declineGrant, { id: here.request.id })).status).toBe('declined');
    for (const step of ['approveGrant', 'declineGrant', 'revokeGrant', 'changeGrant'] as const)
      expect(await codeOf(here.asClient(MUTATIONS[step], { id: here.request.id })), step).toBe('invalid_transition');
  });
});

describe('a change', () => {
  const newGrant = async () => {
    const { database } = scene.gateway;
    const key = await makeKey(database, scene.here.firm);
    const { id } = await makeGrant(database, key, scene.here.client, { scopes: 3 });
    return { id, basedOn: await lastEvent(id) };
  };
  const lastEvent = async (id: string) => (await scene.here.asClient(QUERIES.lastEvent, { id })).lastEventId;
  const current = async (id: string) => {
    const { scopes, events } = await scene.here.asClient(QUERIES.grant, { id });
    return { scopes, steps: events.map(({ action }: { action: string }) => action) };
  };

  it('that is based on outdated terms is refused, and restores nothing', async () => {
    const { asClient } = scene.here;
    const { id, basedOn } = await newGrant();
    await asClient(MUTATIONS.changeGrant, { id, basedOn, scopes: ['registry'] });
    const stale = { id, basedOn, scopes: ['registry', 'valuation', 'detail'] };
    expect(await codeOf(asClient(MUTATIONS.changeGrant, stale))).toBe('invalid_transition');
    const before = await current(id);
    expect(before).toEqual({ scopes: ['registry'], steps: ['change', 'grant'] });
    await asClient(MUTATIONS.changeGrant, { ...stale, basedOn: await lastEvent(id) });
    await asClient(MUTATIONS.changeGrant, { id, scopes: ['registry'] });
    expect((await current(id)).steps).toEqual(['change', 'change', 'change', 'grant']);
  });

  it('succeeds once if two that are based on the same step are made at once', async () => {
    const { asClient } = scene.here;
    for (let round = 0; round < 10; round++) {
      const { id, basedOn } = await newGrant();
      const wishes = [['registry'], ['valuation']].map((scopes) =>
        codeOf(asClient(MUTATIONS.changeGrant, { id, basedOn, scopes })).catch(() => 'done'),
      );
      expect((await Promise.all(wishes)).sort()).toEqual(['done', 'invalid_transition']);
      expect((await current(id)).steps).toEqual(['change', 'grant']);
    }
  });
});

describe('the filter of a grant', () => {
  it('shows the firm the number of items while pending or ended, and the ids only while it may see them', async () => {
    const { database } = scene.gateway;
    const { asMember, asClient, firm } = scene.there;
    const { client, item, collectionId } = scene.there;
    const filter = { type: 'items' as const, items: [item.registryId] };
    const seen = async (scopes: number) => {
      const key = await makeKey(database, firm, { scopes });
      const { id } = await makeGrant(database, key, client, { scopes, filter });
      return [id, (await asMember(QUERIES.grant, { id })).filter] as const;
    };
    const wish = { client: client.email, scopes: ['registry'], filter, purpose: 'Yearly review' };
    const { id: keyId } = await makeKey(database, firm, { scopes: 1 });
    const pending = await asMember(MUTATIONS.requestGrant, { keyId, ...wish });
    expect(pending).toMatchObject({ status: 'pending', filter: { type: 'items', itemCount: 1, registryIds: null } });
    const [id, withRegistry] = await seen(1);
    expect(withRegistry).toMatchObject({ type: 'items', itemCount: 1, items: null, registryIds: [item.registryId] });
    const [, withoutRegistry] = await seen(2);
    expect(withoutRegistry).toMatchObject({ type: 'items', itemCount: 1, items: null, registryIds: null });
    expect((await asClient(QUERIES.grant, { id })).filter.items).toEqual([
      { registryId: item.registryId, title: 'There watch' },
    ]);
    await asClient(MUTATIONS.revokeGrant, { id });
    const ended = await asMember(QUERIES.grant, { id });
    expect(ended.filter).toMatchObject({ itemCount: 1, registryIds: null });
    expect(JSON.stringify(ended.events)).not.toContain(item.registryId);

    const key = await makeKey(database, firm);
    const chosen = { type: 'collection' as const, collection: collectionId };
    const grant = await makeGrant(database, key, client, { filter: chosen });
    expect((await asMember(QUERIES.grant, { id: grant.id })).filter.collection).toEqual({
      ...{ id: collectionId, name: 'Family', itemCount: 1 },
    });
    await asClient(MUTATIONS.changeGrant, { id: grant.id, scopes: ['registry'] });
    expect((await asMember(QUERIES.grant, { id: grant.id })).filter.collection).toBeNull();
  });

  it('names no item and no collection of another client', async () => {
    const { here, there, gateway } = scene;
    const { id } = await makeGrant(gateway.database, await makeKey(gateway.database, here.firm), here.client);
    const shown = async (filter: object) => {
      await gateway.database.query({ text: 'update grants set filter = $2 where id = $1', values: [id, filter] });
      return (await here.asClient(QUERIES.grant, { id })).filter;
    };
    const { registryId } = there.item;
    expect((await shown({ type: 'items', items: [registryId] })).items).toEqual([{ registryId, title: null }]);
    const { collection } = await shown({ type: 'collection', collection: there.collectionId });
    expect(collection).toMatchObject({ name: null, itemCount: 0 });
  });

  it('shows the firm no collection through a key that lacks the scope, or that the API refuses', async () => {
    const { database } = scene.gateway;
    const { asMember, client, firm, collectionId } = scene.there;
    const key = await makeKey(database, firm);
    const { id } = await makeGrant(database, key, client, { filter: { type: 'collection', collection: collectionId } });
    const collection = async () => (await asMember(QUERIES.grant, { id })).filter.collection;
    const run = (text: string, value: string) => database.query({ text, values: [value] });
    const shown = { id: collectionId, name: 'Family', itemCount: 1 };
    expect(await collection()).toEqual(shown);
    await run('update firms set plan_active = false where id = $1', firm.id);
    const suspended = await collection();
    await run('update firms set plan_active = true where id = $1', firm.id);
    expect(suspended).toBeNull();
    expect(await collection()).toEqual(shown);
    await run('update api_keys set scopes = 1 where id = $1', key.id);
    expect(await collection()).toBeNull();
    await run('update api_keys set scopes = 127 where id = $1', key.id);
    await run(`update api_keys set expires_at = now_ms() + interval '1 hour' where id = $1`, key.id);
    expect(await collection()).toEqual(shown);
    await run(`update api_keys set expires_at = created_at + interval '1 millisecond' where id = $1`, key.id);
    expect(await collection()).toBeNull();
    await run('update api_keys set expires_at = null where id = $1', key.id);
    await run("update api_keys set revoked_at = now_ms(), revoked_by = 'operator:test' where id = $1", key.id);
    expect(await collection()).toBeNull();
  });
});

describe('expiry', () => {
  it('ends a grant for both parties, and is in the history from the next read on', async () => {
    const { asClient, asMember, client, firm } = scene.here;
    const key = await makeKey(scene.gateway.database, firm);
    const { id } = await makeGrant(scene.gateway.database, key, client);
    const counts = await asMember(QUERIES.grantCounts);
    await scene.gateway.database.query({
      text: "update grants set expires_at = now_ms() - interval '1 second' where id = $1",
      values: [id],
    });
    expect(await asMember(QUERIES.grantCounts)).toEqual({
      ...{ ...counts, active: counts.active - 1, ended: counts.ended + 1 },
    });
    const { nodes } = await asClient(QUERIES.grants, { status: ['expired'] });
    expect(nodes.map((grant: { id: string }) => grant.id)).toEqual([id]);
    const history = await asClient(QUERIES.consentHistory, { first: 100 });
    const ends = history.nodes.filter(({ action }: { action: string }) => action === 'expire');
    expect(ends).toMatchObject([{ grantId: id, actor: { kind: 'system', name: 'System' } }]);
  });

  it('is in the history at the time of the end, even if it is recorded later', async () => {
    const { asMember, asClient, client, firm } = scene.here;
    const key = await makeKey(scene.gateway.database, firm);
    const { id } = await makeGrant(scene.gateway.database, key, client);
    await scene.gateway.database.query({
      text: `update grants set activated_at = now_ms() - interval '4 years', expires_at = now_ms() - interval '3 years' where id = $1`,
      values: [id],
    });
    await asMember(QUERIES.grantCounts);
    const { nodes } = await asClient(QUERIES.consentHistory, { first: 100 });
    expect(nodes.at(-1)).toMatchObject({ grantId: id, action: 'expire' });
    const times = nodes.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    const walked: unknown[] = [];
    for (let after: string | null = null; walked.length === 0 || after !== null; ) {
      const page = await asClient(QUERIES.consentHistory, { first: 2, after });
      walked.push(...page.nodes);
      after = page.nextCursor;
    }
    expect(walked).toEqual(nodes);
  });
});
