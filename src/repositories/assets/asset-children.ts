// Repositories: rows that belong to several assets, read together.
import type { QueryResultRow } from 'pg';
import type { Sql } from '#database/database.ts';
import type { Asset } from './asset-row.ts';

/** An asset as far as its rows are looked up by it. */
export type AssetKey = Pick<Asset, 'id'>;

/** Rows by `item_id`; no entry for an asset without any. `$1` of the statement is the list of ids. */
export async function readChildren<Row>(
  sql: Sql,
  assets: readonly AssetKey[],
  statement: { name: string; text: string; values: readonly unknown[] },
  toRow: (row: QueryResultRow) => Row,
): Promise<Map<string, Row[]>> {
  const values = [assets.map(({ id }) => id), ...statement.values];
  const rows = await sql.query({ ...statement, values, prepare: true });
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const list = found.get(row.item_id);
    if (list === undefined) found.set(row.item_id, [toRow(row)]);
    else list.push(toRow(row));
  }
  return found;
}
