// Tools: rows of whom was erased: they are taken out before anything is checked, and their ids do not come back.
import type { Sql } from '#database/database.ts';
import type { Kind } from '../kinds.ts';

/** Takes them out of the staging. Returns how many of each kind; what hangs on their assets is skipped as that of deleted ones. */
export async function skipErased(sql: Sql): Promise<Partial<Record<Kind, number>>> {
  const count = async (text: string): Promise<number> => (await sql.query({ text: `${text} returning 1` })).length;
  const erased = (column: string) => `exists (select from erased_subjects e where e.id = s.${column})`;
  const skipped: Partial<Record<Kind, number>> = {
    firms: await count(`delete from staged_firms s where ${erased('id')}`),
    users: await count(`delete from staged_users s where ${erased('id')} or ${erased('firm_id')}`),
  };
  for (const kind of ['collections', 'assets'] as const) {
    await sql.query({
      text: `insert into deleted_ids (id) select distinct id from staged_${kind} s where ${erased('client_id')} on conflict do nothing`,
    });
    skipped[kind] = await count(`delete from staged_${kind} s where ${erased('client_id')}`);
  }
  return skipped;
}
