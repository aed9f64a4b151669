// Guarantee: an erased user of a firm is named nowhere, their acts stay on record, and they cannot be restored.
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { hashPassword } from '#auth/password.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { readKeySet, verifyReceipt } from '#gateway/consent/receipt-signature.ts';
import { newestCheckpoint } from '#gateway/ledger/ledger.ts';
import { certificateOf, verifyCertificate } from '#gateway/personal-data/certificate.ts';
import { eraseClient, eraseClientWithin } from '#gateway/personal-data/erase.ts';
import { eraseUser } from '#gateway/personal-data/erase-user.ts';
import { repeatForgotten } from '#gateway/restore/servable.ts';
import { joinFirm } from '#repositories/accounts/joining.ts';
import { accountOfUser } from '#repositories/accounts/people.ts';
import { findZone, noteZone } from '#repositories/accounts/person-zones.ts';
import { listFirmEvents } from '#repositories/firms/firm-events.ts';
import { inviteMember, linkInvitation, listInvitations } from '#repositories/firms/invitations.ts';
import { listMembers, setFirmRole } from '#repositories/firms/members.ts';
import { type Firm, lockFirmFor } from '#repositories/firms.ts';
import { createKey } from '#repositories/keys/keys.ts';
import { findErasure } from '#repositories/personal-data/erased-subjects.ts';
import { placeHold, releaseHolds } from '#repositories/personal-data/legal-holds.ts';
import { personRows } from '#repositories/personal-data/person-rows.ts';
import { createUser, findUser, type User } from '#repositories/users.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { makeFirm, makeItem } from '#test/support/scenario.ts';
import { tablesWith as tablesIn } from '#test/support/traces.ts';
import { Browser, expectRefusal } from '../portal-server/browser.ts';
import { makeMember, makeOperator, makeOwner, newEmail, PASSWORD, signedIn } from '../portal-server/people.ts';

const actor = { kind: 'operator', id: 'test' } as const;
const settings = { portalUrl: null, noticeDays: 30 };
const ALL = { group: null, since: null, until: null };

let gateway: TestGateway;
let database: Database;
beforeAll(async () => {
  gateway = await startGateway();
  ({ database } = gateway);
});
afterAll(() => gateway.stop());

const erase = (id: string, reason = 'Has left') => eraseUser(database, { id, reason, actor }, settings);

const tablesWith = (text: string) => tablesIn(database, text);

/** A firm with an administrator and an invited member, who has a unique name and has created a key. */
async function makeTeam(): Promise<{ firm: Firm; administrator: User; member: User; name: string }> {
  const firm = await makeFirm(database);
  const administrator = await makeMember(database, firm);
  const email = newEmail();
  const name = `Named ${email.split('@')[0]}`;
  await inviteMember(database, firm.id, { email, name, role: 'developer' }, actor);
  const member = await makeMember(database, firm, email);
  await database.query({ text: 'update users set name = $1 where id = $2', values: [name, member.id] });
  await setFirmRole(database, firm.id, member.id, 'developer', actor);
  const { text: _, ...secret } = makeKeySecret('sandbox');
  await createKey(
    database,
    { firmId: firm.id, name: 'Key', environment: 'sandbox', scopes: ALL_SCOPES, expiresAt: null, secret },
    { kind: 'firm_member', id: member.id },
    { maxKeys: 10, lifetimeDays: null },
  );
  return { firm, administrator, member, name };
}

it('a person who signs in during an erasure does not make it fail', async () => {
  const owner = await makeOwner(database);
  const { id } = await makeItem(database, owner);
  const account = await accountOfUser(database, owner.id);
  let acts: Promise<unknown>[] = [];
  await database.transaction(async (sql) => {
    // The erasure has locked the person, and waits for the portfolio.
    await sql.query({ text: 'select from items where id = $1 for update', values: [id] });
    acts = [eraseClient(database, { id: owner.id, reason: 'Wishes it', actor }, settings)];
    await untilBlocked(database);
    // What a sign-in stores after it has verified the password.
    const session = `insert into portal_sessions (id, account_id, session_token, acting_user_id, expires_at)
      values ($1, $2, $1, $3, now() + interval '1 hour')`;
    acts.push(
      database.transaction(async (other) => {
        // It has looked for a deadlock before the erasure goes on, so that only the erasure could find one.
        await other.query({ text: `set local deadlock_timeout = '1ms'` });
        await other.query({ text: session, values: [newId('session'), account?.id, owner.id] });
      }),
    );
    await untilBlocked(database, 2);
    await sleep(100);
  });
  const [erased, signedIn] = await Promise.allSettled(acts);
  expect([erased?.status, signedIn?.status]).toEqual(['fulfilled', 'rejected']);
  expect(await tablesWith(owner.email)).toEqual([]);
});

describe('an erased member', () => {
  it('is named nowhere, and their acts are in the firm’s record under a pseudonym', async () => {
    const { firm, member, name } = await makeTeam();
    const browser = await signedIn(gateway.url, member);
    expect((await tablesWith(name)).length).toBeGreaterThan(2);
    expect((await tablesWith(member.email)).length).toBeGreaterThan(2);
    const before = await listFirmEvents(database, firm.id, ALL, { size: 100, after: null });
    expect((await erase(member.id)).kind).toBe('user');
    expect(await tablesWith(name)).toEqual([]);
    expect(await tablesWith(member.email)).toEqual([]);
    const after = await listFirmEvents(database, firm.id, ALL, { size: 100, after: null });
    expect(after.slice(1).map(({ id, action }) => [id, action])).toEqual(before.map(({ id, action }) => [id, action]));
    expect(after[0]).toMatchObject({ action: 'member_remove', subject: member.id, details: { name: 'Erased member' } });
    const made = after.find(({ action }) => action === 'key_create');
    expect([made?.actor.name, made?.actorId]).toEqual(['Erased member', member.id]);
    expect((await listMembers(database, firm.id)).map(({ id }) => id)).not.toContain(member.id);
    expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
    await expect(new Browser(gateway.url).signIn(member.email, PASSWORD)).rejects.toThrow();
  });

  it('cannot be created again, while another user may have the address', async () => {
    const { firm, member } = await makeTeam();
    await erase(member.id);
    const again = { role: 'firm_member', email: member.email, name: 'New', firmId: firm.id } as const;
    await expect(createUser(database, { ...again, id: member.id })).rejects.toThrow('was erased');
    expect((await createUser(database, again)).email).toBe(member.email);
    await expect(erase(member.id)).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('has a certificate that does not name them, and states how far the log was', async () => {
    const { member, name } = await makeTeam();
    await appended(database);
    const checkpoint = await newestCheckpoint(database);
    expect(checkpoint).toContain('\n');
    const { certificate } = await erase(member.id);
    const signed = certificateOf(certificate ?? '');
    const [file, keys] = [JSON.stringify(signed), await readKeySet(database)];
    expect(await verifyCertificate(file, keys)).toMatchObject({ subject: member.id, kind: 'user', checkpoint });
    // The same keys sign receipts, and a certificate is none.
    const receipt = JSON.stringify({ receipt: signed.certificate, jws: signed.jws });
    await expect(verifyReceipt(receipt, keys)).rejects.toThrow('what was signed is not a consent receipt');
    for (const text of [name, member.email]) expect(file).not.toContain(text);
  });

  it('keeps an account that is also a client’s', async () => {
    const { firm, member } = await makeTeam();
    const owner = await createUser(database, {
      ...{ role: 'client', email: member.email, name: 'Owner', environment: 'sandbox', reportingCurrency: 'USD' },
    });
    await erase(member.id);
    expect(await findUser(database, owner.id)).toMatchObject({ email: member.email, name: 'Owner' });
    const browser = await signedIn(gateway.url, member);
    const { body } = await browser.get('/portal/auth/me');
    expect(body.identities.map(({ user_id }: { user_id: string }) => user_id)).toEqual([owner.id]);
    const events = await listFirmEvents(database, firm.id, ALL, { size: 100, after: null });
    expect(JSON.stringify(events)).not.toContain(member.email);
  });
});

describe('an earlier address', () => {
  const move = async (user: User): Promise<string> => {
    const email = newEmail();
    await database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, email] });
    return email;
  };

  it('is exported and erased with its account, and erased with the invitation of the member', async () => {
    const owner = await makeOwner(database);
    await new Browser(gateway.url).signIn(owner.email, PASSWORD);
    await move(owner);
    const exported = await Array.fromAsync(personRows(database, owner.id));
    expect(JSON.stringify(exported)).toContain(owner.email);
    await eraseClient(database, { id: owner.id, reason: 'Asked for it', actor }, settings);
    expect(await tablesWith(owner.email)).toEqual([]);

    const firm = await makeFirm(database);
    await makeMember(database, firm);
    const [email, name] = [newEmail(), `Named ${newId('user')}`];
    const { id } = await inviteMember(database, firm.id, { email, name, role: 'developer' }, actor);
    const link = await linkInvitation(database, id);
    await joinFirm(database, { token: link?.token ?? '', name, passwordHash: await hashPassword(PASSWORD) });
    const [member] = await listMembers(database, firm.id).then((all) => all.filter((one) => one.email === email));
    const now = await move(member as never);
    // The firm invites another person by the address, which is free.
    const next = newEmail();
    const moved = await inviteMember(database, firm.id, { email, name: next, role: 'auditor' }, actor);
    await erase(member?.id ?? '');
    // By the hash of its link, a mail would tell whose invitation it was.
    const linkHash = hash('sha256', link?.token ?? '');
    for (const text of [name, now, linkHash]) expect(await tablesWith(text)).toEqual([]);
    expect(await tablesWith(next)).toEqual(['firm_events', 'firm_invitations']);
    const open = await listInvitations(database, firm.id);
    expect(open.map((one) => [one.id, one.email])).toEqual([[moved.id, email]]);
  });

  it('stays as long as another user has it or had it', async () => {
    const owner = await makeOwner(database);
    const twin = await makeOwner(database, owner.email, 'sandbox');
    await move(owner);
    await eraseClient(database, { id: owner.id, reason: 'Asked for it', actor }, settings);
    await new Browser(gateway.url).signIn(twin.email, PASSWORD);
    const other = await makeOwner(database);
    const another = await makeOwner(database, other.email, 'sandbox');
    for (const one of [other, another]) await move(one);
    await eraseClient(database, { id: other.id, reason: 'Asked for it', actor }, settings);
    expect(await tablesWith(other.email)).toContain('portal_accounts');
    await eraseClient(database, { id: another.id, reason: 'Asked for it', actor }, settings);
    expect(await tablesWith(other.email)).toEqual([]);
  });
});

it('an erasure waits for a transaction on the firm’s members and does not block it', async () => {
  const { firm, member } = await makeTeam();
  let erased: Promise<unknown> | undefined;
  await database.transaction(async (sql) => {
    await lockFirmFor(sql, firm.id, actor, 'administrator');
    erased = erase(member.id);
    await untilBlocked(database);
    await sql.query({ text: `update users set firm_role = 'auditor' where id = $1`, values: [member.id] });
  });
  await erased;
});

describe('an erasure of a user is refused', () => {
  it('for a firm’s last administrator, under a legal hold, for a client, and if the reason names them', async () => {
    const { administrator, member, firm } = await makeTeam();
    await expect(erase(administrator.id)).rejects.toMatchObject({ code: 'last_administrator' });
    await placeHold(database, member.id, { reason: 'A dispute', endsAt: null }, actor);
    await expect(erase(member.id)).rejects.toThrow('legal hold');
    expect(await releaseHolds(database, member.id, actor)).toBe(1);
    await expect(erase(member.id, `Asked by ${member.email.toUpperCase()}`)).rejects.toThrow('The reason is kept');
    const owner = await makeOwner(database);
    await expect(erase(owner.id)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect((await listMembers(database, firm.id)).length).toBe(2);
    await erase(member.id);
  });

  it('for a short name as a word of the reason, and not as part of a word', async () => {
    const { member } = await makeTeam();
    await database.query({ text: `update users set name = 'Ed' where id = $1`, values: [member.id] });
    await expect(erase(member.id, 'Ed has left')).rejects.toThrow('The reason is kept');
    await expect(erase(member.id, 'Left (ed)')).rejects.toThrow('The reason is kept');
    expect(await erase(member.id, 'Asked for it')).toMatchObject({ reason: 'Asked for it' });
  });

  it('under a legal hold only until it ends', async () => {
    const { member } = await makeTeam();
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    await placeHold(database, member.id, { reason: 'A dispute', endsAt: soon }, actor);
    await expect(erase(member.id)).rejects.toThrow(soon);
    await database.query({
      text: `update legal_holds set ends_at = now_ms() - interval '1 second' where user_id = $1`,
      values: [member.id],
    });
    await erase(member.id);
  });
});

it('a hold is released once, not after its end, and not placed on an erased person', async () => {
  const { member } = await makeTeam();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await placeHold(database, member.id, { reason: 'A dispute', endsAt: null }, actor);
  expect(await releaseHolds(database, member.id, actor)).toBe(1);
  await placeHold(database, member.id, { reason: 'Another', endsAt: soon }, actor);
  await database.query({
    text: `update legal_holds set ends_at = now_ms() - interval '1 second' where user_id = $1 and ends_at is not null`,
    values: [member.id],
  });
  expect(await releaseHolds(database, member.id, { kind: 'operator', id: 'another' })).toBe(0);
  const holds = await database.query({
    text: 'select reason, released_by from legal_holds where user_id = $1 order by id',
    values: [member.id],
  });
  expect(holds).toEqual([
    { reason: 'A dispute', released_by: 'operator:test' },
    { reason: 'Another', released_by: null },
  ]);
  await erase(member.id);
  const late = placeHold(database, member.id, { reason: 'Too late', endsAt: null }, actor);
  await expect(late).rejects.toMatchObject({ code: 'resource_not_found' });
});

it('a user of operations can be erased as well', async () => {
  const operator = await makeOperator(database);
  await erase(operator.id);
  expect(await tablesWith(operator.email)).toEqual([]);
  expect(await findUser(database, operator.id)).toMatchObject({ name: 'Erased operator' });
});

it('an account created for a user during their erasure does not have their address', async () => {
  const { id, email } = await makeOwner(database);
  const { made } = await database.transaction(async (sql) => {
    await (await eraseClientWithin(sql, { id, reason: 'Asked for it', actor }, settings))();
    const making = accountOfUser(database, id);
    await untilBlocked(database);
    return { made: making };
  });
  await made;
  expect(await tablesWith(email)).toEqual([]);
});

describe('an erasure that is in the revocation journal and not in the database', () => {
  const journalLine = (id: string, kind: string) => ({
    ...{ id: randomUUID(), seq: 1, at: new Date().toISOString(), table_name: 'erased_subjects', row_id: id },
    ...{ changed: null, terms: { kind, grants_end_at: null } },
  });
  const repeat = (...revocations: ReturnType<typeof journalLine>[]) =>
    database.transaction((sql) => repeatForgotten(sql, revocations));

  it('is repeated once: of members, of whole firms and of users that do not exist', async () => {
    const { firm, administrator, member, name } = await makeTeam();
    const lines = [journalLine(member.id, 'user'), journalLine(administrator.id, 'user'), journalLine(firm.id, 'firm')];
    const absent = journalLine(newId('user'), 'client');
    expect(await repeat(...lines, absent)).toBe(4);
    for (const text of [name, member.email, administrator.email]) expect(await tablesWith(text)).toEqual([]);
    expect((await findErasure(database, absent.row_id))?.kind).toBe('client');
    const keys = 'select revoked_by from api_keys where firm_id = $1';
    expect(await database.query({ text: keys, values: [firm.id] })).toEqual([{ revoked_by: 'system:restore' }]);
    expect(await repeat(...lines, absent)).toBe(0);
    await expect(erase(member.id)).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('of a firm is repeated before a concurrent erasure of a member', async () => {
    const { firm, member } = await makeTeam();
    let erased: Promise<unknown> | undefined;
    await database.transaction(async (sql) => {
      await repeatForgotten(sql, [journalLine(firm.id, 'firm')]);
      erased = erase(member.id);
      await untilBlocked(database);
      await repeatForgotten(sql, [journalLine(newId('user'), 'user')]);
    });
    expect(await erased).toMatchObject({ kind: 'user' });
  });

  it('leaves no time zone that the member’s browser reports meanwhile', async () => {
    const { member } = await makeTeam();
    const { noted } = await database.transaction(async (sql) => {
      await repeatForgotten(sql, [journalLine(member.id, 'user')]);
      const noted = noteZone(database, member.id, 'Europe/Zurich');
      await untilBlocked(database);
      return { noted };
    });
    await noted;
    expect(await findZone(database, member.id)).toBeNull();
  });
});
