// Repositories: rows that belong to several assets, read in one statement.
import type { QueryResultRow } from 'pg';
import type { Sql } from '#database/database.ts';
import type { Asset } from './asset-row.ts';

/** The parts of an asset by which its rows are looked up. */
export type AssetKey = Pick<Asset, 'id' | 'registryId'>;

/** SQL that gives the ids of `$1` as `asked`, numbered `n` from 1. */
export const REQUESTED_ASSETS = 'unnest($1::text[]) with ordinality as asked (id, n)';

/**
 * Columns that assign a row to its asset: the asset's number among those requested, and a placeholder for its registry
 * id. The ids themselves are known; they would add two texts to every row.
 */
export const CHILD_COLUMNS = 'asked.n::integer, null as "registryId"';

/**
 * The rows of each asset, in the order of the assets. The statement selects CHILD_COLUMNS from REQUESTED_ASSETS besides
 * its own columns.
 */
export async function readChildren<Row>(
  sql: Sql,
  assets: readonly AssetKey[],
  statement: { name: string; text: string; values: readonly unknown[] },
  toRow: (row: QueryResultRow) => Row,
): Promise<Row[][]> {
  const values = [assets.map(({ id }) => id), ...statement.values];
  const rows = await sql.query({ ...statement, values, prepare: true });
  const lists = assets.map((): Row[] => []);
  for (const row of rows) {
    row.registryId = assets[row.n - 1]?.registryId;
    lists[row.n - 1]?.push(toRow(row));
  }
  return lists;
}
