// Tools: lines that delete, and rows that were deleted earlier.
import { DELETABLE, type Kind, TABLES } from '../kinds.ts';
import type { Writer } from './merge.ts';

/** Deletes what the lines name and remembers their ids, also those that never were. Returns the rows deleted. */
export async function deleteRows(writer: Writer, kind: Kind): Promise<number> {
  const deleted = await writer.count(
    `delete from ${TABLES[kind]} t using staged_${kind} s where s.deleted and t.id = s.id returning 1`,
  );
  await writer.count(
    `insert into deleted_ids (id) select id from staged_${kind} where deleted on conflict do nothing returning 1`,
  );
  await writer.sql.query({ text: `delete from staged_${kind} where deleted` });
  return deleted;
}

/** Takes rows out of the staging that must not come back. Returns how many. Call it when all deletions are done. */
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
