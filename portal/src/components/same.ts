// Components: compares the values of a form.

/** For values that JSON can represent. */
export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
