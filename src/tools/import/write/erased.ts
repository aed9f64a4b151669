// Tools: removes rows of erased persons before anything is checked. Their ids do not come back.
import type { Sql } from '#database/database.ts';
import { type Kind, TABLES } from '../kinds.ts';

/**
 * Removes them from the staging. Returns how many of each kind. Rows that depend on their assets are skipped like those
 * of deleted assets.
 */
export async function skipErased(sql: Sql): Promise<Partial<Record<Kind, number>>> {
  const count = async (text: string): Promise<number> => (await sql.query({ text: `${text} returning 1` })).length;
  const erased = (column: string) => `exists (select from erased_subjects e where e.id = s.${column})`;
  const skipped: Partial<Record<Kind, number>> = {
    firms: await count(`delete from staged_firms s where ${erased('id')}`),
    users: await count(`delete from staged_users s where ${erased('id')} or ${erased('firm_id')}`),
  };
  for (const kind of ['collections', 'assets'] as const) {
    // A row of another client stays theirs; the line is an error.
    const theirs = `${erased('client_id')} and not exists (
      select from ${TABLES[kind]} t where t.id = s.id and t.client_id <> s.client_id)`;
    await sql.query({
      text: `insert into deleted_ids (id) select distinct id from staged_${kind} s
        where s.id is not null and ${theirs} on conflict do nothing`,
    });
    skipped[kind] = await count(`delete from staged_${kind} s where ${theirs}`);
  }
  return skipped;
}
