// Core: limits of the plant store.

/** Plants of one list. */
export const MAX_PLANTS = 1_000;
/** Characters. */
export const MAX_NAME = 200;
export const MAX_TAG = 100;
