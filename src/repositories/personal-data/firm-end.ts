// Repositories: the end of a firm: nothing of it works any more, but the record of its access stays.
import { type Actor, actorText } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';
import { readColumn } from '#database/rows.ts';
import { lockFirm } from '../firms.ts';
import { endGrants } from '../grants/grant-end.ts';
import { lockImports } from '../import-lock.ts';
import { erasedEmail, GRANT_ACTIVE, GRANT_OPEN } from '../status-sql.ts';

/**
 * Locks the firm until the transaction ends. Returns the ids of its users, including removed but not erased ones; null
 * without such a firm.
 */
export async function lockFirmToEnd(sql: Sql, id: string): Promise<string[] | null> {
  // Locked before the firm, as for a person (lockPerson). The reverse order could deadlock.
  await lockImports(sql);
  if (!(await lockFirm(sql, id))) return null;
  const text = `select m.id from users m where m.firm_id = $1
    and not exists (select from erased_subjects e where e.id = m.id) order by m.id`;
  return readColumn(sql, { text, values: [id] });
}

/** Records each step. */
export async function endFirm(sql: Sql, id: string, actor: Actor): Promise<void> {
  const by = actorText(actor);
  // Before the grants: a grant or request that is just being made locks its key, and one made later is refused.
  await sql.query({
    text: `with mine as (
        select id from api_keys where firm_id = $1 and revoked_at is null order by id for no key update),
      revoked as (
        update api_keys k set revoked_at = now_ms(), revoked_by = $2 from mine where k.id = mine.id returning k.id)
      insert into key_events (key_id, actor, action) select id, $2, 'revoke' from revoked`,
    values: [id, by],
  });
  const where = `g.lineage_id in (select lineage_id from api_keys where firm_id = $1) and (${GRANT_ACTIVE} or ${GRANT_OPEN})`;
  await sql.query({
    text: `with ${endGrants({ where, actor: '$2', pending: 'withdrawn' })} select from ended`,
    values: [id, by],
  });
  await sql.query({ text: `update firms set plan = 'none', plan_active = false where id = $1`, values: [id] });
  // Its test clients are of no use to others. Their rows stay, for the record.
  for (const text of [
    'delete from items i using users u where u.id = i.client_id and u.test_firm_id = $1',
    'delete from collections c using users u where u.id = c.client_id and u.test_firm_id = $1',
    'update users set deleted_at = now_ms() where test_firm_id = $1 and deleted_at is null',
  ])
    await sql.query({ text, values: [id] });
  await sql.query({ text: 'delete from firm_identities where firm_id = $1', values: [id] });
  await sql.query({
    text: `update firm_invitations set email = ${erasedEmail('id')}, name = 'Erased', link_hash = null,
      ended_at = coalesce(ended_at, now_ms()), outcome = coalesce(outcome, 'withdrawn') where firm_id = $1`,
    values: [id],
  });
  await sql.query({
    text: `update firm_events set details = details - 'name' - 'email' where firm_id = $1 and action like 'member\\_%'`,
    values: [id],
  });
}
