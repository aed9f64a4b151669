// Core: rate tiers, and how many requests each allows in any 60 seconds.

export const TIER_LIMITS = { sandbox: 100, standard: 1_000, elevated: 5_000, enterprise: 20_000 } as const;

/** Tier of a key. A firm has one of the last three; sandbox keys always have `sandbox`. */
export type Tier = keyof typeof TIER_LIMITS;

export type FirmTier = Exclude<Tier, 'sandbox'>;

/**
 * The setting that puts a key's limit in shadow mode, in which requests over it are counted and reported, but admitted.
 */
export type Shadow = 'key' | 'tier';

export const TIERS = Object.keys(TIER_LIMITS) as Tier[];
/** The maximum limit for all keys of a firm together. */
export const MAX_FIRM_LIMIT = 65_535;

export const FIRM_TIERS = TIERS.filter((tier): tier is FirmTier => tier !== 'sandbox');

/** In place of a tier or a limit: the one that was set without an end, which an override with an end had replaced. */
export const LASTING = 'lasting';
