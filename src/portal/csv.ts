// Portal: rows as CSV (RFC 4180), safe to open in a spreadsheet.

/**
 * Where a spreadsheet would begin a formula: at the start of a cell, past blanks and quotes. Which characters end a cell
 * differs by locale, and one that splits at semicolons takes no notice of quotes within what we call a cell; so each
 * character that some locale or import dialog splits at counts.
 */
const FORMULA = /(?=[=+\-@＝＋－＠])(?<=(?:^|[,;\t|:،؛，；、\r\n])[\s"]*)/g;
const QUOTED = /[",\r\n]/;

/** One line with its end. Null is empty; a list is its members, separated by blanks. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const harmless = text.replace(FORMULA, "'");
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
