// Guarantee: acts on firms, keys, grants, people and records that meet do not end each other in a deadlock.
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import { NOTHING_DISCLOSED } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { eraseClient, finishErasures } from '#gateway/personal-data/erase.ts';
import { eraseFirmWithin, eraseUser } from '#gateway/personal-data/erase-user.ts';
import { joinFirm } from '#repositories/accounts/joining.ts';
import { accountOfUser, storePassword } from '#repositories/accounts/people.ts';
import { endSessionsOf, forgetExpired } from '#repositories/accounts/sessions.ts';
import { inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { removeMember, setFirmRole } from '#repositories/firms/members.ts';
import { type Firm, setFirmLimit } from '#repositories/firms.ts';
import * as grants from '#repositories/grants/grants.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { touchLastUsed } from '#repositories/keys/key-use.ts';
import { createKey, revokeKey, rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { foldTotals } from '#repositories/maintenance.ts';
import { notifyFirstUses, notifyNearLimits } from '#repositories/notices/noticed.ts';
import { tidyNotices } from '#repositories/notices/outbox.ts';
import { createTestClient, deleteTestClient } from '#repositories/sandbox/test-clients.ts';
import type { User } from '#repositories/users.ts';
import * as parties from '#test/repositories/parties.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { why } from '#test/support/scenario.ts';
import { type Scene, sceneOver } from '#test/tools/import/scene.ts';
import { ImportRefused } from '#tools/import/faults.ts';

const { asClient, asMember, KEY_BOUNDS, operator } = parties;
/** How often each act is tried, and how many at a time. */
const TRIES = 30;
const AT_ONCE = 14;

let created: TestDatabase;
let database: Database;
let scene: Scene;
beforeAll(async () => {
  created = await createMigratedDatabase();
  const name = new URL(created.url).pathname.slice(1);
  // A deadlock is only found after this wait, and would end by itself if a client gave up before.
  await withClient(created.url, (client) => client.query(`alter database "${name}" set deadlock_timeout = '20ms'`));
  database = await openDatabase({ url: created.url, connections: AT_ONCE + 2 });
  scene = sceneOver(database);
});
afterAll(async () => {
  await scene?.close();
  await database?.close();
  await created?.drop();
});

/** Few, so that acts often meet. Erased ones are replaced. */
const firms: { firm: Firm; members: User[] }[] = [];
const clients: User[] = [];

async function refill(): Promise<void> {
  while (firms.length < 2) {
    const firm = await parties.makeFirm(database);
    const members = [await parties.makeMember(database, firm), await parties.makeMember(database, firm)];
    for (const _ of members) await createKey(database, parties.newKey(firm), operator, KEY_BOUNDS);
    firms.push({ firm, members });
  }
  while (clients.length < 3) {
    const client = await parties.makeClient(database);
    await parties.makeItem(database, client);
    clients.push(client);
  }
}

/** There is nothing that the act could be done to. */
class NoTarget extends Error {}

const oneOf = <One>(list: readonly One[]): One => {
  if (list.length === 0) throw new NoTarget();
  return list[randomInt(list.length)] as One;
};
const idFrom = async (text: string, ...values: unknown[]): Promise<string> =>
  oneOf(await database.query<{ id: string }>({ text, values })).id;

const someMember = () => {
  const { firm, members } = oneOf(firms);
  return { firm, member: asMember(oneOf(members)) };
};
const accountOf = async ({ id }: User): Promise<string> => {
  const account = await accountOfUser(database, id);
  if (account === null) throw new NoTarget();
  return account.id;
};
const keyOf = (firm: Firm) =>
  idFrom('select id from api_keys where firm_id = $1 and revoked_at is null and rotated_to is null', firm.id);
const testClientOf = ({ id }: Firm) =>
  idFrom('select id from users where test_firm_id = $1 and deleted_at is null', id);
const someKey = () => keyOf(oneOf(firms).firm);
const grantIn = (client: User, status: string) =>
  idFrom('select id from grants where client_id = $1 and status = $2', client.id, status);
const TERMS = { scopes: ALL_SCOPES, filter: { type: 'all' }, expiresAt: null } as const;
/** SQLSTATEs of a violated foreign key, and of a session that begins while those of its account end. */
const GONE = ['23503', 'PSE01'];
const unlessGone = (error: { code?: string }): never => {
  throw GONE.includes(error.code ?? '') ? new NoTarget() : error;
};
const ERASING = { portalUrl: null, noticeDays: 1 };

const byClient =
  (status: string, act: (grantId: string, actor: Actor) => Promise<unknown>) => async (): Promise<unknown> => {
    const client = oneOf(clients);
    return act(await grantIn(client, status), asClient(client));
  };
const request = async () => {
  const { firm, member } = someMember();
  const client = oneOf(clients).email;
  return grants.requestGrant(database, { keyId: await keyOf(firm), client, purpose: null, ...TERMS }, member);
};
const grant = async () => {
  const { id } = oneOf(clients);
  return grants.grantWithoutRequest(database, { keyId: await someKey(), clientId: id, ...TERMS }, asClient({ id }));
};

const ACTS: Record<string, () => Promise<unknown>> = {
  'create a key': () => createKey(database, parties.newKey(oneOf(firms).firm), operator, KEY_BOUNDS),
  'rotate a key': async () => {
    const { firm, member } = someMember();
    const { text: _, ...secret } = makeKeySecret('sandbox');
    return rotateKey(database, await keyOf(firm), { secret, overlapMs: randomInt(2) * 60_000 }, member, KEY_BOUNDS);
  },
  'change a key': async () => {
    const { firm, member } = someMember();
    return changeKey(database, await keyOf(firm), { name: `Key ${randomInt(1000)}` }, member, KEY_BOUNDS);
  },
  'revoke a key': async () => {
    const { firm, member } = someMember();
    return revokeKey(database, await keyOf(firm), member);
  },
  'set a tier': async () =>
    setKeyTier(database, await someKey(), { ...why, tier: oneOf(['standard', 'elevated', null]) }, operator),
  'limit a firm': () =>
    database.transaction((sql) => setFirmLimit(sql, oneOf(firms).firm.id, { ...why, limit: 100 }, operator)),
  request,
  'request again': request,
  grant,
  'grant again': grant,
  approve: byClient('pending', (id, actor) =>
    database.transaction((sql) => grants.approveGrant(sql, id, { scopes: scopeSet(['registry']) }, actor)),
  ),
  decline: byClient('pending', (id, actor) => grants.declineGrant(database, id, actor)),
  withdraw: async () => {
    const { firm, member } = someMember();
    const text = `select g.id from grants g join api_keys k on k.id = g.lineage_id
      where k.firm_id = $1 and g.status = 'pending'`;
    return grants.withdrawGrant(database, await idFrom(text, firm.id), member);
  },
  'change a grant': byClient('active', (id, actor) =>
    database.transaction((sql) => grants.changeGrant(sql, id, { scopes: scopeSet(['registry', 'detail']) }, actor)),
  ),
  'expire a grant': byClient('active', (id, actor) => grants.expireGrant(database, id, actor)),
  'revoke a grant': byClient('active', (id, actor) => grants.ensureRevoked(database, id, actor)),
  'stop a firm': () => {
    const { id } = oneOf(clients);
    return grants.stopFirm(database, { clientId: id, firmId: oneOf(firms).firm.id }, asClient({ id }));
  },
  'mark what has expired': () => grants.markExpired(database),
  invite: () => {
    const invited = { email: `invited-${randomInt(4)}@example.com`, name: 'Invited', role: 'developer' } as const;
    return inviteMember(database, oneOf(firms).firm.id, invited, operator);
  },
  join: async () => {
    const link = await linkInvitation(database, await idFrom('select id from firm_invitations where ended_at is null'));
    return joinFirm(database, { token: link?.token ?? '', name: 'Joined', passwordHash: 'a hash' });
  },
  'change a role': () => {
    const { firm, members } = oneOf(firms);
    return setFirmRole(database, firm.id, oneOf(members).id, oneOf(['administrator', 'developer']), operator);
  },
  'remove a member': async () => {
    const { id } = oneOf(firms).firm;
    const text = `select id from users where firm_id = $1 and removed_at is null and name = 'Joined'`;
    return removeMember(database, id, await idFrom(text, id), operator);
  },
  'erase a member': async () => {
    const text = `select u.id from users u where u.removed_at is not null
      and not exists (select from erased_subjects e where e.id = u.id)`;
    return eraseUser(database, { id: await idFrom(text), reason: 'Asked', actor: operator }, ERASING);
  },
  'end sessions': async () => {
    const account = await accountOf(oneOf(oneOf(firms).members));
    return endSessionsOf(database, account, operator);
  },
  'set a password by a link': async () => {
    const account = await accountOf(oneOf([...clients, ...oneOf(firms).members]));
    return storePassword(database, account, newId('event')).catch(unlessGone);
  },
  'sign in': async () => {
    const user = oneOf([...clients, ...oneOf(firms).members]);
    const account = await accountOf(user);
    const text = `insert into portal_sessions (id, account_id, session_token, acting_user_id, expires_at)
      values ($1, $2, $1, $3, now() + interval '10 ms')`;
    return database.query({ text, values: [newId('session'), account, user.id] }).catch(unlessGone);
  },
  'forget what is past': async () => {
    const aged = `update notices set created_at = created_at - interval '4 days'
      where id in (select id from notices for update skip locked)`;
    await database.query({ text: aged });
    for (const chore of [forgetExpired, tidyNotices, foldTotals]) await database.transaction(chore);
  },
  'make a test client': async () => {
    const { firm } = oneOf(firms);
    return createTestClient(database, { firmId: firm.id, seed: 1 }, operator, 1_000);
  },
  'request from a test client': async () => {
    const { firm, member } = someMember();
    const client = await testClientOf(firm);
    return grants.requestGrant(database, { keyId: await keyOf(firm), client, purpose: null, ...TERMS }, member);
  },
  'approve as a test client': async () => {
    const { firm, member } = someMember();
    const text = `select g.id from grants g join users u on u.id = g.client_id
      where u.test_firm_id = $1 and g.status = 'pending'`;
    const id = await idFrom(text, firm.id);
    const actor = { ...member, kind: 'member_as_test_client' } as const;
    return database.transaction((sql) => grants.approveGrant(sql, id, {}, actor));
  },
  'delete a test client': async () => {
    const { firm } = oneOf(firms);
    return deleteTestClient(database, { firmId: firm.id, id: await testClientOf(firm) }, operator);
  },
  'add an item': () => parties.makeItem(database, oneOf(clients)).catch(unlessGone),
  'change items': () =>
    database.query({
      text: 'update items set title = $2 where client_id = $1',
      values: [oneOf(clients).id, newId('item')],
    }),
  'delete items': () => database.query({ text: 'delete from items where client_id = $1', values: [oneOf(clients).id] }),
  'use keys': async () => {
    const keys = await database.query<{ id: string }>({ text: 'select id from api_keys where revoked_at is null' });
    return touchLastUsed(
      database,
      keys.map(({ id }) => ({ keyId: id, at: new Date().toISOString() })),
    );
  },
  'record calls, on two gateways': async () => {
    const keys = await database.query<{ id: string; firmId: string }>({
      text: 'select id, firm_id as "firmId" from api_keys where revoked_at is null',
    });
    const call = (clientId: string, { id: keyId, firmId }: { id: string; firmId: string }) => ({
      ...{ requestId: newId('request'), at: new Date().toISOString(), clientId, firmId, keyId },
      ...{ endpoint: `GET /${randomInt(50)}`, registryId: null, status: 200, errorCode: null, scopes: ALL_SCOPES },
      ...{ tool: null, disclosure: NOTHING_DISCLOSED, version: '2026-01-15' },
    });
    const calls = () => clients.flatMap(({ id }) => keys.map((key) => call(id, key)));
    return Promise.all([calls(), calls().toReversed()].map((those) => saveCalls(database, those)));
  },
  'notify of limits, on two gateways': async () => {
    const keys = await database.query<{ id: string }>({ text: 'select id from api_keys where revoked_at is null' });
    const at = new Date(randomInt(2_000_000_000) * 1_000).toISOString();
    const near = keys.map(({ id }) => ({ keyId: id, refused: true, of: 'key' as const, limit: 100, at }));
    return Promise.all([near, near.toReversed()].map((those) => notifyNearLimits(database, those)));
  },
  'notify of first uses, on two gateways': async () => {
    const given = await database.query<{ id: string }>({ text: `select id from grants where status = 'active'` });
    const uses = given.map(({ id }) => ({ grantId: id, at: new Date().toISOString() }));
    return Promise.all([uses, uses.toReversed()].map((those) => notifyFirstUses(database, those)));
  },
  'append to the ledger': () => appendPending(database, null),
  'finish erasures': () => database.transaction((sql) => finishErasures(sql, null)),
};

/** Rarer, because everything that refers to the erased one then has to be made again. */
const RARE_ACTS: typeof ACTS = {
  'erase a client': async () => {
    const client = oneOf(clients);
    const request = { id: client.id, reason: 'Asked', actor: operator };
    await eraseClient(database, request, { ...ERASING, noticeDays: randomInt(2) });
    clients.splice(clients.indexOf(client), 1);
    await refill();
  },
  import: async () => {
    const text = `select id, email, name, role, firm_id from users u where firm_id = any($1) and removed_at is null
      order by random()`;
    const rows = await database.query<{ id: string; name: string }>({
      text,
      values: [firms.map(({ firm }) => firm.id)],
    });
    const leaving = rows.findLast(({ name }) => name === 'Joined');
    const users = rows.map((user) =>
      user === leaving
        ? { id: user.id, deleted_at: new Date().toISOString() }
        : { ...user, email: `${newId('user')}@example.com`, firm_id: oneOf(firms).firm.id },
    );
    const renamed = firms.map(({ firm: { id, name } }) => ({ id, name: `${name}.`, plan: 'enterprise' }));
    return scene.load({ firms: renamed, users }).catch((error) => {
      throw error instanceof ImportRefused ? new NoTarget() : error;
    });
  },
  'erase a firm': async () => {
    const party = oneOf(firms);
    const request = { id: party.firm.id, reason: 'Closed', actor: operator };
    await database.transaction((sql) => eraseFirmWithin(sql, request, ERASING));
    firms.splice(firms.indexOf(party), 1);
    await refill();
  },
};

it('each act is done or refused, and none is ended by a deadlock', async () => {
  await refill();
  const list = Object.keys(ACTS).flatMap((name) => Array<string>(TRIES).fill(name));
  for (const name of Object.keys(RARE_ACTS)) list.push(...Array<string>(TRIES / 5).fill(name));
  const waiting = list.map((name) => ({ name, place: Math.random() })).toSorted((a, b) => a.place - b.place);
  const done = new Set<string>();
  const failures: string[] = [];
  let retries = 500;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        try {
          await (ACTS[next.name] ?? RARE_ACTS[next.name])?.();
          done.add(next.name);
        } catch (error) {
          // Later there may be something to which an act can be done that has not been possible yet.
          if (error instanceof NoTarget && !done.has(next.name) && retries-- > 0)
            waiting.splice(randomInt(waiting.length + 1), 0, next);
          if (!(error instanceof Refusal || error instanceof NoTarget)) {
            const { code, message, detail, where } = error as Error & {
              code?: string;
              detail?: string;
              where?: string;
            };
            failures.push([next.name, code, message, detail, where].join(' | '));
          }
        }
    }),
  );
  expect(failures).toEqual([]);
  expect(Object.keys({ ...ACTS, ...RARE_ACTS }).filter((name) => !done.has(name))).toEqual([]);
});
