// Core: from which share of a limit on its use is shown, counted and notified as near it.

export const NEAR_PERCENT = 80;

export const isNearLimit = (used: number, limit: number): boolean => used * 100 >= limit * NEAR_PERCENT;
