// Guarantee: a firm's test clients take the same steps as real clients, and no other firm reaches them.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import { removeMember } from '#repositories/firms/members.ts';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeMember, type Side, withScene } from '#test/support/portal-scene.ts';
import { listGrantEvents } from '#test/support/recorded.ts';
import { call, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

const ALL = { type: 'all' };
const TERMS = { scopes: ['registry', 'valuation', 'documentation'], filter: ALL };

const create = ({ asMember }: Side, variables: object = {}) => asMember(MUTATIONS.createTestClient, { ...variables });
const listed = async ({ asMember }: Side): Promise<{ id: string }[]> => (await asMember(QUERIES.testClients)).clients;
const step = ({ asMember }: Side, id: string, name: string, terms: object = {}) =>
  asMember(MUTATIONS.stepAsTestClient, { id, step: name, ...terms });
const sandboxKey = ({ firm }: Side) => makeKey(scene.gateway.database, firm, { environment: 'sandbox' });
const ask = ({ asMember }: Side, keyId: string, client: string) =>
  asMember(MUTATIONS.requestGrant, { keyId, client, ...TERMS });

async function read(path: string, clientId: string, secret: string) {
  const url = `${scene.gateway.url}/api/v1/${path}${path.includes('?') ? '&' : '?'}client_id=${clientId}`;
  return (await call(url, secret)).body;
}
const codeOrCount = async (clientId: string, secret: string) => {
  const body = await read('assets', clientId, secret);
  return body.error?.code ?? body.pagination.total_items;
};

/** A test client who has approved all that was asked for. */
async function approved(side: Side) {
  const [client, key] = [await create(side), await sandboxKey(side)];
  const { id } = await ask(side, key.id, client.id);
  const grant = await step(side, id, 'approve');
  return { client, key, grant };
}

describe('a test client', () => {
  it('has a portfolio of many categories with valuations and documents, and is marked in its name', async () => {
    const { client, key } = await approved(scene.here);
    expect(client).toMatchObject({ name: expect.stringMatching(/ \(test client\)$/), itemCount: 40 });
    const { data, pagination } = await read('assets?include=valuations,documents', client.id, key.secret);
    expect(pagination.total_items).toBe(40);
    expect(new Set(data.map(({ category }: { category: string }) => category)).size).toBeGreaterThan(5);
    for (const item of data) {
      expect(item).toMatchObject({ valuations: expect.any(Array), documents: expect.any(Array) });
      expect([item.valuations.length, item.documents.length]).toEqual([6, 3]);
      expect(item.title).not.toMatch(/no\. \d/);
    }
    const { data: summary } = await read('portfolio/summary', client.id, key.secret);
    expect(summary).toMatchObject({ item_count: 40, total_value: { currency: 'USD' } });
    expect(Number(summary.total_value.amount)).toBeGreaterThan(100_000);
  });

  it('is created once for an idempotency key of each firm', async () => {
    const idempotencyKey = newId('user');
    const made = await create(scene.here, { idempotencyKey });
    expect(await codeOf(create(scene.here, { idempotencyKey }))).toBe('already_exists');
    expect(made.id).not.toBe(idempotencyKey);
    const theirs = await create(scene.there, { idempotencyKey });
    expect(theirs.id).not.toBe(made.id);
    await scene.here.asMember(MUTATIONS.deleteTestClient, { id: made.id });
    expect(await codeOf(create(scene.here, { idempotencyKey }))).toBe('already_exists');
    await scene.there.asMember(MUTATIONS.deleteTestClient, { id: theirs.id });
  });

  it('has an id that the caller cannot choose: refusing a taken one would reveal a client', async () => {
    const manifest = readFileSync(new URL('../../portal/operations.json', import.meta.url), 'utf8');
    const { CreateTestClient }: Record<string, string> = JSON.parse(manifest);
    const { asMember } = scene.here;
    for (const id of [scene.there.client.id, newId('user')]) {
      const made = await asMember(CreateTestClient ?? '', { id });
      expect(made).toMatchObject({ name: expect.stringMatching(/ \(test client\)$/) });
      expect(made.id).not.toBe(id);
      await asMember(MUTATIONS.deleteTestClient, { id: made.id });
    }
  });

  it('is determined by its seed, except for its ids', async () => {
    const of = async (side: Side, seed: number) => {
      const { id } = await create(side, { seed, name: 'Seeded' });
      const rows = await scene.gateway.database.query<Record<string, unknown>>({
        text: 'select id, title, category, market_value, created_at from items where client_id = $1 order by created_at',
        values: [id],
      });
      return { ids: rows.map((row) => row.id), items: rows.map(({ id: _, ...row }) => row) };
    };
    const [one, same, other] = [await of(scene.here, 42), await of(scene.there, 42), await of(scene.here, 43)];
    expect(one.items).toEqual(same.items);
    expect(one.items).not.toEqual(other.items);
    expect(one.ids.filter((id) => same.ids.includes(id))).toEqual([]);
    for (const seed of [-1, 2 ** 31]) await expect(create(scene.here, { seed })).rejects.toThrow();
    expect(await codeOf(create(scene.here, { seed: -1 }))).toBe('invalid_parameter');
    expect(await codeOf(create(scene.here, { name: 'a'.repeat(187) }))).toBe('invalid_parameter');
  });

  it('approves, narrows, expires and revokes as a member says, each step recorded with who took it', async () => {
    const { here } = scene;
    const [client, key] = [await create(here), await sandboxKey(here)];
    expect(await codeOrCount(client.id, key.secret)).toBe('no_active_grant');
    const asked = await ask(here, key.id, client.id);
    // The firm created the test client, so the request may reveal it.
    expect(asked).toMatchObject({ status: 'pending', clientId: client.id, clientName: client.name, testClient: true });
    const filter = { type: 'category', categories: ['WT', 'PM', 'AR'] };
    await step(here, asked.id, 'approve', { filter });
    const approvedCount = await codeOrCount(client.id, key.secret);
    expect(approvedCount).toBeLessThan(40);
    const first = await read('assets', client.id, key.secret);
    const narrower = await step(here, asked.id, 'change', { scopes: ['registry'], filter: ALL });
    expect(narrower).toMatchObject({ status: 'active', scopes: ['registry'] });
    expect((await read('assets', client.id, key.secret)).data[0]).not.toHaveProperty('market_value');
    // The view has changed, so the partner synchronises in full.
    const since = encodeURIComponent(first.sync.as_of);
    expect((await read(`assets?updated_since=${since}`, client.id, key.secret)).sync.full).toBe(true);
    expect(await step(here, asked.id, 'expire')).toMatchObject({ status: 'expired' });
    expect(await codeOrCount(client.id, key.secret)).toBe('grant_expired');

    const again = await ask(here, key.id, client.id);
    await step(here, again.id, 'approve');
    expect(await codeOrCount(client.id, key.secret)).toBe(40);
    expect(await step(here, again.id, 'revoke')).toMatchObject({ status: 'revoked' });
    expect(await codeOrCount(client.id, key.secret)).toBe('grant_revoked');

    const { database } = scene.gateway;
    const acting = `member_as_test_client:${here.member.id}`;
    const events = [...(await listGrantEvents(database, asked.id)), ...(await listGrantEvents(database, again.id))];
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ['request', `firm_member:${here.member.id}`],
      ['approve', acting],
      ['change', acting],
      ['change', acting],
      ['expire', 'system:expiry'],
      ['request', `firm_member:${here.member.id}`],
      ['approve', acting],
      ['revoke', acting],
    ]);
    const shown = await here.asMember(QUERIES.grant, { id: again.id });
    const actor = { kind: 'member_as_test_client', name: 'Here Member for the test client' };
    expect(shown.events[0]).toMatchObject({ action: 'revoke', actor });
    const receipt = await here.asMember(QUERIES.receipt, { id: again.id, eventId: shown.events[1].id });
    expect(JSON.parse(receipt.receipt.receipt).event).toMatchObject({
      action: 'approve',
      event_state: 'given',
      entity: actor,
    });
  });

  it('approves no more than was requested, and only in states that allow the step', async () => {
    const { here } = scene;
    const [client, key] = [await create(here), await sandboxKey(here)];
    const { id } = await ask(here, key.id, client.id);
    expect(await codeOf(step(here, id, 'approve', { scopes: ['registry', 'estate'] }))).toBe('invalid_parameter');
    for (const name of ['change', 'revoke', 'expire'])
      expect(await codeOf(step(here, id, name)), name).toBe('invalid_transition');
    for (const name of ['grant', 'decline', '']) expect(await codeOf(step(here, id, name))).toBe('invalid_parameter');
    await step(here, id, 'approve');
    expect(await codeOf(step(here, id, 'approve'))).toBe('invalid_transition');
  });
});

describe('only its own firm', () => {
  it('reads a test client, requests access from it, acts for it, lists or deletes it', async () => {
    const { here, there } = scene;
    const { client, grant } = await approved(here);
    const theirs = await sandboxKey(there);
    expect(await codeOrCount(client.id, theirs.secret)).toBe('no_active_grant');
    // A request of another firm is recorded like one to an unknown addressee, and never answered.
    const theirRequest = await ask(there, theirs.id, client.id);
    expect(theirRequest).toMatchObject({ status: 'pending', clientId: null, clientName: null, testClient: false });
    const unknown = await ask(there, theirs.id, newId('user'));
    const but = ({ id: _, addressee: __, createdAt: ___, events: ____, ...rest }: typeof unknown) => rest;
    expect(but(theirRequest)).toEqual(but(unknown));
    for (const id of [grant.id, theirRequest.id])
      for (const name of ['approve', 'change', 'revoke', 'expire'])
        expect(await codeOf(step(there, id, name)), name).toBe('resource_not_found');
    expect(await codeOf(step(here, theirRequest.id, 'approve'))).toBe('resource_not_found');
    expect((await listed(there)).map(({ id }) => id)).not.toContain(client.id);
    expect(await codeOf(there.asMember(MUTATIONS.deleteTestClient, { id: client.id }))).toBe('resource_not_found');
    expect((await there.asMember(QUERIES.grants, { clientId: client.id })).totalItems).toBe(0);
  });

  it('acts for it, and for no real client', async () => {
    const { here, there } = scene;
    for (const side of [here, there])
      for (const id of [here.grant.id, here.request.id])
        for (const name of ['approve', 'change', 'revoke', 'expire'])
          expect(await codeOf(step(side, id, name)), name).toBe('resource_not_found');
    expect(await codeOf(here.asMember(MUTATIONS.deleteTestClient, { id: here.client.id }))).toBe('resource_not_found');
  });

  it('acts for it, and no member who has just been removed', async () => {
    const { here } = scene;
    const { database } = scene.gateway;
    const { client, grant } = await approved(here);
    const colleague = await makeMember(scene.gateway, here.firm, 'Colleague');
    const acting = { kind: 'member_as_test_client', id: colleague.id } as const;
    await changeGrant(database, grant.id, { scopes: scopeSet(['registry']) }, acting);
    // The act below stands for a request that was admitted before the removal.
    await removeMember(database, here.firm.id, colleague.id, { kind: 'operator', id: 'test' });
    await expect(revokeGrant(database, grant.id, acting)).rejects.toMatchObject({ code: 'resource_not_found' });
    await here.asMember(MUTATIONS.deleteTestClient, { id: client.id });
  });

  it('reaches it, and never with a production key', async () => {
    const { here } = scene;
    const { client } = await approved(here);
    expect(await codeOrCount(client.id, here.key.secret)).toBe('no_active_grant');
    const asked = await ask(here, here.otherKey.id, client.id);
    expect(asked).toMatchObject({ clientId: null, testClient: false });
    expect(await codeOf(step(here, asked.id, 'approve'))).toBe('resource_not_found');
    // The database lets no test client become a production client or another role.
    for (const change of ["environment = 'production'", "role = 'ops', environment = null, reporting_currency = null"])
      await expect(
        scene.gateway.database.query({ text: `update users set ${change} where id = $1`, values: [client.id] }),
      ).rejects.toThrow(/users_/);
  });

  it('sees its grants, and gets no mail about them', async () => {
    const { here } = scene;
    const { grantFacts } = await import('#repositories/notices/facts.ts');
    const { database } = scene.gateway;
    const { grant } = await approved(here);
    const user = { id: here.member.id, role: 'firm_member' };
    expect(await grantFacts(database, user, grant.id, null)).toBeNull();
    expect(await grantFacts(database, user, here.grant.id, null)).not.toBeNull();
  });
});

describe('deleting a test client', () => {
  it('ends its grants, withdraws its requests, deletes its items, and keeps the record', async () => {
    const { here } = scene;
    const { database } = scene.gateway;
    const { client, key, grant } = await approved(here);
    const waiting = await ask(here, (await sandboxKey(here)).id, client.id);
    expect(await codeOrCount(client.id, key.secret)).toBe(40);
    const { clients } = await here.asMember(MUTATIONS.deleteTestClient, { id: client.id });
    expect(clients.map(({ id }: { id: string }) => id)).not.toContain(client.id);
    expect(await codeOrCount(client.id, key.secret)).toBe('grant_revoked');
    expect(await here.asMember(QUERIES.grant, { id: waiting.id })).toMatchObject({ status: 'withdrawn' });
    expect((await listGrantEvents(database, grant.id)).at(-1)).toMatchObject({
      ...{ action: 'revoke', actor: `member_as_test_client:${here.member.id}` },
    });
    const [left] = await database.query<Record<string, number>>({
      text: `select (select count(*)::int from items where client_id = $1) as items,
        (select count(*)::int from collections where client_id = $1) as collections,
        (select count(*)::int from removals where client_id = $1) as removals`,
      values: [client.id],
    });
    expect(left).toEqual({ items: 0, collections: 0, removals: 40 });
    // No request reaches the deleted client, and no step is taken for it.
    expect(await ask(here, key.id, client.id)).toMatchObject({ clientId: null });
    expect(await codeOf(step(here, grant.id, 'change', { scopes: ['registry'] }))).toBe('resource_not_found');
    expect(await codeOf(here.asMember(MUTATIONS.deleteTestClient, { id: client.id }))).toBe('resource_not_found');
    const events = await database.query<{ action: string; actor: string }>({
      text: 'select action, actor from firm_events where subject = $1 order by id',
      values: [client.id],
    });
    expect(events).toEqual([
      { action: 'test_client_create', actor: `firm_member:${here.member.id}` },
      { action: 'test_client_delete', actor: `firm_member:${here.member.id}` },
    ]);
  });
});

it('a firm has no more test clients than the installation allows, even if created at once', async () => {
  const { there } = scene;
  const { platform } = scene.portal;
  const before = platform.maxTestClientsPerFirm;
  const have = (await listed(there)).length;
  platform.maxTestClientsPerFirm = have + 2;
  try {
    const ends = await Promise.allSettled(Array.from({ length: 4 }, () => create(there)));
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(2);
    expect(await codeOf(create(there))).toBe('too_many_test_clients');
    const [one] = await listed(there);
    await there.asMember(MUTATIONS.deleteTestClient, { id: one?.id });
    await create(there);
  } finally {
    platform.maxTestClientsPerFirm = before;
  }
});

it('members of a firm see the same test clients', async () => {
  const { here } = scene;
  const { id } = await create(here);
  const colleague = await makeMember(scene.gateway, here.firm, 'Colleague');
  const { clients } = await scene.portal.as(colleague.id)(QUERIES.testClients);
  expect(clients.map((client: { id: string }) => client.id)).toContain(id);
});
