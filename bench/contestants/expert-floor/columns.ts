// Bench, the expert floor: the columns of a view, in wire format where SQL provides it at no cost.
import type { Scope } from '../../../src/core/scopes.ts';

const wireTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const PRESENT = `(select coalesce(json_agg(distinct d.type), '[]') from documents d
  where d.item_id = i.id and d.type = any(c.recommended_documents)
    and (d.expires_on is null or d.expires_on >= current_date))`;

const COLUMNS: Record<Scope, string> = {
  registry: 'i.registry_id, i.title, i.category, i.quantity::float8 as quantity, i.created_at, i.updated_at',
  valuation: `i.market_value, i.market_value_as_of, i.purchase_amount, i.purchase_currency, i.purchased_on,
    i.insurance_amount, i.insurance_currency`,
  detail: `i.description, i.notes, i.seller, i.storage_location,
    (select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
      from item_collections m join collections l on l.id = m.collection_id where m.item_id = i.id) as collections`,
  category_detail: 'i.category_fields',
  documentation: `c.recommended_documents, ${PRESENT} as present_documents`,
  estate: `i.heirs, i.readiness,
    (select coalesce(json_agg(json_build_object('id', s.id, 'label', s.label, 'created_at', ${wireTime('s.created_at')},
        'expires_at', ${wireTime('s.expires_at')}, 'active', s.expires_at is null or s.expires_at > now())
        order by s.created_at, s.id), '[]') from share_links s where s.item_id = i.id) as share_links`,
  verification: 'i.verification',
};

export const columnsFor = (scopes: ReadonlySet<Scope>): string =>
  ['i.id', ...[...scopes].map((scope) => COLUMNS[scope])].join(', ');
