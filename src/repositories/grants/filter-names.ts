// Repositories: names of the items and collections in the filters of grants, for their owner.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Sql } from '#database/database.ts';

export interface FilterNames {
  /** Titles by registry id, for the first items of each filter. */
  titles: ReadonlyMap<string, string>;
  collections: ReadonlyMap<string, { name: string; itemCount: number }>;
}

/** Number of a filter's items that are shown by title. */
export const TITLES_SHOWN = 10;

/** Returns names of the client's own items and collections only, even if a filter contains others. */
export async function filterNames(
  sql: Sql,
  clientIds: readonly string[],
  filters: readonly AssetFilter[],
): Promise<FilterNames> {
  const items = filters.flatMap((filter) => (filter.type === 'items' ? filter.items.slice(0, TITLES_SHOWN) : []));
  const collections = filters.flatMap((filter) => (filter.type === 'collection' ? [filter.collection] : []));
  const [titled, named] = await Promise.all([
    items.length === 0
      ? []
      : sql.query<{ id: string; title: string }>({
          text: 'select registry_id as id, title from items where registry_id = any($1) and client_id = any($2)',
          values: [items, clientIds],
        }),
    collections.length === 0
      ? []
      : sql.query<{ id: string; name: string; itemCount: number }>({
          text: `select l.id, l.name, (select count(*) from item_collections m where m.collection_id = l.id) as "itemCount"
            from collections l where l.id = any($1) and l.client_id = any($2)`,
          values: [collections, clientIds],
        }),
  ]);
  return {
    titles: new Map(titled.map(({ id, title }) => [id, title])),
    collections: new Map(named.map(({ id, ...collection }) => [id, collection])),
  };
}
