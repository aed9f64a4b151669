// Guarantee: no cell of an export can be taken for a formula, whichever character a spreadsheet splits its lines at.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine } from '#portal/csv.ts';

/** What spreadsheets split lines at, by locale or by choice in a dialog. */
const SEPARATORS = [',', ';', '\t', '|', ':', '،', '؛', '，', '；', '、'];
/** What begins a formula, in its full-width forms as well. */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

/** The text's cells as the least careful reader finds them: quotes keep nothing together. */
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
])('%j begins no formula', (text) => {
  expectHarmless(csvLine(['a', text, 'b']));
  expectHarmless(csvLine([text]));
});

it('nor does any other text', () => {
  const part = fc.constantFrom('=', '+', '-', '@', '＝', '－', ' ', '"', "'", 'a', '1', '\r', '\n', ...SEPARATORS);
  const texts = fc.array(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    { maxLength: 3 },
  );
  fc.assert(fc.property(texts, (values) => expectHarmless(csvLine(values))));
});

it('what is harmless stays as it is', () => {
  expect(
    csvLine(['GET /api/v1/assets/{registry_id}', 'PTC-WT-01GVJZ4C3074HAXXMA4T1DWJ7R', 'Rolex - gold', 12, null]),
  ).toBe('GET /api/v1/assets/{registry_id},PTC-WT-01GVJZ4C3074HAXXMA4T1DWJ7R,Rolex - gold,12,\r\n');
  expect(csvLine(['2026-01-15T10:00:00.000Z', 'a@b.example', 'He said "no", twice', ['registry', 'valuation']])).toBe(
    '2026-01-15T10:00:00.000Z,a@b.example,"He said ""no"", twice",registry valuation\r\n',
  );
});
