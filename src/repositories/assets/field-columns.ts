// Repositories: the served fields of a table as a select list.
import { columnsOf, type Field, type FieldTable } from '#core/fields/field.ts';

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with table and scopes.
export type Row = any;

/** Column of the currency of an amount; the amount itself has the field's name. */
export const currencyColumn = (name: string): string => `${name}Currency`;

/**
 * Select list of the served fields, from rows `from`. Each column has its field's name, so that only money needs
 * converting.
 */
export function selectList(fields: FieldTable, from: string): string {
  return Object.entries(fields)
    .filter(([_name, { scope }]) => scope !== null)
    .flatMap(([name, field]) => {
      const [column, currency] = columnsOf(name, field);
      const value = field.type === 'number' ? `${from}.${column}::float8` : `${from}.${column}`;
      return [`${value} as "${name}"`, ...(currency ? [`${from}.${currency} as "${currencyColumn(name)}"`] : [])];
    })
    .join(', ');
}

export function fieldsWhere(fields: FieldTable, test: (field: Field, name: string) => boolean): FieldTable {
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => test(field, name)));
}
