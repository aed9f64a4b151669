// Repositories: withdraws invitations, with an event for each in the firm's record.
import type { Actor } from '#core/actor.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import type { Sql } from '#database/database.ts';
import { lockFirm } from '../firms.ts';
import { lockImports } from '../import-lock.ts';
import { recordFirmEvent } from './firm-events.ts';

/**
 * Withdraws the firm's open invitations whose `column` has the value, and voids their links. Returns how many there
 * were.
 */
export async function withdrawInvitations(
  sql: Sql,
  firmId: string,
  [column, value]: [column: 'id' | 'invited_by' | 'firm_id', value: string],
  actor: Actor,
): Promise<number> {
  const ended = await sql.query<{ id: string; name: string; email: string; role: FirmRole }>({
    text: `update firm_invitations set ended_at = now_ms(), outcome = 'withdrawn'
      where firm_id = $1 and ${column} = $2 and ended_at is null returning id, name, email, role`,
    values: [firmId, value],
  });
  for (const { id: subject, ...details } of ended)
    await recordFirmEvent(sql, { firmId, actor, action: 'member_invitation_withdraw', subject, details });
  return ended.length;
}

/** Withdraws the open invitations of all firms. Returns how many there were. */
export async function withdrawEveryInvitation(sql: Sql, actor: Actor): Promise<number> {
  // Erasures lock a person's firm before their invitations to others. The reverse order could deadlock.
  await lockImports(sql);
  const text = 'select distinct firm_id as id from firm_invitations where ended_at is null order by 1';
  const firms = await sql.query<{ id: string }>({ text });
  let ended = 0;
  for (const { id } of firms) {
    await lockFirm(sql, id);
    ended += await withdrawInvitations(sql, id, ['firm_id', id], actor);
  }
  return ended;
}
