// Tools: what belongs to assets beside their columns: collections, share links and internal notes.
import type { Writer } from './merge.ts';

// Only differences are written, since every added or removed membership or link marks its item as changed.
export const BELONGINGS = [
  `delete from item_collections m using staged_assets s, present_assets p
   where s.line between $1 and $2 and p.id = s.id and m.item_id = s.id
     and not exists (select from unnest(s.collection_ids) as n(id) where n.id = m.collection_id)
   returning m.item_id as id`,
  `insert into item_collections (item_id, collection_id)
   select m.item_id, m.collection_id from staged_memberships m
   where m.line between $1 and $2 and exists (select from items i where i.id = m.item_id)
     and exists (select from collections c where c.id = m.collection_id)
     and not exists (select from deleted_ids d where d.id = m.collection_id)
   on conflict do nothing returning item_id as id`,
  `delete from share_links l using staged_assets s, present_assets p
   where s.line between $1 and $2 and p.id = s.id and l.item_id = s.id
     and not exists (select from staged_share_links n where n.id = l.id)
   returning l.item_id as id`,
  `insert into share_links as l (id, item_id, label, token, created_at, expires_at)
   select s.id, s.item_id, s.label, s.token, s.created_at, s.expires_at from staged_share_links s
   where s.line between $1 and $2 and exists (select from items i where i.id = s.item_id)
   on conflict (id) do update
     set label = excluded.label, token = excluded.token, created_at = excluded.created_at, expires_at = excluded.expires_at
     where (l.label, l.token, l.created_at, l.expires_at)
       is distinct from (excluded.label, excluded.token, excluded.created_at, excluded.expires_at)
   returning item_id as id`,
];

/**
 * Writes `internal_notes` of existing items. Last, because it is cheaper: after a write that stamps nothing,
 * `touch_items` can no longer leave out items that the transaction has stamped already.
 */
export async function writeInternalNotes(writer: Writer): Promise<void> {
  await writer.slices('assets', 'Writing internal notes', (range) =>
    writer.noteChanged(
      'assets',
      `update items t set internal_notes = s.internal_notes from staged_assets s, present_assets p
       where s.line between $1 and $2 and p.id = s.id and t.id = s.id
         and t.internal_notes is distinct from s.internal_notes
       returning t.id`,
      range,
    ),
  );
}
