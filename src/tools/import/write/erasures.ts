// Tools: lines that delete firms and users: these are erased, and their ids do not come back.
import type { Sql } from '#database/database.ts';
import { type ERASABLE, TABLES } from '../kinds.ts';
import type { Writer } from './merge.ts';

export type ErasedKind = (typeof ERASABLE)[number];

/**
 * Erases an existing firm or user in the import's transaction. Returns the rest of the work, which is run last because
 * it blocks others until the transaction ends.
 */
export type Erase = (sql: Sql, kind: ErasedKind, id: string) => Promise<(() => Promise<unknown>) | null>;

/**
 * Erases the firms or users that the lines name, and remembers unknown ids. Returns how many existed, and adds to
 * `rests`.
 */
export async function eraseRows(
  writer: Writer,
  kind: ErasedKind,
  { erase, rests }: { erase: Erase | undefined; rests: (() => Promise<unknown>)[] },
): Promise<number> {
  const { sql } = writer;
  const named = await sql.query<{ id: string }>({
    text: `select s.id from staged_${kind} s join ${TABLES[kind]} t on t.id = s.id
      where s.deleted and not exists (select from erased_subjects e where e.id = s.id) order by s.line`,
  });
  if (named.length > 0 && erase === undefined) throw new Error(`the import was given no way to erase ${kind}`);
  for (const { id } of named) {
    const rest = await erase?.(sql, kind, id);
    if (rest != null) rests.push(rest);
  }
  await sql.query({
    text: `insert into erased_subjects (id, kind, actor, reason, finished_at)
      select id, $1, 'system:import', 'Deleted by an import', now_ms() from staged_${kind} s
      where deleted and not exists (select from ${TABLES[kind]} t where t.id = s.id) on conflict do nothing`,
    values: [kind === 'firms' ? 'firm' : 'user'],
  });
  await sql.query({ text: `delete from staged_${kind} where deleted` });
  return named.length;
}
