// `portico restore` without a revocation journal: it lists everything that gives access, and `--confirm` voids all
// sessions and links.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { inviteMember, linkInvitation, listInvitations, openInvitation } from '#repositories/firms/invitations.ts';
import { removeMember } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { makeFirm, makeKey, makeMember, operator } from '#test/repositories/parties.ts';
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
