// `portico restore` without a revocation journal: it lists everything that gives access, and `--confirm` voids all
// sessions and links.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import { newId } from '#core/ids.ts';
import type { ServiceRole, TokenKind } from '#core/principal.ts';
import { scopeSet } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { accountOfUser } from '#repositories/accounts/people.ts';
import { createToken, revokeToken } from '#repositories/admission/tokens.ts';
import { inviteMember, linkInvitation, listInvitations, openInvitation } from '#repositories/firms/invitations.ts';
import { removeMember } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { grantWithoutRequest, revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import type { User } from '#repositories/users.ts';
import { ahead, HOUR_MS, makeClient, makeFirm, makeKey, makeMember, operator } from '#test/repositories/parties.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { runHere } from './portico.ts';

let created: TestDatabase;
let database: Database;
let firm: Firm;
beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
  firm = await makeFirm(database);
});
afterAll(async () => {
  await database?.close();
  await created?.drop();
});

const restore = (...words: string[]) => runHere({ DATABASE_URL: created.url }, 'restore', ...words);

async function listed() {
  const { code, stdout } = await restore('--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

it('members with their roles, passkeys by account, invitations and networks of keys are listed', async () => {
  const [member, removed] = [await makeMember(database, firm), await makeMember(database, firm)];
  await removeMember(database, firm.id, removed.id, operator);
  const key = await makeKey(database, firm, { allowedNetworks: ['203.0.113.0/24', '2001:db8::/32'] });
  const account = newId('account');
  await database.query({
    text: `insert into portal_accounts (id, email, name) values ($1, $2, 'Member')`,
    values: [account, member.email],
  });
  await database.query({
    text: `insert into portal_passkeys (id, account_id, name, credential_id, public_key)
      select n, $1, 'Key', n, '' from unnest($2::text[]) n`,
    values: [account, [newId('passkey'), newId('passkey')]],
  });
  const found = await listed();
  const ofFirm = { firm_id: firm.id, firm_role: 'administrator' };
  expect(found.users).toEqual([{ id: member.id, email: member.email, role: 'firm_member', ...ofFirm }]);
  expect(found.passkeys).toEqual([{ email: member.email, passkeys: 2 }]);
  expect(found.keys).toMatchObject([{ id: key.id, allowed_networks: ['203.0.113.0/24', '2001:db8::/32'] }]);
  // As a backup from before the removal has it.
  await database.query({ text: 'update users set removed_at = null where id = $1', values: [removed.id] });
  expect((await listed()).users.map(({ id }: { id: string }) => id).sort()).toEqual([member.id, removed.id].sort());
  const { stdout } = await restore();
  for (const text of ['Active users: 2', '203.0.113.0/24, 2001:db8::/32']) expect(stdout).toContain(text);
});

it('--confirm voids invitations and their links', async () => {
  const invite = async () => {
    const invitation = { email: `${newId('user').toLowerCase()}@example.com`, name: 'New', role: 'developer' } as const;
    const { id } = await inviteMember(database, firm.id, invitation, operator);
    return { id, token: (await linkInvitation(database, id))?.token ?? '' };
  };
  const [one, other] = [await invite(), await invite()];
  expect((await listed()).invitations.map(({ id }: { id: string }) => id)).toEqual([one.id, other.id]);
  const { code, stdout } = await restore('--confirm', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { ended_sessions: 0, withdrawn_invitations: 2, confirmed: true }]);
  for (const { token } of [one, other]) expect(await openInvitation(database, token)).toBeNull();
  expect(await listInvitations(database, firm.id)).toEqual([]);
  expect((await listed()).invitations).toEqual([]);
});

it('active keys, grants and tokens and unexpired sessions are listed, ended ones are not', async () => {
  const client = await makeClient(database);
  const [revokedKey, expiredKey] = [await makeKey(database, firm), await makeKey(database, firm)];
  const key = await makeKey(database, firm);
  await revokeKey(database, revokedKey.id, operator);
  await database.query({
    text: `update api_keys set expires_at = now_ms() - interval '1 s' where id = $1`,
    values: [expiredKey.id],
  });
  const grantTo = (keyId: string, owner: User, expiresAt: string | null = null) =>
    grantWithoutRequest(
      database,
      { keyId, clientId: owner.id, scopes: scopeSet(['registry']), filter: { type: 'all' }, expiresAt },
      operator,
    );
  const grants = [await grantTo(key.id, client), await grantTo(key.id, await makeClient(database))];
  await revokeGrant(database, (await grantTo(key.id, await makeClient(database))).id, operator);
  const passed = await grantTo(key.id, await makeClient(database), ahead(HOUR_MS));
  // The expiry has passed, and is not recorded yet.
  await database.query({
    text: `update grants set expires_at = now_ms() - interval '1 s' where id = $1`,
    values: [passed.id],
  });
  const token = (kind: TokenKind, holder: ServiceRole) =>
    createToken(database, kind, { holder, hash: makeToken(kind).hash, expiresAt: null });
  const [tool, account] = [await token('service', 'ops'), await token('plant', 'support')];
  for (const kind of ['service', 'plant'] as const) {
    await revokeToken(database, kind, (await token(kind, 'admin')).id);
    const { id } = await token(kind, 'admin');
    await database.query({
      text: `update ${kind}_tokens set expires_at = now_ms() - interval '1 s' where id = $1`,
      values: [id],
    });
  }
  const person = await accountOfUser(database, client.id);
  const [present, expired] = [newId('session'), newId('session')];
  await database.query({
    text: `insert into portal_sessions (id, account_id, session_token, acting_user_id, expires_at)
      select id, $1, id, $2, ends from unnest($3::text[], $4::timestamptz[]) as s (id, ends)`,
    values: [person?.id, client.id, [present, expired], [ahead(HOUR_MS), ahead(-HOUR_MS)]],
  });
  const found = await listed();
  expect(Object.keys(found)).toEqual([
    'confirmed',
    'keys',
    'grants',
    'service_tokens',
    'plant_tokens',
    'users',
    'passkeys',
    'invitations',
    'sessions',
  ]);
  const keyIds = found.keys.map(({ id }: { id: string }) => id);
  expect(keyIds).toContain(key.id);
  for (const ended of [revokedKey, expiredKey]) expect(keyIds).not.toContain(ended.id);
  expect(found.keys.at(-1)).toEqual({
    ...{ id: key.id, firm_id: firm.id, name: key.name, allowed_networks: [], last_used_at: null },
  });
  const [older, newer] = grants.map(({ id, clientId }) => ({ id, key_id: key.id, client_id: clientId }));
  expect(found.grants).toEqual([newer, older]);
  expect(found.service_tokens).toEqual([{ id: tool.id, role: 'ops' }]);
  expect(found.plant_tokens).toEqual([{ id: account.id, account: 'support' }]);
  expect(found.sessions).toEqual([{ id: present, email: client.email, created_at: expect.any(String) }]);
  const { stdout } = await restore();
  for (const text of ['Active grants: 2', 'Active plant tokens: 1', 'Active sessions: 1'])
    expect(stdout).toContain(text);
});
