// Command line: names that firms and clients have chosen, as text for a terminal, which would obey their control
// characters.

import { CONTROL_CHARACTER } from '#core/text-lengths.ts';

const ALL = new RegExp(CONTROL_CHARACTER, 'gu');

/** For one or several lines, which may have tabs. */
export const printable = (text: string): string =>
  text.replace(ALL, (one) => (one === '\n' || one === '\t' ? one : '\ufffd'));

/** For a place within a line. */
export const printableLine = (text: string): string => printable(text).replaceAll(/[\n\t]/g, ' ');

/** The same JSON values, in one line each, with such characters in strings as escapes. */
export const printableJson = (lines: string): string =>
  lines.replace(ALL, (one) => (one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`));
