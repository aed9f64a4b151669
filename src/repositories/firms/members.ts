// Repositories: a firm's members and their roles, and the recorded changes of both.
import { type Actor, actorText } from '#core/actor.ts';
import { Refusal, refuse } from '#core/errors.ts';
import { FIRM_ROLES, type FirmRole } from '#core/firm-roles.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow, hasRows } from '#database/rows.ts';
import { lockFirmFor } from '../firms.ts';
import { normaliseAddress } from '../input-checks.ts';
import { IS_MEMBER } from '../status-sql.ts';
import { recordFirmEvent } from './firm-events.ts';
import { withdrawInvitations } from './withdrawn-invitations.ts';

export interface FirmMember {
  id: string;
  name: string;
  email: string;
  role: FirmRole;
  createdAt: string;
  /** Last use of one of the member's open sessions, exact to a quarter of an hour; null if there is none. */
  lastSeenAt: string | null;
  /** Whether sign-in asks for an authenticator app's code after the password. */
  authenticatorApp: boolean;
  passkeys: number;
}

const MEMBERS = `
select m.id, m.name, m.email, m.firm_role as role, m.created_at as "createdAt",
  (select max(s.updated_at) from portal_sessions s where s.acting_user_id = m.id and s.expires_at > now_ms()) as "lastSeenAt",
  coalesce(a.two_factor_enabled, false) as "authenticatorApp",
  (select count(*)::int from portal_passkeys p where p.account_id = a.id) as passkeys
from users m left join portal_accounts a on a.email = lower(m.email)
where m.firm_id = $1 and ${IS_MEMBER}`;

/** Administrators first, then by name. */
export function listMembers(sql: Sql, firmId: string): Promise<FirmMember[]> {
  const text = `${MEMBERS} order by array_position($2::text[], m.firm_role), m.name, m.id`;
  return sql.query<FirmMember>({ text, values: [firmId, FIRM_ROLES] });
}

/** The present member with this id or e-mail address, which at most one has; null if there is none. */
export function memberCalled(sql: Sql, idOrEmail: string): Promise<{ id: string; firmId: string } | null> {
  const text = `select m.id, m.firm_id as "firmId" from users m
    where (m.id = $1 or lower(m.email) = lower($1)) and ${IS_MEMBER}`;
  return findRow(sql, { text, values: [normaliseAddress(idOrEmail)] });
}

/** Throws Refusal `resource_not_found` if the firm has no such member. */
export async function requireMember(sql: Sql, firmId: string, id: string): Promise<FirmMember> {
  const [member] = await sql.query<FirmMember>({ text: `${MEMBERS} and m.id = $2`, values: [firmId, id] });
  return member ?? refuse('resource_not_found', `There is no member ${id}.`);
}

/** Requires the firm's lock. Throws Refusal `last_administrator` if there is no other administrator. */
async function requireAnotherAdministrator(sql: Sql, firmId: string, id: string): Promise<void> {
  const text = `select 1 from users m where m.firm_id = $1 and m.id <> $2 and ${IS_MEMBER} and m.firm_role = 'administrator' limit 1`;
  if (!(await hasRows(sql, { text, values: [firmId, id] }))) throw new Refusal('last_administrator');
}

/** Takes effect with the member's next request. Setting the same role again does nothing. */
export function setFirmRole(
  database: Transactions,
  firmId: string,
  id: string,
  role: FirmRole,
  actor: Actor,
): Promise<FirmMember> {
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    const before = await requireMember(sql, firmId, id);
    if (before.role === role) return before;
    if (before.role === 'administrator') await requireAnotherAdministrator(sql, firmId, id);
    await sql.query({ text: 'update users set firm_role = $2 where id = $1', values: [id, role] });
    const details = { name: before.name, email: before.email, from: before.role, to: role };
    await recordFirmEvent(sql, { firmId, actor, action: 'member_role', subject: id, details });
    if (role !== 'administrator') await withdrawInvitationsOf(sql, firmId, id, actor);
    return { ...before, role };
  });
}

/** Requires the firm's lock. Needed because an administrator may have invited an address of their own. */
export const withdrawInvitationsOf = (sql: Sql, firmId: string, id: string, actor: Actor) =>
  withdrawInvitations(sql, firmId, ['invited_by', actorText({ kind: 'firm_member', id })], actor);

/**
 * Takes effect at once: ends the member's sessions, prevents new ones, and withdraws their open invitations. Their name
 * stays in records.
 */
export function removeMember(database: Transactions, firmId: string, id: string, actor: Actor): Promise<FirmMember> {
  return database.transaction((sql) => removeMemberInTransaction(sql, firmId, id, actor));
}

/**
 * Like `removeMember`, within a transaction of the caller. With `unadministered` the firm may be left without an
 * administrator.
 */
export async function removeMemberInTransaction(
  sql: Sql,
  firmId: string,
  id: string,
  actor: Actor,
  { unadministered = false }: { unadministered?: boolean } = {},
): Promise<FirmMember> {
  await lockFirmFor(sql, firmId, actor, 'administrator');
  const member = await requireMember(sql, firmId, id);
  if (member.role === 'administrator' && !unadministered) await requireAnotherAdministrator(sql, firmId, id);
  await sql.query({ text: 'update users set removed_at = now_ms() where id = $1', values: [id] });
  await sql.query({ text: 'delete from portal_sessions where acting_user_id = $1', values: [id] });
  const details = { name: member.name, email: member.email, role: member.role };
  await recordFirmEvent(sql, { firmId, actor, action: 'member_remove', subject: id, details });
  await withdrawInvitationsOf(sql, firmId, id, actor);
  return member;
}

/** Ends a membership that has not ended, without a record. Does nothing for other users. */
export async function endMembership(sql: Sql, id: string): Promise<void> {
  const text = `update users set removed_at = coalesce(removed_at, now_ms()) where id = $1 and role = 'firm_member'`;
  await sql.query({ text, values: [id] });
}

export async function findFirmSettings(sql: Sql, firmId: string): Promise<{ secondFactorRequired: boolean }> {
  const text = 'select second_factor_required as "secondFactorRequired" from firms where id = $1';
  const [settings] = await sql.query<{ secondFactorRequired: boolean }>({ text, values: [firmId] });
  return settings ?? refuse('resource_not_found', `There is no firm ${firmId}.`);
}

/** Sets whether members need a second factor, from their next request on. */
export function requireSecondFactor(
  database: Transactions,
  firmId: string,
  required: boolean,
  actor: Actor,
): Promise<void> {
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    const text =
      'update firms set second_factor_required = $2 where id = $1 and second_factor_required <> $2 returning 1';
    if (await hasRows(sql, { text, values: [firmId, required] }))
      await recordFirmEvent(sql, { firmId, actor, action: 'second_factor_requirement', details: { required } });
  });
}
