// Repositories: rows that belong to several assets, read together for those of which they are not known.
import type { QueryResultRow } from 'pg';
import type { Asset } from './asset-row.ts';
import type { AssetReads } from './assets.ts';

/** An asset as far as its rows are looked up by it. */
export type AssetKey = Pick<Asset, 'id' | 'revision'>;

/**
 * Rows by asset id; none of an asset that is gone by now. `$1` of the statement is the list of ids; it gives `item_id` and
 * `revision` for each asset at least once, and an `id` where there is a row. `kind` names what is read. They are kept for
 * all the assets together, as a page asks for them.
 */
export async function readChildren<Row>(
  { sql, memory }: AssetReads,
  kind: string,
  assets: readonly AssetKey[],
  { text, values }: { text: string; values: readonly unknown[] },
  toRow: (row: QueryResultRow) => Row,
): Promise<Map<string, Row[]>> {
  const ids = assets.map(({ id }) => id);
  const name = `${kind} ${ids}`;
  const kept = memory.find(name);
  if (kept !== undefined && kept.state === `${assets.map(({ revision }) => revision)}`)
    return new Map(kept.rows as readonly [string, Row[]][]);
  const rows = await sql.query({ text, values: [ids, ...values], prepare: true });
  const found = new Map<string, Row[]>();
  const revisions = new Map<string, number>();
  for (const [id, group] of Map.groupBy(rows, (row) => row.item_id as string)) {
    found.set(id, group[0]?.id === null ? [] : group.map(toRow));
    // As it is with these rows: the asset may have been read a moment before.
    revisions.set(id, group[0]?.revision);
  }
  memory.keep(name, `${ids.map((id) => revisions.get(id))}`, [...found], false);
  return found;
}
