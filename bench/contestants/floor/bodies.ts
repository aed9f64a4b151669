// Bench, the floor: bodies from rows in pg's types (timestamps and dates as Date, numbers as text).
import type { QueryResultRow } from 'pg';
import { completeness, type View } from '../plain/store.ts';

const money = (amount: string | null, currency: string | null) =>
  amount === null || currency === null ? null : { amount, currency };
const instant = (date: Date | null) => (date === null ? null : date.toISOString());

/** A calendar date, which pg returns as midnight in local time. */
function day(date: Date | null): string | null {
  if (date === null) return null;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function assetBody(row: QueryResultRow, { scopes, currency }: Pick<View, 'scopes' | 'currency'>) {
  const asset: Record<string, unknown> = {};
  if (scopes.has('registry')) {
    asset.id = row.id;
    asset.registry_id = row.registry_id;
    asset.title = row.title;
    asset.category = row.category;
    asset.quantity = Number(row.quantity);
    asset.created_at = row.created_at.toISOString();
    asset.updated_at = row.updated_at.toISOString();
  }
  if (scopes.has('valuation')) {
    asset.market_value = money(row.market_value, currency);
    asset.market_value_as_of = instant(row.market_value_as_of);
    asset.purchase_price = money(row.purchase_amount, row.purchase_currency);
    asset.purchased_on = day(row.purchased_on);
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
  if (scopes.has('estate')) asset.estate = estateBody(row);
  if (scopes.has('verification')) asset.verification = verificationBody(row.verification);
  return asset;
}

function estateBody({ heirs, share_links, readiness }: QueryResultRow) {
  return {
    heirs: heirs.map(({ name, relationship, share_percent }: QueryResultRow) => ({
      name,
      relationship: relationship ?? null,
      share_percent: share_percent ?? null,
    })),
    share_links: share_links.map(({ id, label, created_at, expires_at }: QueryResultRow) => ({
      id,
      label,
      created_at: new Date(created_at).toISOString(),
      expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
      active: expires_at === null || new Date(expires_at) > new Date(),
    })),
    readiness: readiness === null ? null : { score: readiness.score ?? null, missing: readiness.missing },
  };
}

function verificationBody(verification: QueryResultRow | null) {
  if (verification === null) return null;
  const { status, verified_at, risk_score, tamper_state, last_scan_at, scans } = verification;
  return {
    status,
    verified_at: verified_at ?? null,
    risk_score: risk_score ?? null,
    tamper_state: tamper_state ?? null,
    last_scan_at: last_scan_at ?? null,
    scans: scans.map(({ scanned_at, method, result }: QueryResultRow) => ({ scanned_at, method, result })),
  };
}

export function valuationBody(row: QueryResultRow, registryId: string, { scopes }: Pick<View, 'scopes'>) {
  return {
    id: row.id,
    ...(scopes.has('registry') ? { registry_id: registryId } : {}),
    source: row.source,
    value: { amount: row.amount, currency: row.currency },
    valued_at: row.valued_at.toISOString(),
    appraiser: row.appraiser,
    created_at: row.created_at.toISOString(),
  };
}

export function documentBody(row: QueryResultRow, registryId: string, { scopes }: Pick<View, 'scopes'>) {
  return {
    id: row.id,
    ...(scopes.has('registry') ? { registry_id: registryId } : {}),
    type: row.type,
    title: row.title,
    issuer: row.issuer,
    issued_on: day(row.issued_on),
    expires_on: day(row.expires_on),
    file_size: row.file_size === null ? null : Number(row.file_size),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
