// Lines of an import that delete firms and users: what is erased with them, and which deletions are refused.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '#database/database.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { inviteMember, listInvitations } from '#repositories/firms/invitations.ts';
import { placeHold, releaseHolds } from '#repositories/personal-data/legal-holds.ts';
import { createTestClient } from '#repositories/sandbox/test-clients.ts';
import { createUser } from '#repositories/users.ts';
import { waitsFor } from '#test/support/locks.ts';
import { makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import {
  asset,
  client,
  collection,
  document,
  firm,
  idOf,
  ONE_OF_EACH,
  openScene,
  type Scene,
  sceneOver,
  valuation,
} from './scene.ts';

const AT = '2024-06-01T00:00:00Z';
const actor = { kind: 'operator', id: 'test' } as const;
const member = { id: idOf('usr', 7), email: 'mia@example.com', name: 'Mia', role: 'firm_member', firm_id: firm.id };
const deletionOf = ({ id }: { id: string }) => ({ id, deleted_at: AT });

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
  await scene.load({ ...ONE_OF_EACH, users: [client, member] });
});
afterEach(() => scene.close());

const idsIn = async (table: string): Promise<string[]> =>
  (await scene.rows(`select id from ${table} order by id`)).map(({ id }) => id);

async function expectIntactLedger(): Promise<void> {
  while ((await appendPending(scene.database, null)) > 0);
  expect((await auditLedger(scene.database)).faults).toEqual([]);
}

/** A scene over the same database that calls `act` before each statement with this text. */
function sceneBefore(text: string, act: (sql: Sql) => Promise<void>): Scene {
  const { database } = scene;
  return sceneOver({
    ...database,
    transaction: (work) =>
      database.transaction((sql) =>
        work({
          async query(statement) {
            if (statement.text.includes(text)) await act(sql);
            return sql.query(statement);
          },
        }),
      ),
  });
}

describe('a line that deletes a client', () => {
  it('erases the client with the portfolio, and later lines about them are skipped', async () => {
    const counts = await scene.load({ users: [deletionOf(client)] });
    expect(counts.users).toMatchObject({ deleted: 1, skipped: 0, updated: 0 });
    for (const table of ['items', 'collections', 'valuations', 'documents']) expect(await idsIn(table)).toEqual([]);
    expect(await idsIn('users')).toEqual([member.id]);
    expect(await scene.rows('select id, kind, reason from erased_subjects')).toEqual([
      { id: client.id, kind: 'client', reason: 'Deleted by an import' },
    ]);
    const again = await scene.load({ ...ONE_OF_EACH, assets: [asset, { ...asset, id: idOf('itm', 2) }] });
    for (const [kind, count] of Object.entries({ users: 1, collections: 1, assets: 2, valuations: 1, documents: 1 }))
      expect([kind, again[kind as 'users']]).toEqual([
        kind,
        { inserted: 0, updated: 0, unchanged: 0, deleted: 0, skipped: count },
      ]);
    expect(await idsIn('items')).toEqual([]);
    expect((await scene.load({ users: [deletionOf(client)] })).users).toMatchObject({ deleted: 0, skipped: 1 });
    await expectIntactLedger();
  });

  it('frees the address for another client in the same import', async () => {
    const next = { ...client, id: idOf('usr', 2) };
    await scene.load({ users: [deletionOf(client), next] });
    expect((await scene.rows('select id from users where email = $1', [client.email])).map(({ id }) => id)).toEqual([
      next.id,
    ]);
  });

  it('is a fault if the import has rows of the client, under a legal hold, and for an operator', async () => {
    expect(
      await scene.refused({ users: [deletionOf(client)], collections: [{ ...collection, id: idOf('col', 2) }] }),
    ).toEqual([{ file: 'collections.ndjson', line: 1, field: 'client_id', reason: `there is no client ${client.id}` }]);
    await placeHold(scene.database, client.id, { reason: 'A dispute', endsAt: null }, actor);
    await placeHold(scene.database, member.id, { reason: 'A dispute', endsAt: null }, actor);
    const ops = await createUser(scene.database, { role: 'ops', email: 'o@example.com', name: 'Olga' });
    const faults = await scene.refused({ firms: [deletionOf(firm)], users: [deletionOf(client), deletionOf(ops)] });
    expect(faults.map(({ file, line, reason }) => `${file}:${line} ${reason}`)).toEqual([
      'firms.ndjson:1 cannot be deleted: a member or a test client is under a legal hold',
      'users.ndjson:1 cannot be deleted: the user is under a legal hold',
      'users.ndjson:2 cannot be deleted: the user is one of operations',
    ]);
    expect(await idsIn('items')).toEqual([asset.id]);
    expect(await idsIn('valuations')).toEqual([valuation.id]);
    expect(await idsIn('documents')).toEqual([document.id]);
  });

  it('of a firm is a fault if one of its test clients is under a legal hold', async () => {
    const { id } = await createTestClient(scene.database, { firmId: firm.id, seed: 1 }, actor, 10);
    const itemsOfClient = () => scene.rows('select id from items where client_id = $1', [id]);
    const before = await itemsOfClient();
    await placeHold(scene.database, id, { reason: 'A dispute', endsAt: null }, actor);
    const faults = await scene.refused({ firms: [deletionOf(firm)] });
    expect(faults.map(({ reason }) => reason)).toEqual([
      'cannot be deleted: a member or a test client is under a legal hold',
    ]);
    expect(await itemsOfClient()).toEqual(before);
    await releaseHolds(scene.database, id, actor);
    await scene.load({ firms: [deletionOf(firm)] });
    expect(await itemsOfClient()).toEqual([]);
  });

  it('or a single row of one is a fault under a legal hold; changes are accepted', async () => {
    await placeHold(scene.database, client.id, { reason: 'A dispute', endsAt: null }, actor);
    const faults = await scene.refused({
      ...{ collections: [deletionOf(collection)], assets: [deletionOf(asset)] },
      ...{ valuations: [deletionOf(valuation)], documents: [deletionOf(document)] },
    });
    const reason = 'cannot be deleted: the client is under a legal hold';
    expect(faults).toEqual(
      ['collections', 'assets', 'valuations', 'documents'].map((kind) => ({
        ...{ file: `${kind}.ndjson`, line: 1, field: 'deleted_at', reason },
      })),
    );
    expect((await scene.load({ assets: [{ ...asset, title: 'Renamed' }] })).assets).toMatchObject({ updated: 1 });
    expect(await idsIn('items')).toEqual([asset.id]);
    await releaseHolds(scene.database, client.id, actor);
    expect((await scene.load({ assets: [deletionOf(asset)] })).assets).toMatchObject({ deleted: 1 });
  });

  it('is committed before a hold takes effect that is placed after the lines were checked', async () => {
    const { database } = scene;
    let placing: Promise<void> | undefined;
    let isInForce = false;
    const waiting = async () => (await scene.rows(waitsFor('advisory')))[0]?.waits > 0;
    const intercepted = sceneBefore('delete from items', async () => {
      placing ??= placeHold(database, client.id, { reason: 'A dispute', endsAt: null }, actor).then(() => {
        isInForce = true;
      });
      await expect.poll(async () => isInForce || (await waiting())).toBe(true);
      expect(isInForce).toBe(false);
    });
    expect((await intercepted.load({ assets: [deletionOf(asset)] })).assets).toMatchObject({ deleted: 1 });
    await placing;
    expect(isInForce).toBe(true);
    await intercepted.close();
  });

  it('does not block the ledger for gateways while the import writes', async () => {
    const { database } = scene;
    const grantor = await makeFirm(database);
    const key = await makeKey(database, grantor, { environment: 'sandbox' });
    await makeGrant(database, key, client as never);
    await expectIntactLedger();
    // An entry that waits to be appended when the import begins.
    await makeKey(database, grantor);
    const found: unknown[] = [];
    const other = { ...client, id: idOf('usr', 2) };
    const intercepted = sceneBefore('with done as (insert into items', async (sql) => {
      const limit = await sql.query({ text: 'show idle_in_transaction_session_timeout' });
      found.push(limit, await appendPending(database, null));
    });
    const counts = await intercepted.load({
      users: [deletionOf(client), other],
      assets: [{ ...asset, id: idOf('itm', 2), client_id: other.id }],
    });
    expect([counts.users.deleted, counts.assets.inserted]).toEqual([1, 1]);
    expect(found).toEqual([[{ idle_in_transaction_session_timeout: '0' }], 1]);
    const erased = 'select kind, certificate is not null as certified from erased_subjects';
    expect(await scene.rows(erased)).toEqual([{ kind: 'client', certified: true }]);
    await expectIntactLedger();
    await intercepted.close();
  });

  it('makes a later hold fail, because the user does not exist any more', async () => {
    const key = await makeKey(scene.database, await makeFirm(scene.database), { environment: 'sandbox' });
    await makeGrant(scene.database, key, client as never);
    await scene.load({ users: [deletionOf(client)] });
    // The row stays while partners may still be told of the deletion.
    expect(await idsIn('users')).toContain(client.id);
    await expect(placeHold(scene.database, client.id, { reason: 'A dispute', endsAt: null }, actor)).rejects.toThrow(
      'There is no user',
    );
  });

  it('reserves the id even if there was no such user', async () => {
    const stranger = { ...client, id: idOf('usr', 9), email: 'nobody@example.com' };
    expect((await scene.load({ users: [deletionOf(stranger)] })).users).toMatchObject({ deleted: 0 });
    expect((await scene.load({ users: [stranger] })).users).toMatchObject({ inserted: 0, skipped: 1 });
  });
});

describe('a line that refers to an erased client', () => {
  const former = { ...client, id: idOf('usr', 2), email: 'former@example.com' };

  it('cannot take over a row of another client', async () => {
    await scene.load({ users: [former] });
    await scene.load({ users: [deletionOf(former)] });
    const faults = await scene.refused({
      collections: [{ ...collection, client_id: former.id }],
      assets: [{ ...asset, client_id: former.id }],
    });
    expect(faults).toContainEqual({
      ...{ file: 'assets.ndjson', line: 1, field: 'client_id' },
      reason: 'cannot change: the row belongs to another client',
    });
    expect(new Set(faults.map(({ file }) => file))).toEqual(new Set(['collections.ndjson', 'assets.ndjson']));
    expect((await scene.load({ assets: [{ ...asset, title: 'Renamed' }] })).assets).toMatchObject({ updated: 1 });
  });

  it('is a fault if its own id is malformed', async () => {
    await scene.load({ users: [deletionOf(client)] });
    const wrong = { ...asset, id: 'wrong' };
    expect(await scene.refused({ collections: [{ ...collection, id: 'wrong' }], assets: [wrong] })).toMatchObject([
      { file: 'collections.ndjson', field: 'id' },
      { file: 'assets.ndjson', field: 'id' },
    ]);
  });
});

describe('a line that deletes a member', () => {
  it('leaves a pseudonym, also for the last administrator', async () => {
    expect((await scene.load({ users: [deletionOf(member)] })).users).toMatchObject({ deleted: 1 });
    const [row] = await scene.rows('select name, email, removed_at from users where id = $1', [member.id]);
    expect([row.name, row.email]).toEqual(['Erased member', `${member.id.toLowerCase()}@erased.invalid`]);
    expect(row.removed_at).not.toBeNull();
    const events = await scene.rows(`select action, details from firm_events where subject = $1 order by id`, [
      member.id,
    ]);
    expect(events.at(-1)).toMatchObject({ action: 'member_remove', details: { name: 'Erased member' } });
    expect(JSON.stringify(events)).not.toContain('Mia');
    expect((await scene.load({ users: [member] })).users).toMatchObject({ updated: 0, skipped: 1 });
  });

  it("withdraws the member's invitations", async () => {
    const { database } = scene;
    const invited = { email: 'another@example.com', name: 'Another', role: 'administrator' } as const;
    await inviteMember(database, firm.id, invited, { kind: 'firm_member', id: member.id });
    await scene.load({ users: [deletionOf(member)] });
    expect(await listInvitations(database, firm.id)).toEqual([]);
    const events = await scene.rows('select actor, action from firm_events order by id');
    expect(events.at(-1)).toEqual({ actor: 'system:import', action: 'member_invitation_withdraw' });
  });
});

describe('a line that moves a member to another firm', () => {
  it("withdraws the member's invitations to the former firm", async () => {
    const { database } = scene;
    const other = { ...firm, id: idOf('frm', 2), name: 'Another' };
    const stays = { ...member, id: idOf('usr', 8), email: 'stays@example.com' };
    await scene.load({ firms: [other], users: [stays] });
    const invite = (by: string, email: string) =>
      inviteMember(database, firm.id, { email, name: 'New', role: 'administrator' }, { kind: 'firm_member', id: by });
    await invite(member.id, 'another@example.com');
    await invite(stays.id, 'colleague@example.com');
    await scene.load({
      users: [
        { ...member, firm_id: other.id },
        { ...stays, name: 'Renamed' },
      ],
    });
    expect((await listInvitations(database, firm.id)).map(({ email }) => email)).toEqual(['colleague@example.com']);
  });
});

describe('a line that deletes a firm', () => {
  it('ends plan, keys and grants, erases its members, and keeps its name for its clients’ record', async () => {
    const key = await makeKey(scene.database, { id: firm.id } as never, { environment: 'sandbox' });
    const grant = await makeGrant(scene.database, key, client as never);
    const counts = await scene.load({ firms: [deletionOf(firm)] });
    expect(counts.firms).toMatchObject({ deleted: 1 });
    expect(await scene.rows('select name, plan, plan_active from firms')).toEqual([
      { name: firm.name, plan: 'none', plan_active: false },
    ]);
    expect(await scene.rows('select revoked_by from api_keys where revoked_at is not null')).toEqual([
      { revoked_by: 'system:import' },
    ]);
    expect(await scene.rows('select status from grants where id = $1', [grant.id])).toEqual([{ status: 'revoked' }]);
    const steps = await scene.rows('select action, actor from grant_events where grant_id = $1 order by id', [
      grant.id,
    ]);
    expect(steps.at(-1)).toEqual({ action: 'revoke', actor: 'system:import' });
    expect(await scene.rows('select name from users where id = $1', [member.id])).toEqual([{ name: 'Erased member' }]);
    expect(await idsIn('items')).toEqual([asset.id]);
    await expectIntactLedger();
    const again = await scene.load({ firms: [firm], users: [client, { ...member, id: idOf('usr', 8) }] });
    expect(again.firms).toMatchObject({ updated: 0, skipped: 1 });
    expect(again.users).toMatchObject({ inserted: 0, unchanged: 1, skipped: 1 });
  });

  it('deletes its test clients, and those of no other firm', async () => {
    const other = await makeFirm(scene.database);
    const of = (firmId: string) => createTestClient(scene.database, { firmId, seed: 1 }, actor, 10);
    const [own, others] = [await of(firm.id), await of(other.id)];
    await scene.load({ firms: [deletionOf(firm)] });
    const left = await scene.rows(
      `select u.id, u.deleted_at is not null as deleted, (select count(*) from items i where i.client_id = u.id) as items,
         exists (select from collections c where c.client_id = u.id) as collections
       from users u where test_firm_id is not null order by id`,
    );
    expect(left).toEqual([
      { id: own.id, deleted: true, items: 0, collections: false },
      { id: others.id, deleted: false, items: others.itemCount, collections: true },
    ]);
  });

  it('is a fault if the same import has a member of the firm', async () => {
    const [fault] = await scene.refused({ firms: [deletionOf(firm)], users: [member] });
    expect(fault).toMatchObject({ file: 'users.ndjson', field: 'firm_id', reason: `there is no firm ${firm.id}` });
  });

  it('is a fault if the same import moves a member to another firm', async () => {
    const other = { ...firm, id: idOf('frm', 2), name: 'Another' };
    const moved = { ...member, firm_id: other.id };
    expect(await scene.refused({ firms: [deletionOf(firm), other], users: [moved] })).toEqual([
      {
        ...{ file: 'users.ndjson', line: 1, field: 'firm_id' },
        reason: "cannot change: the user's firm is deleted by this import, with its members",
      },
    ]);
    await scene.load({ firms: [other], users: [moved] });
    await scene.load({ firms: [deletionOf(firm)] });
    expect(await scene.rows('select name, firm_id from users where id = $1', [member.id])).toEqual([
      { name: member.name, firm_id: other.id },
    ]);
  });
});
