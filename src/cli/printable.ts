// Command line: names that firms and clients have chosen, as text for a terminal, which would obey their control
// characters.

/** The last two ranges change the direction of the text around them. */
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** For one or several lines. */
export const printable = (text: string): string => text.replace(UNSAFE, (one) => (one === '\n' ? one : '\ufffd'));

/** For a place within a line. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', ' ');

/** The same value, with such characters in strings as escapes. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
