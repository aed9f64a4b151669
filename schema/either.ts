// Schema: descriptions of texts that have one of a list of values.

const LIST = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** `a, b or c`. */
export const either = (values: Iterable<string>): string => LIST.format(values);
