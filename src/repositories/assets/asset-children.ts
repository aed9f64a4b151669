// Repositories: rows that belong to several assets, read together.
import type { QueryResultRow } from 'pg';
import type { Sql } from '#database/database.ts';
import type { Asset } from './asset-row.ts';

/** An asset as far as its rows are looked up by it. */
export type AssetKey = Pick<Asset, 'id' | 'registryId'>;

/** SQL that gives the ids of `$1` as `asked`, numbered `n` from 1. */
export const ASKED_ASSETS = 'unnest($1::text[]) with ordinality as asked (id, n)';

/**
 * What a row says of its asset: its number among those asked for, and the place of the registry id. The ids themselves are
 * known, and would be two texts more in every row.
 */
export const CHILD_COLUMNS = 'asked.n::integer, null as "registryId"';

/** The rows of each asset, in the order of the assets. The statement reads CHILD_COLUMNS of ASKED_ASSETS beside its own. */
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
