// Repositories: the served fields of a table as a select list, and rows of that list as what is served.
import { columnsOf, type Field, type FieldTable } from '#core/fields/field.ts';
import type { Money } from '#core/money.ts';

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with table and scopes.
export type Row = any;

/** Beside the amount of money, which has the field's own name. */
const currencyColumn = (name: string): string => `${name}Currency`;

/**
 * The columns of the served fields, from rows `from`. Each has its field's name, so that a row is what is served already,
 * but for money.
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

/** A function that puts money in the place of its amounts; `currency` is that of amounts without one of their own. */
export function moneyReader(fields: FieldTable): (row: Row, currency: string) => void {
  const names = Object.keys(fieldsWhere(fields, ({ type }) => type === 'money' || type === 'amount'));
  const places = names.map((name) => ({
    name,
    currencyName: fields[name]?.type === 'money' ? currencyColumn(name) : '',
  }));
  return (row, currency) => {
    for (const { name, currencyName } of places)
      row[name] = money(row[name], currencyName === '' ? currency : row[currencyName]);
  };
}

const money = (amount: string | null, currency: string): Money | null =>
  amount === null ? null : { amount, currency };

export function fieldsWhere(fields: FieldTable, test: (field: Field, name: string) => boolean): FieldTable {
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => test(field, name)));
}
