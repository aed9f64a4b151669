// Schema: fields of a type from a field table: their types, scopes and descriptions.
import type { FieldTable, FieldType } from '#core/fields/field.ts';
import type { FieldBuilder } from '../../builder.ts';
import { Money } from './money.ts';

const TYPES = {
  id: 'ID',
  text: 'String',
  name: 'String',
  code: 'String',
  timestamp: 'Timestamp',
  date: 'Date',
  number: 'Float',
  integer: 'Int',
  bigint: 'Float',
  money: Money,
  amount: Money,
  json: 'JSON',
} as const satisfies Record<FieldType, unknown>;

/**
 * The served fields within the object `within`, or else the resource's own. `types` has the types of JSON fields with a
 * known shape.
 */
export function tableFields<Shape>(
  t: FieldBuilder<Shape>,
  fields: FieldTable,
  types: Readonly<Record<string, unknown>> = {},
  within?: string,
) {
  const served = Object.entries(fields).filter(([_name, field]) => field.scope !== null && field.within === within);
  return Object.fromEntries(
    served.map(([name, { type, scope, nullable = false, description }]) => {
      const options = { type: types[name] ?? TYPES[type], nullable, authScopes: { [scope ?? '']: true }, description };
      return [name, t.expose(name as never, options as never)];
    }),
  );
}
