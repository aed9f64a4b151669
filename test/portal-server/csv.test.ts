// No cell of a CSV export can be read as a formula, whichever separator the spreadsheet uses.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine } from '#portal/csv.ts';

/** The separators that spreadsheets use, by locale or as selected in the import dialog. */
const SEPARATORS = [',', ';', '\t', '|', ':', '،', '؛', '，', '；', '、'];
/** The beginning of a formula, full-width forms included. */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

/** The cells as the least careful parser splits them: inside quotes, too. */
const cellsOf = (text: string, separator: string): string[] =>
  text.split(/\r\n|[\r\n]/).flatMap((line) => line.split(separator));

const expectHarmless = (line: string) => {
  for (const separator of SEPARATORS)
    for (const cell of cellsOf(line, separator)) expect(cell, JSON.stringify([line, separator])).not.toMatch(FORMULA);
};

it.each([
  '=1+1',
  ' =1+1',
  '"=1+1"',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '＝1+1',
  'Watch;=HYPERLINK("http://evil.example")',
  'Watch; =1',
  'Watch;"=1"',
  'Watch\t=1',
  'Watch|=1',
  'Watch\n=1',
  'Watch,=1',
  ';;=1',
])('%j does not begin a formula', (text) => {
  expectHarmless(csvLine(['a', text, 'b']));
  expectHarmless(csvLine([text]));
});

it('random texts do not begin a formula', () => {
  const part = fc.constantFrom('=', '+', '-', '@', '＝', '－', ' ', '"', "'", 'a', '1', '\r', '\n', ...SEPARATORS);
  const texts = fc.array(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    { maxLength: 3 },
  );
  fc.assert(fc.property(texts, (values) => expectHarmless(csvLine(values))));
});

it('harmless values are left unchanged, apart from the quoting of CSV', () => {
  expect(
    csvLine(['GET /api/v1/assets/{registry_id}', 'PTC-WT-01GVJZ4C3074HAXXMA4T1DWJ7R', 'Rolex - gold', 12, null]),
  ).toBe('GET /api/v1/assets/{registry_id},PTC-WT-01GVJZ4C3074HAXXMA4T1DWJ7R,Rolex - gold,12,\r\n');
  expect(csvLine(['2026-01-15T10:00:00.000Z', 'a@b.example', 'He said "no", twice', ['registry', 'valuation']])).toBe(
    '2026-01-15T10:00:00.000Z,a@b.example,"He said ""no"", twice",registry valuation\r\n',
  );
});
