// Test support: the members that each scope adds to each body, as specified.

import type { Scope } from '#core/scopes.ts';

/** The paths of all members of a body, such as `a.b`, without list indexes. */
export function pathsOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((entry) => pathsOf(entry, prefix)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  const found = Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...pathsOf(inner, path)];
  });
  return [...new Set(found)].sort();
}

const money = (name: string) => [name, `${name}.amount`, `${name}.currency`];
const within = (parent: string, names: string[]) => [parent, ...names.map((name) => `${parent}.${name}`)];
const completeness = (name: string) => within(name, ['score', 'present', 'missing']);

export const ASSET_FIELDS: Record<Scope, string[]> = {
  registry: ['id', 'registry_id', 'title', 'category', 'quantity', 'created_at', 'updated_at'],
  valuation: [
    ...money('market_value'),
    'market_value_as_of',
    ...money('purchase_price'),
    'purchased_on',
    ...money('insurance_value'),
  ],
  detail: ['description', 'notes', 'seller', 'storage_location', ...within('collections', ['id', 'name'])],
  category_detail: within('category_fields', ['brand', 'reference']),
  documentation: completeness('documentation'),
  estate: [
    'estate',
    ...within('estate.heirs', ['name', 'relationship', 'share_percent']),
    ...within('estate.share_links', ['id', 'label', 'created_at', 'expires_at', 'active']),
    ...within('estate.readiness', ['score', 'missing']),
  ],
  verification: [
    ...within('verification', ['status', 'verified_at', 'risk_score', 'tamper_state', 'last_scan_at']),
    ...within('verification.scans', ['scanned_at', 'method', 'result']),
  ],
};

const VALUATION = ['id', 'source', ...money('value'), 'valued_at', 'appraiser', 'created_at'];
const DOCUMENT = ['id', 'type', 'title', 'issuer', 'issued_on', 'expires_on', 'file_size', 'created_at', 'updated_at'];
const PAGINATION = ['page', 'page_size', 'total_items', 'total_pages', 'has_more', 'next_cursor'];

const withRegistry = (scopes: readonly Scope[], fields: string[]) =>
  scopes.includes('registry') ? [...fields, 'registry_id'] : fields;

export const assetFields = (scopes: readonly Scope[]) => scopes.flatMap((scope) => ASSET_FIELDS[scope]);

export const valuationFields = (scopes: readonly Scope[]) => withRegistry(scopes, VALUATION);

export const documentFields = (scopes: readonly Scope[]) => withRegistry(scopes, DOCUMENT);

/** Members of an asset, with those of `include` that the scopes cover. */
export const includedFields = (scopes: readonly Scope[]) => [
  ...assetFields(scopes),
  ...(scopes.includes('valuation') ? within('valuations', valuationFields(scopes)) : []),
  ...(scopes.includes('documentation') ? within('documents', documentFields(scopes)) : []),
];

export const listFields = (asset: string[], { delta = false } = {}) => [
  ...within('data', asset),
  ...within('pagination', PAGINATION),
  ...within('sync', ['as_of', 'full']),
  ...(delta ? within('removed', ['registry_id', 'removed_at', 'reason']) : []),
];

export const valuationListFields = (scopes: readonly Scope[]) => [
  ...within('data', valuationFields(scopes)),
  ...within('pagination', PAGINATION),
];

export const documentListFields = (scopes: readonly Scope[]) => [
  ...within('data', documentFields(scopes)),
  ...completeness('completeness'),
];

export const summaryFields = (scopes: readonly Scope[]) => [
  ...within('data', ['client_id', 'as_of']),
  ...(scopes.includes('registry')
    ? ['data.item_count', ...within('data.categories', ['category', 'name', 'item_count'])]
    : []),
  ...(scopes.includes('valuation') ? money('data.total_value') : []),
  ...(scopes.includes('registry') && scopes.includes('valuation') ? money('data.categories.total_value') : []),
  ...(scopes.includes('documentation') ? within('data.documentation_completeness', ['score', 'complete_items']) : []),
];
