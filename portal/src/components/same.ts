// Components: whether a form holds the same as before.

/** Of values that JSON can hold. */
export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
