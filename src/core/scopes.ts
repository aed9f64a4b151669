// Core: the scopes of client data, and sets of them.

/**
 * The bit of each scope in stored keys and grants, in display order. Append-only: a new scope takes the next bit, and a
 * bit listed here never changes and is never reused.
 */
export const SCOPE_BITS = {
  registry: 1,
  valuation: 2,
  detail: 4,
  category_detail: 8,
  documentation: 16,
  estate: 32,
  verification: 64,
} as const;

export type Scope = keyof typeof SCOPE_BITS;

export const SCOPES = Object.keys(SCOPE_BITS) as readonly Scope[];

const NUMBERS = 'none one two three four five six seven eight nine ten eleven twelve'.split(' ');
/** The number of scopes as a word. */
export const SCOPE_COUNT = NUMBERS[SCOPES.length] ?? String(SCOPES.length);

/** Description of each scope, for the API reference, firms and receipts. */
export const SCOPE_MEANINGS: Record<Scope, string> = {
  registry: 'Item and registry ids, titles, categories, quantities and timestamps',
  valuation: 'Market values, purchase prices, insurance values and valuation history',
  detail: 'Descriptions, notes, seller, storage location and collections',
  category_detail: 'Fields of the category, such as metal purity, watch brand or gem certification',
  documentation: 'Document metadata (types, titles, issuers, dates, sizes) and completeness; never file contents',
  estate: 'Heir designations, share links and estate readiness',
  verification: 'Verification status, scan history, risk score and tamper state',
};

/** The name of each scope, as shown to firms. */
export const SCOPE_NAMES: Record<Scope, string> = {
  registry: 'Registry',
  valuation: 'Valuation',
  detail: 'Detail',
  category_detail: 'Category detail',
  documentation: 'Documentation',
  estate: 'Estate',
  verification: 'Verification',
};

/** What each scope reveals, in words for clients, on pages and in mails. Fits into the middle of a sentence. */
export const SCOPE_PLAIN_WORDS: Record<Scope, string> = {
  registry: 'what you own',
  valuation: 'what it is worth',
  detail: 'where it is kept',
  category_detail: 'its particulars',
  documentation: 'which papers there are',
  estate: 'who inherits it',
  verification: 'how it was verified',
};

/** The same as SCOPE_MEANINGS, for clients, who know their items and not the API. */
export const SCOPE_PLAIN_MEANINGS: Record<Scope, string> = {
  registry:
    'What each item is called, of which kind it is, how many there are, its number, and when it was recorded and changed',
  valuation: 'What it is worth now and was worth before, what you paid for it, and what it is insured for',
  detail: 'Its description, your notes, who sold it to you, where it is stored, and which collections it is in',
  category_detail:
    'What only its kind has, such as the purity of a metal, the brand of a watch or the certificate of a gem',
  documentation:
    'The kind, title, issuer, dates and size of each paper, and how complete they are; never the papers themselves',
  estate: 'The heirs you named for it, the links by which you share it, and how well prepared it is for your estate',
  verification: 'Whether it was verified, when it was scanned, and signs of risk or tampering',
};

/** A set of scopes as the sum of their bits: cheap to intersect, compare and use as a key. 0 is the empty set. */
export type ScopeSet = number;

export const NO_SCOPES: ScopeSet = 0;
export const ALL_SCOPES: ScopeSet = scopeSet(SCOPES);

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPE_BITS, value);
}

export function scopeSet(scopes: Iterable<Scope>): ScopeSet {
  let set = 0;
  for (const scope of scopes) set |= SCOPE_BITS[scope];
  return set;
}

export function hasScope(set: ScopeSet, scope: Scope): boolean {
  return (set & SCOPE_BITS[scope]) !== 0;
}

/** The members of the set, in the order of SCOPES. */
export function scopesOf(set: ScopeSet): Scope[] {
  return SCOPES.filter((scope) => hasScope(set, scope));
}
