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

/**
 * A function that puts money in the place of its amounts; `currency` is that of amounts without one of their own. It is
 * written out, since reading and setting members by names in variables costs more than all the rest of a row.
 */
export function moneyReader(fields: FieldTable): (row: Row, currency: string) => void {
  const steps = Object.entries(fields).flatMap(([name, { type }]) => {
    if (type === 'amount') return [`row.${name} = money(row.${name}, currency);`];
    return type === 'money' ? [`row.${name} = money(row.${name}, row.${currencyColumn(name)});`] : [];
  });
  return new Function('money', `return (row, currency) => { ${steps.join(' ')} };`)(money);
}

const money = (amount: string | null, currency: string): Money | null =>
  amount === null ? null : { amount, currency };

export function fieldsWhere(fields: FieldTable, test: (field: Field, name: string) => boolean): FieldTable {
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => test(field, name)));
}
