// Core: of whom an installation requires a second factor; a firm may require it of its members besides.

export const SECOND_FACTOR_RULES = ['nobody', 'staff', 'everybody'] as const;
/** `staff`: firm members and operations, and not clients. */
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];
