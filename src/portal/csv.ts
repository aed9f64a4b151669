// Portal: rows as CSV (RFC 4180), safe to open in a spreadsheet.

/**
 * Positions at which a spreadsheet would start a formula: at the start of a cell, after blanks and quotes. The
 * separator of cells depends on the locale, and a spreadsheet that splits at semicolons ignores our quotes. So each
 * character at which some locale or import dialog splits counts.
 */
const FORMULA = /(?=[=+\-@＝＋－＠])(?<=(?:^|[,;\t|:،؛，；、\r\n])[\s"]*)/g;
const QUOTED = /[",\r\n]/;

/** One line with its line end. Null is empty; a list is joined by blanks. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const harmless = text.replace(FORMULA, "'");
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
