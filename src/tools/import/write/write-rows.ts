// Tools: writes all staged rows to the tables, in the order of the files.
import type { Sql } from '#database/database.ts';
import { DELETABLE, ERASABLE, KINDS, type Kind, TABLES } from '../kinds.ts';
import type { Progress } from '../progress.ts';
import { writeInternalNotes } from './assets.ts';
import { deleteRows, rememberDeleted, skipDeleted } from './deletions.ts';
import { type Erase, eraseRows } from './erasures.ts';
import { type Counts, isChanged, Writer } from './merge.ts';
import { MERGES } from './merges.ts';

/** Number of new rows after which the planner's statistics are worth updating. */
const WORTH_ANALYZING = 1_000;

/**
 * Locks all firms that are changed or erased, and those that lose members. Before any person, as acts of the portal do:
 * the reverse order could deadlock.
 */
async function lockFirms(sql: Sql): Promise<void> {
  const text = `select from firms t
    where exists (select from staged_firms s where s.id = t.id and (s.deleted or ${isChanged(MERGES.firms)}))
      or t.id in (select u.firm_id from users u join staged_users s using (id)
        where s.deleted or u.firm_id <> s.firm_id)
    order by t.id for no key update`;
  await sql.query({ text });
}

/** `erased`: number of rows of each kind that were skipped before; `erase`: erases firms and users. */
export async function writeRows(
  sql: Sql,
  progress: Progress,
  { erased, erase }: { erased: Partial<Record<Kind, number>>; erase: Erase | undefined },
): Promise<Record<Kind, Counts>> {
  await lockFirms(sql);
  const writer = new Writer(sql, progress);
  const deleted = {} as Record<Kind, number>;
  const followUps: (() => Promise<unknown>)[] = [];
  for (const kind of ERASABLE) deleted[kind] = await eraseRows(writer, kind, { erase, rests: followUps });
  for (const kind of DELETABLE) await rememberDeleted(writer, kind);
  const written = {} as Record<Kind, { inserted: number; skipped: number }>;
  for (const kind of KINDS) {
    const skipped = (erased[kind] ?? 0) + (await skipDeleted(writer, kind));
    const inserted = await writer.merge(kind, MERGES[kind]);
    written[kind] = { inserted, skipped };
    if (inserted > WORTH_ANALYZING) await sql.query({ text: `analyze ${TABLES[kind]}` });
  }
  // Runs after rows have moved to other items, since deleting an item deletes its dependent rows.
  for (const kind of DELETABLE) deleted[kind] = await deleteRows(writer, kind);
  await writeInternalNotes(writer);
  const counts = {} as Record<Kind, Counts>;
  for (const kind of KINDS) {
    const staged = await writer.count(`select from staged_${kind}`);
    const updated = await writer.count(`select from changed_${kind}`);
    const { inserted, skipped } = written[kind];
    const unchanged = staged - inserted - updated;
    counts[kind] = { inserted, updated, unchanged, deleted: deleted[kind] ?? 0, skipped };
  }
  for (const rest of followUps) await rest();
  return counts;
}
