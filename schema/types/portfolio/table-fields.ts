// Schema: fields of a type from its field table: their types, scopes and descriptions.
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
 * The served fields that the object `within` holds; the resource's own where none is named. `types`: of JSON fields whose
 * shape is known.
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
