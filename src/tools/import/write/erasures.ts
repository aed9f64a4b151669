// Tools: lines that delete firms and users: who they are is erased, and their ids do not come back.
import type { Sql } from '#database/database.ts';
import { TABLES } from '../kinds.ts';
import type { Writer } from './merge.ts';

export type ErasedKind = 'firms' | 'users';

/** Erases one that is there, in the import's transaction. */
export type Erase = (sql: Sql, kind: ErasedKind, id: string) => Promise<void>;

/** Erases whom the lines name, and remembers the ids of those who never were. Returns how many were there. */
export async function eraseRows(writer: Writer, kind: ErasedKind, erase: Erase | undefined): Promise<number> {
  const { sql } = writer;
  const named = await sql.query<{ id: string }>({
    text: `select s.id from staged_${kind} s join ${TABLES[kind]} t on t.id = s.id
      where s.deleted and not exists (select from erased_subjects e where e.id = s.id) order by s.line`,
  });
  if (named.length > 0 && erase === undefined) throw new Error(`nobody said how ${kind} are erased`);
  let erased = 0;
  for (const { id } of named) {
    await erase?.(sql, kind, id);
    erased += 1;
  }
  await sql.query({
    text: `insert into erased_subjects (id, kind, actor, reason, finished_at)
      select id, $1, 'system:import', 'Deleted by an import', now_ms() from staged_${kind} where deleted on conflict do nothing`,
    values: [kind === 'firms' ? 'firm' : 'user'],
  });
  await sql.query({ text: `delete from staged_${kind} where deleted` });
  return erased;
}
