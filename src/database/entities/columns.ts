// Database: an entity's properties, derived from its field table: one per column, with its tier.
import { p } from '@mikro-orm/core';
import { columnsOf, type FieldTable, type FieldType } from '#core/fields/field.ts';
import { P0, P1, P2 } from './tier.ts';

const TIERS = { P0, P1, P2 };

/** For money, the amount; its currency is text. */
const COLUMNS = {
  id: () => p.text(),
  text: () => p.text(),
  name: () => p.text(),
  code: () => p.text(),
  timestamp: () => p.datetime(3),
  date: () => p.date(),
  number: () => p.decimal(),
  integer: () => p.integer(),
  bigint: () => p.bigint(),
  money: () => p.decimal(),
  amount: () => p.decimal(),
  json: () => p.json(),
} satisfies Record<FieldType, unknown>;

const camelCase = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

export function propertiesOf(fields: FieldTable) {
  const properties = Object.entries(fields).flatMap(([name, field]) =>
    columnsOf(name, field).map((column, at) => {
      const property = TIERS[field.tier ?? 'P1'](at === 0 ? COLUMNS[field.type]() : p.text());
      const keyed = name === 'id' ? property.primary() : property;
      return [camelCase(column), field.nullable ? keyed.nullable() : keyed] as const;
    }),
  );
  return Object.fromEntries(properties);
}
