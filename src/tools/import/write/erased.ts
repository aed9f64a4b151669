// Tools: rows of whom was erased: they are taken out before anything is checked, and their ids do not come back.
import type { Sql } from '#database/database.ts';
import { type Kind, TABLES } from '../kinds.ts';

/** Takes them out of the staging. Returns how many of each kind; what hangs on their assets is skipped as that of deleted ones. */
export async function skipErased(sql: Sql): Promise<Partial<Record<Kind, number>>> {
  const count = async (text: string): Promise<number> => (await sql.query({ text: `${text} returning 1` })).length;
  const erased = (column: string) => `exists (select from erased_subjects e where e.id = s.${column})`;
  const skipped: Partial<Record<Kind, number>> = {
    firms: await count(`delete from staged_firms s where ${erased('id')}`),
    users: await count(`delete from staged_users s where ${erased('id')} or ${erased('firm_id')}`),
  };
  for (const kind of ['collections', 'assets'] as const) {
    // A row of somebody else stays theirs; the line is a fault.
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
