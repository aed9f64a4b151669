// docs/import.md lists exactly the fields that the import reads, the required ones in bold.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KINDS } from '#tools/import/kinds.ts';
import { shapesFor } from '#tools/import/shapes.ts';

const text = readFileSync(new URL('../../../docs/import.md', import.meta.url), 'utf8');
const shapes = shapesFor({ categories: new Map(), documentTypes: [], valuationSources: [] }, 'PTC');

/** The fields in the row of this kind, in backticks and bold if required, without the text in brackets. */
const documented = (kind: string): string[] => {
  const row = text.split('\n').find((line) => line.startsWith(`| \`${kind}.ndjson\``)) ?? '';
  const cell = (row.split('|')[2] ?? '').replace(/\([^)]*\)/g, '');
  return cell.split(',').map((field) => field.trim());
};

it.each(KINDS)('the fields of %s.ndjson are documented', (kind) => {
  const fields = Object.entries(shapes[kind].fields).map(([name, { required }]) =>
    required ? `**\`${name}\`**` : `\`${name}\``,
  );
  expect(documented(kind).sort()).toEqual(fields.sort());
});
