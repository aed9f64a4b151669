// Core: how many items the filter of a grant can name.

/** Every request carries the ids of its filter, so their number is bounded. Larger sets belong in a collection. */
export const MAX_FILTER_ITEMS = 10_000;
