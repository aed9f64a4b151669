// Repositories: an asset as the schema and the wire know it, from a row of its granted columns.
import type { Money } from '#core/money.ts';
import { hasScope, type ScopeSet } from '#core/scopes.ts';

export interface Completeness {
  /** Whole percent, rounded down. */
  score: number;
  /** Codes of recommended document types that are there and not expired. */
  present: string[];
  missing: string[];
}

export interface ShareLink {
  id: string;
  label: string | null;
  createdAt: string;
  expiresAt: string | null;
  active: boolean;
}

export interface Estate {
  heirs: { name: string; relationship: string | null; share_percent: number | null }[];
  shareLinks: ShareLink[];
  readiness: { score: number | null; missing: string[] } | null;
}

export interface Verification {
  status: string;
  verified_at: string | null;
  risk_score: number | null;
  tamper_state: string | null;
  last_scan_at: string | null;
  scans: { scanned_at: string; method: string; result: string }[];
}

/** `id` is always there; the others are where their scope is granted. */
export interface Asset {
  id: string;
  registryId: string;
  title: string;
  category: string;
  quantity: number;
  createdAt: string;
  updatedAt: string;
  marketValue: Money | null;
  marketValueAsOf: string | null;
  purchasePrice: Money | null;
  purchasedOn: string | null;
  insuranceValue: Money | null;
  description: string | null;
  notes: string | null;
  seller: string | null;
  storageLocation: string | null;
  collections: { id: string; name: string }[];
  categoryFields: Record<string, unknown> | null;
  documentation: Completeness;
  estate: Estate;
  verification: Verification | null;
}

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with the scopes; toAsset is where they get their types.
export type AssetRow = any;

const money = (amount: string | null, currency: string | null): Money | null =>
  amount === null || currency === null ? null : { amount, currency };

/** Completeness over `recommended` types, of which `present` ones are there; 100 where none is recommended. */
export function completeness(recommended: string[], present: string[]): Completeness {
  const missing = recommended.filter((type) => !present.includes(type));
  const score = recommended.length === 0 ? 100 : Math.floor((100 * present.length) / recommended.length);
  return { score, present, missing };
}

/** `currency` is the client's reporting currency, in which market values are held. */
export function toAsset(row: AssetRow, scopes: ScopeSet, currency: string): Asset {
  const asset = { id: row.id } as Asset;
  if (hasScope(scopes, 'registry')) {
    asset.registryId = row.registry_id;
    asset.title = row.title;
    asset.category = row.category;
    asset.quantity = row.quantity;
    asset.createdAt = row.created_at;
    asset.updatedAt = row.updated_at;
  }
  if (hasScope(scopes, 'valuation')) {
    asset.marketValue = money(row.market_value, currency);
    asset.marketValueAsOf = row.market_value_as_of;
    asset.purchasePrice = money(row.purchase_amount, row.purchase_currency);
    asset.purchasedOn = row.purchased_on;
    asset.insuranceValue = money(row.insurance_amount, row.insurance_currency);
  }
  if (hasScope(scopes, 'detail')) {
    asset.description = row.description;
    asset.notes = row.notes;
    asset.seller = row.seller;
    asset.storageLocation = row.storage_location;
    asset.collections = row.collections;
  }
  if (hasScope(scopes, 'category_detail')) asset.categoryFields = row.category_fields;
  if (hasScope(scopes, 'documentation'))
    asset.documentation = completeness(row.recommended_documents, row.present_documents);
  if (hasScope(scopes, 'estate'))
    asset.estate = { heirs: row.heirs, shareLinks: row.share_links, readiness: row.readiness };
  if (hasScope(scopes, 'verification')) asset.verification = row.verification;
  return asset;
}
