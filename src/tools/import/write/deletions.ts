// Tools: lines that delete, and rows that were deleted before.
import { DELETABLE, type Kind, TABLES } from '../kinds.ts';
import type { Writer } from './merge.ts';

/** Remembers the ids in deleting lines, even unknown ones, and removes these lines from the staging. */
export async function rememberDeleted(writer: Writer, kind: Kind): Promise<void> {
  for (const text of [
    `create temporary table leaving_${kind} on commit drop as select id from staged_${kind} where deleted`,
    `insert into deleted_ids (id) select id from leaving_${kind} on conflict do nothing`,
    `delete from staged_${kind} where deleted`,
  ])
    await writer.sql.query({ text });
}

/** Deletes the rows with the remembered ids. Returns how many there were. */
export const deleteRows = (writer: Writer, kind: Kind): Promise<number> =>
  writer.count(`delete from ${TABLES[kind]} t using leaving_${kind} l where t.id = l.id returning 1`);

/** Removes rows from the staging that must not come back, once all deleted ids are remembered. Returns how many. */
export async function skipDeleted(writer: Writer, kind: Kind): Promise<number> {
  if (!DELETABLE.includes(kind)) return 0;
  const asset =
    kind === 'valuations' || kind === 'documents'
      ? 'or exists (select from deleted_ids d where d.id = s.asset_id)'
      : '';
  return writer.count(
    `delete from staged_${kind} s where exists (select from deleted_ids d where d.id = s.id) ${asset} returning 1`,
  );
}
