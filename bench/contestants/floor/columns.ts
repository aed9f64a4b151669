// Bench, the floor: the columns and conditions of a view, written by hand.
import type { AssetFilter } from '../../../src/core/asset-filter.ts';
import type { View } from '../plain/store.ts';

/** Only granted columns are read. */
export function columnsFor({ scopes }: Pick<View, 'scopes'>): string {
  const columns = ['i.id'];
  if (scopes.has('registry'))
    columns.push('i.registry_id', 'i.title', 'i.category', 'i.quantity', 'i.created_at', 'i.updated_at');
  if (scopes.has('valuation'))
    columns.push(
      ...['i.market_value', 'i.market_value_as_of', 'i.purchase_amount', 'i.purchase_currency', 'i.purchased_on'],
      ...['i.insurance_amount', 'i.insurance_currency'],
    );
  if (scopes.has('detail'))
    columns.push(
      ...['i.description', 'i.notes', 'i.seller', 'i.storage_location'],
      `(select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
        from item_collections m join collections l on l.id = m.collection_id where m.item_id = i.id) as collections`,
    );
  if (scopes.has('category_detail')) columns.push('i.category_fields');
  if (scopes.has('documentation')) columns.push('c.recommended_documents', `${PRESENT} as present_documents`);
  if (scopes.has('estate'))
    columns.push(
      ...['i.heirs', 'i.readiness'],
      `(select coalesce(json_agg(json_build_object('id', s.id, 'label', s.label, 'created_at', s.created_at,
          'expires_at', s.expires_at) order by s.created_at, s.id), '[]')
        from share_links s where s.item_id = i.id) as share_links`,
    );
  if (scopes.has('verification')) columns.push('i.verification');
  return columns.join(', ');
}

export const PRESENT = `(select coalesce(json_agg(distinct d.type), '[]') from documents d
  where d.item_id = i.id and d.type = any(c.recommended_documents)
    and (d.expires_on is null or d.expires_on >= current_date))`;

/** Adds the filter's value to `values` and returns its condition on items `i`. */
export function conditionOf(filter: AssetFilter, values: unknown[]): string {
  switch (filter.type) {
    case 'all':
      return 'true';
    case 'category':
      return `i.category = any($${values.push(filter.categories)}::text[])`;
    case 'items':
      return `i.registry_id = any($${values.push(filter.items)}::text[])`;
    case 'collection':
      return `exists (select from item_collections m where m.item_id = i.id
        and m.collection_id = $${values.push(filter.collection)})`;
    default:
      return filter satisfies never;
  }
}
