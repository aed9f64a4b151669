// Repositories: invitations to become a firm's member. Their links are sent by mail only, so that only a person who
// reads the mail of an address can become a member with that address.
import { randomBytes } from 'node:crypto';
import { type Actor, actorText } from '#core/actor.ts';
import { Refusal, refuse } from '#core/errors.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import { newId } from '#core/ids.ts';
import { INVITATION_DAYS } from '#core/periods.ts';
import { sha256 } from '#core/sha256.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow, hasRows, readRow } from '#database/rows.ts';
import { lockAccountsAt } from '../accounts/account-lock.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import { lockFirm, lockFirmFor } from '../firms.ts';
import { requireEmail, requireName } from '../input-checks.ts';
import { IS_MEMBER } from '../status-sql.ts';
import { recordFirmEvent } from './firm-events.ts';
import { withdrawInvitations } from './withdrawn-invitations.ts';

export interface Invited {
  email: string;
  name: string;
  role: FirmRole;
}

export interface Invitation extends Invited {
  id: string;
  inviter: NamedActor;
  createdAt: string;
  expiresAt: string;
  expired: boolean;
}

const COLUMNS = `i.id, i.email, i.name, i.role, ${namedActor('i.invited_by')} as inviter, i.created_at as "createdAt",
  i.expires_at as "expiresAt", i.expires_at <= now_ms() as expired`;

/** Open invitations, newest first. */
export function listInvitations(sql: Sql, firmId: string): Promise<Invitation[]> {
  const text = `select ${COLUMNS} from firm_invitations i where i.firm_id = $1 and i.ended_at is null
    order by i.created_at desc, i.id desc`;
  return sql.query<Invitation>({ text, values: [firmId] });
}

/**
 * Invites for INVITATION_DAYS. Voids an open invitation to the same address, and its link. Does not reveal whether the
 * address has an account.
 */
export function inviteMember(
  database: Transactions,
  firmId: string,
  { email: given, name, role }: Invited,
  actor: Actor,
): Promise<Invitation> {
  const email = requireEmail(given.trim()).toLowerCase();
  requireName(name, 'name');
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    const text = `select 1 from users m where m.firm_id = $1 and lower(m.email) = $2 and ${IS_MEMBER}`;
    if (await hasRows(sql, { text, values: [firmId, email] }))
      throw new Refusal('already_exists', { message: `${email} is already a member.`, param: 'email' });
    await sql.query({
      text: `update firm_invitations set ended_at = now_ms(), outcome = 'withdrawn'
        where firm_id = $1 and email = $2 and ended_at is null`,
      values: [firmId, email],
    });
    const id = newId('invitation');
    await sql.query({
      text: `insert into firm_invitations (id, firm_id, email, name, role, invited_by, expires_at)
        values ($1, $2, $3, $4, $5, $6, now_ms() + interval '${INVITATION_DAYS} days')`,
      values: [id, firmId, email, name, role, actorText(actor)],
    });
    await sql.query({
      text: `insert into notices (kind, recipient, subject, occurrence) values ('member_invited', $1, $1, '')`,
      values: [id],
    });
    await recordFirmEvent(sql, {
      ...{ firmId, actor, action: 'member_invite', subject: id },
      details: { name, email, role },
    });
    return readRow<Invitation>(sql, {
      text: `select ${COLUMNS} from firm_invitations i where i.id = $1`,
      values: [id],
    });
  });
}

/**
 * Voids the invitation's link. Throws Refusal `resource_not_found` if the invitation was answered or is another firm's.
 */
export function withdrawInvitation(database: Transactions, firmId: string, id: string, actor: Actor): Promise<void> {
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    const ended = await withdrawInvitations(sql, firmId, ['id', id], actor);
    if (ended === 0) refuse('resource_not_found', `There is no open invitation ${id}.`);
  });
}

export interface InvitationLink {
  token: string;
  firmName: string;
  role: FirmRole;
  expiresAt: string;
}

/**
 * A new link for the mail about to be sent; voids links of earlier attempts. Null if the invitation is no longer open.
 */
export async function linkInvitation(sql: Sql, id: string): Promise<InvitationLink | null> {
  const token = randomBytes(24).toString('base64url');
  const text = `with linked as (
      update firm_invitations set link_hash = $2 where id = $1 and ended_at is null and expires_at > now_ms() returning *)
    select f.name as "firmName", i.role, i.expires_at as "expiresAt"
    from linked i join firms f on f.id = i.firm_id`;
  const [linked] = await sql.query<Omit<InvitationLink, 'token'>>({ text, values: [id, sha256(token)] });
  return linked === undefined ? null : { token, ...linked };
}

export interface OpenInvitation extends Invited {
  id: string;
  firmId: string;
  firmName: string;
  inviterName: string;
  /** Whether a present user has the address, and its account a password. Otherwise joining deletes one (Migration0053). */
  hasPassword: boolean;
}

/** The invitation of the link; null if it was answered, withdrawn, given a new link, or has expired. */
export function openInvitation(sql: Sql, token: string): Promise<OpenInvitation | null> {
  const text = `select i.id, i.firm_id as "firmId", f.name as "firmName", i.email, i.name, i.role,
      (${namedActor('i.invited_by')}) ->> 'name' as "inviterName",
      exists (select from portal_accounts a join portal_credentials c on c.account_id = a.id
        join users u on lower(u.email) = a.email and u.removed_at is null
        where a.email = i.email and c.password_hash is not null) as "hasPassword"
    from firm_invitations i join firms f on f.id = i.firm_id
    where i.link_hash = $1 and i.ended_at is null and i.expires_at > now_ms()`;
  return findRow(sql, { text, values: [sha256(token)] });
}

/**
 * Makes the person with the link a member, within the transaction in which the caller also creates their account.
 * Throws Refusal `invalid_link`, and `already_exists` if a member of any firm has the address.
 */
export async function acceptInvitation(sql: Sql, token: string, name: string): Promise<{ userId: string }> {
  requireName(name, 'name');
  const linkHash = sha256(token);
  const text = 'select firm_id as "firmId" from firm_invitations where link_hash = $1';
  const [linked] = await sql.query<{ firmId: string }>({ text, values: [linkHash] });
  if (linked === undefined) throw new Refusal('invalid_link');
  const { firmId } = linked;
  // The firm is locked first, as for all changes of its members. The reverse order could deadlock.
  await lockFirm(sql, firmId);
  const [accepted] = await sql.query<Pick<Invited, 'email' | 'role'>>({
    text: `update firm_invitations set ended_at = now_ms(), outcome = 'accepted'
      where link_hash = $1 and ended_at is null and expires_at > now_ms()
      returning email, role`,
    values: [linkHash],
  });
  if (accepted === undefined) throw new Refusal('invalid_link');
  const { email, role } = accepted;
  await lockAccountsAt(sql, email);
  const refuseMember = (): never =>
    refuse('already_exists', `${email} is already a member of a firm. One e-mail address can belong to one firm only.`);
  // A former member gets their old user back, but not their password and passkeys (Migration0053).
  const back = await sql
    .query<{ id: string }>({
      text: `update users set removed_at = null, firm_role = $3, name = $4
        where id = (select id from users where firm_id = $1 and lower(email) = $2 and removed_at is not null
          order by removed_at desc limit 1)
          and not exists (select from users o where lower(o.email) = $2 and o.role = 'firm_member' and o.removed_at is null)
        returning id`,
      values: [firmId, email, role, name],
    })
    .catch((error: { code?: string }) => {
      // The unique index of addresses: the person became a member of another firm at the same moment.
      if (error.code === '23505') return refuseMember();
      throw error;
    });
  const [member = refuseMember()] =
    back.length > 0
      ? back
      : await sql.query<{ id: string }>({
          text: `insert into users (id, email, name, role, firm_id, firm_role) values ($1, $2, $3, 'firm_member', $4, $5)
            on conflict do nothing returning id`,
          values: [newId('user'), email, name, firmId, role],
        });
  const details = { name, email, role };
  const actor = { kind: 'firm_member', id: member.id } as const;
  await recordFirmEvent(sql, { firmId, actor, action: 'member_join', subject: member.id, details });
  return { userId: member.id };
}
