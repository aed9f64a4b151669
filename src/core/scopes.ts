// Core: the seven scopes of client data, and sets of them.

export const SCOPES = [
  'registry',
  'valuation',
  'detail',
  'category_detail',
  'documentation',
  'estate',
  'verification',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Plain-word meaning of each scope, used in the API reference and in the portal. */
export const SCOPE_MEANINGS: Record<Scope, string> = {
  registry: 'Item and registry ids, titles, categories, quantities and timestamps',
  valuation: 'Market values, purchase prices, insurance values and valuation history',
  detail: 'Descriptions, notes, seller, storage location and collections',
  category_detail: 'Fields of the category, such as metal purity, watch brand or gem certification',
  documentation: 'Document metadata (types, titles, issuers, dates, sizes) and completeness; never file contents',
  estate: 'Heir designations, share links and estate readiness',
  verification: 'Verification status, scan history, risk score and tamper state',
};

/**
 * A set of scopes as bits, in the order of SCOPES: cheap to intersect, compare and use as a key.
 * 0 is the empty set, 127 all seven.
 */
export type ScopeSet = number;

export const NO_SCOPES: ScopeSet = 0;
export const ALL_SCOPES: ScopeSet = 2 ** SCOPES.length - 1;

const BIT: Record<Scope, number> = Object.fromEntries(SCOPES.map((scope, index) => [scope, 1 << index])) as Record<
  Scope,
  number
>;

export function isScope(value: string): value is Scope {
  return Object.hasOwn(BIT, value);
}

export function scopeSet(scopes: Iterable<Scope>): ScopeSet {
  let set = NO_SCOPES;
  for (const scope of scopes) set |= BIT[scope];
  return set;
}

export function hasScope(set: ScopeSet, scope: Scope): boolean {
  return (set & BIT[scope]) !== 0;
}

/** The members of the set, in the order of SCOPES. */
export function scopesOf(set: ScopeSet): Scope[] {
  return SCOPES.filter((scope) => hasScope(set, scope));
}
