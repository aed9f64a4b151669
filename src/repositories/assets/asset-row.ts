// Repositories: makes a row with the granted columns into an asset as it is served.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import type { ServedValues } from '#core/fields/field.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { type Scope, type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { Row } from './field-columns.ts';
import { moneyReader } from './money-reader.ts';

export interface Completeness {
  /** Whole percent, rounded down. */
  score: number;
  /** Codes of recommended document types that are present and not expired. */
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

/** `id` and `number` are always set; other fields only if their scope is granted. */
export interface Asset extends ServedValues<typeof ASSET_FIELDS> {
  /** Number of the item in the access record. */
  number: number;
  collections: { id: string; name: string }[];
  documentation: Completeness;
  estate: Estate;
  heirs: Estate['heirs'];
  readiness: Estate['readiness'];
  verification: Verification | null;
}

export type AssetRow = Row;

/** Cached by the lists of codes, which are few and parsed to the same objects again and again (wire-types.ts). */
const completenessOf = new WeakMap<string[], WeakMap<string[], Completeness>>();

/** Completeness for the `recommended` types; 100 if none is recommended. */
export function completeness(recommended: string[], present: string[]): Completeness {
  const byPresent = getOrInsert(completenessOf, recommended, () => new WeakMap());
  return getOrInsert(byPresent, present, () => judge(recommended, present));
}

function judge(recommended: string[], present: string[]): Completeness {
  const missing = recommended.filter((type) => !present.includes(type));
  const score = recommended.length === 0 ? 100 : Math.floor((100 * present.length) / recommended.length);
  return { score, present, missing };
}

/** Fields that are composed of several columns, by scope; all others are served as they are. */
const COMPOSED: Partial<Record<Scope, (row: AssetRow, currency: string) => void>> = {
  valuation: moneyReader(ASSET_FIELDS),
  documentation: (row) => {
    row.documentation = completeness(row.recommendedDocuments, row.presentDocuments);
  },
  estate: (row) => {
    row.estate = { heirs: row.heirs, shareLinks: row.shareLinks, readiness: row.readiness };
  },
};

/**
 * Turns rows with the columns of these scopes into assets, in place. `currency` is the client's reporting currency,
 * which is the currency of market values.
 */
export type AssetMapper = (row: AssetRow, currency: string) => Asset;

function mapperFor(scopes: ScopeSet): AssetMapper {
  const steps = scopesOf(scopes).flatMap((scope) => COMPOSED[scope] ?? []);
  return (row, currency) => {
    for (const step of steps) step(row, currency);
    return row;
  };
}

const mappers: AssetMapper[] = [];

/** Created once for each set of scopes. */
export function assetMapper(scopes: ScopeSet): AssetMapper {
  mappers[scopes] ??= mapperFor(scopes);
  return mappers[scopes];
}
