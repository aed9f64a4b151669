// Bench, the expert floor: bodies from rows in wire format.
import type { QueryResultRow } from 'pg';
import { completeness, type View } from '../plain/store.ts';

const money = (amount: string | null, currency: string | null) =>
  amount === null || currency === null ? null : { amount, currency };

export function assetBody(row: QueryResultRow, { scopes, currency }: Pick<View, 'scopes' | 'currency'>) {
  const asset: Record<string, unknown> = {};
  if (scopes.has('registry')) {
    asset.id = row.id;
    asset.registry_id = row.registry_id;
    asset.title = row.title;
    asset.category = row.category;
    asset.quantity = row.quantity;
    asset.created_at = row.created_at;
    asset.updated_at = row.updated_at;
  }
  if (scopes.has('valuation')) {
    asset.market_value = money(row.market_value, currency);
    asset.market_value_as_of = row.market_value_as_of;
    asset.purchase_price = money(row.purchase_amount, row.purchase_currency);
    asset.purchased_on = row.purchased_on;
    asset.insurance_value = money(row.insurance_amount, row.insurance_currency);
  }
  if (scopes.has('detail')) {
    asset.description = row.description;
    asset.notes = row.notes;
    asset.seller = row.seller;
    asset.storage_location = row.storage_location;
    asset.collections = row.collections;
  }
  if (scopes.has('category_detail')) asset.category_fields = row.category_fields;
  if (scopes.has('documentation')) asset.documentation = completeness(row.recommended_documents, row.present_documents);
  if (scopes.has('estate')) asset.estate = { heirs: row.heirs, share_links: row.share_links, readiness: row.readiness };
  if (scopes.has('verification')) asset.verification = verificationBody(row.verification);
  return asset;
}

/** The stored object has its members in a different order. */
function verificationBody(verification: QueryResultRow | null) {
  if (verification === null) return null;
  const { status, verified_at, risk_score, tamper_state, last_scan_at, scans } = verification;
  return {
    ...{ status, verified_at, risk_score, tamper_state, last_scan_at },
    scans: scans.map(({ scanned_at, method, result }: QueryResultRow) => ({ scanned_at, method, result })),
  };
}

export function valuationBody(row: QueryResultRow, registryId: string, { scopes }: Pick<View, 'scopes'>) {
  const { id, source, amount, currency, valued_at, appraiser, created_at } = row;
  const value = { amount, currency };
  return scopes.has('registry')
    ? { id, registry_id: registryId, source, value, valued_at, appraiser, created_at }
    : { id, source, value, valued_at, appraiser, created_at };
}

export function documentBody(row: QueryResultRow, registryId: string, { scopes }: Pick<View, 'scopes'>) {
  const { id, type, title, issuer, issued_on, expires_on, file_size, created_at, updated_at } = row;
  return scopes.has('registry')
    ? { id, registry_id: registryId, type, title, issuer, issued_on, expires_on, file_size, created_at, updated_at }
    : { id, type, title, issuer, issued_on, expires_on, file_size, created_at, updated_at };
}
