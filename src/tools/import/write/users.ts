// Tools: what must be done before users are written.
import type { Sql } from '#database/database.ts';
import { lockAccounts } from '#repositories/accounts/account-lock.ts';
import { withdrawInvitationsOf } from '#repositories/firms/members.ts';
import { lockFirmFor } from '#repositories/firms.ts';

/**
 * Locks the accounts at addresses that are given or taken, before the users, as acts of the portal do. The reverse order
 * could deadlock.
 */
export const lockAddresses = (sql: Sql): Promise<void> =>
  lockAccounts(
    sql,
    `select a.id from staged_users s left join users u using (id)
      join portal_accounts a on a.email in (lower(u.email), lower(s.email))
      where lower(u.email) is distinct from lower(s.email)`,
    [],
  );

/**
 * Frees addresses that move to other users in the same import, so that users may swap them. The temporary address gets
 * no notice (Migration0047AddressesMoved).
 */
export async function freeAddresses(sql: Sql): Promise<void> {
  await sql.query({
    text: `update users u set email = u.id || '@moving' from staged_users s
      where u.id = s.id and (lower(u.email), u.environment) is distinct from (lower(s.email), s.environment)
        and exists (select from staged_users o where o.id <> u.id and lower(o.email) = lower(u.email)
          and o.role = u.role and o.environment is not distinct from u.environment)`,
  });
}

/** A member who moves to another firm no longer administers the previous one: their invitations there are withdrawn. */
export async function withdrawInvitations(sql: Sql): Promise<void> {
  const actor = { kind: 'system', id: 'import' } as const;
  const moving = await sql.query<{ id: string; firmId: string }>({
    text: `select u.id, u.firm_id as "firmId" from users u join staged_users s using (id)
      where u.firm_id <> s.firm_id order by u.firm_id, u.id`,
  });
  for (const { id, firmId } of moving) {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    await withdrawInvitationsOf(sql, firmId, id, actor);
  }
}
