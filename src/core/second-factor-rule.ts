// Core: who needs a second factor in an installation. A firm may also require it of its own members.

export const SECOND_FACTOR_RULES = ['nobody', 'staff', 'everybody'] as const;
/** `staff`: firm members and operators, but not clients. */
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];
