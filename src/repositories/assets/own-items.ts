// Repositories: a client's own items, collections and categories, with just the columns needed to choose among them.
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { readColumn } from '#database/rows.ts';
import { insideFilter } from './asset-sql.ts';

export interface OwnItem {
  registryId: string;
  title: string;
  category: string;
}

export interface OwnItemPage {
  nodes: OwnItem[];
  totalItems: number;
}

export interface OwnItemQuery {
  /** Part of the title or the registry id. */
  search: string | null;
  categories: readonly string[] | null;
  /** Id of a collection. Another client's collection contains none of these items. */
  collection: string | null;
  /** Limits the result to these. */
  registryIds: readonly string[] | null;
}

/** Newest first. */
export async function listOwnItems(
  sql: Sql,
  clientId: string,
  query: OwnItemQuery,
  { size, offset }: { size: number; offset: number },
): Promise<OwnItemPage> {
  const bindings = new Bindings();
  const condition = matching(clientId, query, bindings);
  // A search is run once for both count and page; without one, indexes serve both.
  const once = query.search === null ? 'not materialized' : 'materialized';
  const text = `with found as ${once} (select i.id from items i where ${condition})
    select t."totalItems", r."registryId", r.title, r.category from (select count(*) as "totalItems" from found) t
    left join (select i.id, i.registry_id as "registryId", i.title, i.category
      from (select id from found order by id desc
        limit ${bindings.add(size)} offset ${bindings.add(offset)}) page join items i using (id)) r on true
    order by r.id desc`;
  const rows = await sql.query<OwnItem & { totalItems: number }>({ text, values: bindings.values });
  return {
    nodes: rows.filter(({ registryId }) => registryId !== null),
    totalItems: rows[0]?.totalItems ?? 0,
  };
}

/** Registry ids in the same order, at most `most`. */
export async function listOwnItemIds(sql: Sql, clientId: string, query: OwnItemQuery, max: number): Promise<string[]> {
  const bindings = new Bindings();
  const text = `select i.registry_id as id from items i where ${matching(clientId, query, bindings)}
    order by i.id desc limit ${bindings.add(max)}`;
  return readColumn<string>(sql, { text, values: bindings.values });
}

export interface OwnCollection {
  id: string;
  name: string;
  itemCount: number;
}

/** By name. */
export function listOwnCollections(sql: Sql, clientId: string): Promise<OwnCollection[]> {
  const text = `select l.id, l.name, (select count(*) from item_collections m where m.collection_id = l.id) as "itemCount"
    from collections l where l.client_id = $1 order by lower(l.name), l.id`;
  return sql.query<OwnCollection>({ text, values: [clientId] });
}

export interface OwnCategory {
  code: string;
  name: string;
  itemCount: number;
}

/** Categories that have items, by name. */
export function listOwnCategories(sql: Sql, clientId: string): Promise<OwnCategory[]> {
  const text = `select c.code, c.name, n.items as "itemCount" from categories c
    join (select category, count(*) as items from items where client_id = $1 group by 1) n on n.category = c.code
    order by c.name, c.code`;
  return sql.query<OwnCategory>({ text, values: [clientId] });
}

function matching(clientId: string, query: OwnItemQuery, bindings: Bindings): string {
  const { search, categories, collection, registryIds } = query;
  const conditions = [`i.client_id = ${bindings.add(clientId)}`];
  if (categories !== null) conditions.push(`i.category = any(${bindings.add(categories)}::text[])`);
  if (collection !== null) conditions.push(insideFilter({ type: 'collection', collection }, bindings));
  if (registryIds !== null) conditions.push(`i.registry_id = any(${bindings.add(registryIds)}::text[])`);
  if (search !== null) {
    const part = bindings.add(search);
    conditions.push(`(strpos(lower(i.title), lower(${part})) > 0 or strpos(i.registry_id, upper(${part})) > 0)`);
  }
  return conditions.join(' and ');
}
