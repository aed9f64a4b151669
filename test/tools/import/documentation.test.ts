// What docs/import.md says of the files is what the import reads: the same fields, the required ones in bold.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KINDS } from '#tools/import/kinds.ts';
import { shapesFor } from '#tools/import/shapes.ts';

const text = readFileSync(new URL('../../../docs/import.md', import.meta.url), 'utf8');
const shapes = shapesFor({ categories: new Map(), documentTypes: [], valuationSources: [] }, 'PTC');

/** Of a row of the table, what stands outside brackets: a name in backticks each, bold or not. */
const documented = (kind: string): string[] => {
  const row = text.split('\n').find((line) => line.startsWith(`| \`${kind}.ndjson\``)) ?? '';
  const cell = (row.split('|')[2] ?? '').replace(/\([^)]*\)/g, '');
  return cell.split(',').map((field) => field.trim());
};

it.each(KINDS)('%s.ndjson', (kind) => {
  const fields = Object.entries(shapes[kind].fields).map(([name, { required }]) =>
    required ? `**\`${name}\`**` : `\`${name}\``,
  );
  expect(documented(kind).sort()).toEqual(fields.sort());
});
