// Repositories: the items that the access record names by number.
import type { Sql } from '#database/database.ts';

export interface RecordedItem {
  registryId: string;
  /** Null where the item is no more. */
  title: string | null;
}

/** By number, deleted ones too. */
export async function itemsByNumber(sql: Sql, numbers: readonly string[]): Promise<Map<string, RecordedItem>> {
  const rows = await sql.query<RecordedItem & { number: number }>({
    text: `select number, registry_id as "registryId", title from items where number = any($1::bigint[])
      union all select number, registry_id, null from deleted_items where number = any($1::bigint[])`,
    values: [numbers],
  });
  return new Map(rows.map(({ number, registryId, title }) => [String(number), { registryId, title }]));
}

/** The number of the client's item, whether or not it is still there; null where the client has and had none of that id. */
export async function numberOfItem(sql: Sql, clientId: string, registryId: string): Promise<number | null> {
  const [row] = await sql.query<{ number: number }>({
    text: `select number from items where client_id = $1 and registry_id = $2
      union all select number from deleted_items where client_id = $1 and registry_id = $2`,
    values: [clientId, registryId],
  });
  return row?.number ?? null;
}
