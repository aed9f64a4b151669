// Repositories: what the filters of grants name, as their owner knows it.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Sql } from '#database/database.ts';

export interface FilterNames {
  /** Title by registry id, of the first items of each filter. */
  titles: ReadonlyMap<string, string>;
  collections: ReadonlyMap<string, { name: string; itemCount: number }>;
}

/** How many items of a filter are shown by title. */
export const TITLES_SHOWN = 10;

/** Names of the client's own items and collections only, also where a filter holds others. */
export async function filterNames(
  sql: Sql,
  clientIds: readonly string[],
  filters: readonly AssetFilter[],
): Promise<FilterNames> {
  const items = filters.flatMap((filter) => (filter.type === 'items' ? filter.items.slice(0, TITLES_SHOWN) : []));
  const collections = filters.flatMap((filter) => (filter.type === 'collection' ? [filter.collection] : []));
  const [titled, named] = await Promise.all([
    items.length === 0 ? [] : titlesOf(sql, clientIds, items),
    collections.length === 0 ? [] : namesOf(sql, clientIds, collections),
  ]);
  return {
    titles: new Map(titled.map(({ id, title }) => [id, title])),
    collections: new Map(named.map(({ id, ...collection }) => [id, collection])),
  };
}

function titlesOf(sql: Sql, clientIds: readonly string[], items: string[]): Promise<{ id: string; title: string }[]> {
  return sql.query({
    text: 'select registry_id as id, title from items where registry_id = any($1) and client_id = any($2)',
    values: [items, clientIds],
  });
}

function namesOf(
  sql: Sql,
  clientIds: readonly string[],
  collections: string[],
): Promise<{ id: string; name: string; itemCount: number }[]> {
  return sql.query({
    text: `select l.id, l.name, (select count(*) from item_collections m where m.collection_id = l.id) as "itemCount"
      from collections l where l.id = any($1) and l.client_id = any($2)`,
    values: [collections, clientIds],
  });
}
