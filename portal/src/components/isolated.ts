// Components: a name chosen by a user within a plain string, where `<bdi>` is not possible.

/** The name between marks that keep its text direction from affecting the words around it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;
