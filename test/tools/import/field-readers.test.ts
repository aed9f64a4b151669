// A field of the table is read by its type, unless the type leaves open which values are right.
import { expect, it } from 'vitest';
import type { FieldType } from '#core/fields/field.ts';
import { lineFields } from '#tools/import/fields/from-table.ts';
import { Wrong } from '#tools/import/readers.ts';

const readerOf = (type: FieldType) => lineFields({ field: { type, scope: null } }, {}).field?.read ?? expect.fail();

it.each([
  ['integer', 2_147_483_647],
  ['bigint', Number.MAX_SAFE_INTEGER],
] as const)('a field of type %s is a whole number from 0 to %d', (type, max) => {
  const read = readerOf(type);
  expect([0, max].map(read)).toEqual([0, max]);
  for (const value of [-1, max + 1, 0.5, '1', null]) expect(read(value)).toBeInstanceOf(Wrong);
});

it.each(['code', 'number', 'json'] as const)('a field of type %s needs a reader of its own', (type) => {
  expect(() => readerOf(type)).toThrow('the import does not say how field is read');
});
