// Repositories: the items that the access record references by number.
import type { Sql } from '#database/database.ts';
import { findValue } from '#database/rows.ts';

export interface RecordedItem {
  registryId: string;
  /** Null if the item was deleted. */
  title: string | null;
}

/** By number, including deleted items. */
export async function itemsByNumber(sql: Sql, numbers: readonly string[]): Promise<Map<string, RecordedItem>> {
  const text = `select number, registry_id as "registryId", title from items where number = any($1::bigint[])
    union all select number, registry_id, null from deleted_items where number = any($1::bigint[])`;
  const rows = await sql.query<RecordedItem & { number: number }>({ text, values: [numbers] });
  return new Map(rows.map(({ number, registryId, title }) => [String(number), { registryId, title }]));
}

/** The number of the client's item, including deleted ones; null if the client never had an item with this id. */
export function numberOfItem(sql: Sql, clientId: string, registryId: string): Promise<number | null> {
  const text = `select number from items where client_id = $1 and registry_id = $2
    union all select number from deleted_items where client_id = $1 and registry_id = $2`;
  return findValue(sql, { text, values: [clientId, registryId] });
}
