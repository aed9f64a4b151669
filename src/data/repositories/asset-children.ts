// Data room: rows that belong to several assets, read together for those of which they are not known.
import type { QueryResultRow } from 'pg';
import type { Asset } from './asset-row.ts';
import type { AssetReads } from './assets.ts';

/** An asset as far as its rows are looked up by it. */
export type AssetKey = Pick<Asset, 'id' | 'revision'>;

/**
 * Rows by asset id; none of an asset that is gone by now. `$1` of the statement is the list of ids; it gives `item_id` and
 * `revision` for each asset at least once, and an `id` where there is a row. `kind` names what is read.
 */
export async function readChildren<Row>(
  { sql, memory }: AssetReads,
  kind: string,
  assets: readonly AssetKey[],
  { text, values }: { text: string; values: readonly unknown[] },
  toRow: (row: QueryResultRow) => Row,
): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  const missing: string[] = [];
  for (const asset of assets) {
    const kept = memory.find(kind + asset.id);
    if (kept?.state === `${asset.revision}`) found.set(asset.id, kept.rows as Row[]);
    else missing.push(asset.id);
  }
  if (missing.length === 0) return found;
  const rows = await sql.query({ text, values: [missing, ...values], prepare: true });
  for (const [id, group] of Map.groupBy(rows, (row) => row.item_id as string)) {
    const children = group[0]?.id === null ? [] : group.map(toRow);
    found.set(id, children);
    // The revision as it is with these rows: the asset may have been read a moment before.
    memory.keep(kind + id, `${group[0]?.revision}`, children);
  }
  return found;
}
