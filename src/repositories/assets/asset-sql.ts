// Repositories: a view as SQL: the rows of its filter and the columns of its scopes.
import type { AssetFilter } from '#core/asset-filter.ts';
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import type { PortfolioView } from '#core/principal.ts';
import { type Scope, type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { Bindings } from '#database/bindings.ts';
import { wireTime } from '#database/wire-types.ts';
import { fieldsWhere, selectList } from './field-columns.ts';

/** SQL that is true for items `i` inside the filter. */
export function insideFilter(filter: AssetFilter, bindings: Bindings): string {
  switch (filter.type) {
    case 'all':
      return 'true';
    case 'category':
      return `i.category = any(${bindings.add(filter.categories)}::text[])`;
    case 'items':
      return `i.registry_id = any(${bindings.add(filter.items)}::text[])`;
    case 'collection':
      return `exists (select from item_collections m where m.item_id = i.id and m.collection_id = ${bindings.add(filter.collection)})`;
    default:
      return filter satisfies never;
  }
}

/** Whether the filter includes whole categories, for which totals are maintained. */
export const isTotalled = ({ type }: AssetFilter): boolean => type === 'all' || type === 'category';

/** SQL that is true for the rows by client and category that a totalled filter includes. */
export function categoriesOf(rows: string, { clientId, filter }: PortfolioView, bindings: Bindings): string {
  const client = `${rows}.client_id = ${bindings.add(clientId)}`;
  return filter.type === 'category'
    ? `${client} and ${rows}.category = any(${bindings.add(filter.categories)}::text[])`
    : client;
}

/** Document types that category `c` recommends and that the item has, not expired today, as a list of codes. */
export const presentDocuments = (itemId: string): string => `array(select distinct d.type from documents d
    where d.item_id = ${itemId} and d.type = any(c.recommended_documents)
      and (d.expires_on is null or d.expires_on >= current_date) order by d.type)`;

/** SQL of an asset's columns that do not come from the item itself, by scope. */
const DERIVED_COLUMNS: Partial<Record<Scope, string>> = {
  detail: `(select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
     from item_collections m join collections l on l.id = m.collection_id where m.item_id = i.id) as collections`,
  documentation: `c.recommended_documents as "recommendedDocuments", ${presentDocuments('i.id')} as "presentDocuments"`,
  estate: `(select coalesce(json_agg(json_build_object('id', s.id, 'label', s.label, 'createdAt', ${wireTime('s.created_at')},
       'expiresAt', ${wireTime('s.expires_at')}, 'active', s.expires_at is null or s.expires_at > now())
       order by s.created_at, s.id), '[]') from share_links s where s.item_id = i.id) as "shareLinks"`,
};

/** `id` is part of every statement and therefore left out here. */
const columnsOfScope = (granted: Scope): string[] => {
  const own = selectList(
    fieldsWhere(ASSET_FIELDS, ({ scope }, name) => scope === granted && name !== 'id'),
    'i',
  );
  return [own, DERIVED_COLUMNS[granted] ?? ''].filter((columns) => columns !== '');
};

const selectLists: string[] = [];

/** Select list of the scopes' columns for items `i` (and their categories `c`). Created once for each set of scopes. */
export function assetColumns(scopes: ScopeSet): string {
  selectLists[scopes] ??= scopesOf(scopes).flatMap(columnsOfScope).join(', ');
  return selectLists[scopes];
}
