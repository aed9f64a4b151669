// Guarantee: the REST operations select every property of assets, valuations and documents that a scope grants.
import { readFileSync } from 'node:fs';
import { Kind, parse, visit } from 'graphql';
import { expect, it } from 'vitest';
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import type { FieldTable } from '#core/fields/field.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';

const FILE = 'rest-facade/operations/fragments.graphql';
const { definitions } = parse(readFileSync(new URL(`../../${FILE}`, import.meta.url), 'utf8'));

/** Every field that the fragment on the type selects, at any depth. */
function selected(type: string): Set<string> {
  const names = new Set<string>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value === type)
      visit(definition, { Field: ({ name }) => void names.add(name.value) });
  return names;
}

it.each<[type: string, fields: FieldTable]>([
  ['Asset', ASSET_FIELDS],
  ['Valuation', VALUATION_FIELDS],
  ['Document', DOCUMENT_FIELDS],
])(`the fragment on %s in ${FILE} selects every granted property`, (type, fields) => {
  const names = selected(type);
  const granted = Object.keys(fields).filter((name) => fields[name]?.scope !== null);
  expect(granted.length).toBeGreaterThan(5);
  const missing = granted.filter((name) => !names.has(name));
  expect(missing, `add these to ${FILE}, by their names on the wire`).toEqual([]);
});
