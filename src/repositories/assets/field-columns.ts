// Repositories: the served fields of a table as a select list, and the conversion of its rows.
import { columnsOf, type Field, type FieldTable } from '#core/fields/field.ts';
import { type Money, servedAmount } from '#core/money.ts';

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with table and scopes.
export type Row = any;

/** Column of the currency of an amount; the amount itself has the field's name. */
const currencyColumn = (name: string): string => `${name}Currency`;

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

/**
 * Creates a function that replaces amounts by money; `currency` applies to amounts without a currency of their own. It
 * is generated as source code, since access to members by computed names costs more than everything else done for a
 * row.
 */
export function moneyReader(fields: FieldTable): (row: Row, currency: string) => void {
  const steps = Object.entries(fields).flatMap(([name, { type }]) => {
    if (type === 'amount') return [`row.${name} = money(row.${name}, currency);`];
    return type === 'money' ? [`row.${name} = money(row.${name}, row.${currencyColumn(name)});`] : [];
  });
  return new Function('money', `return (row, currency) => { ${steps.join(' ')} };`)(money);
}

const money = (amount: string | null, currency: string): Money | null =>
  amount === null ? null : { amount: servedAmount(amount, currency), currency };

export function fieldsWhere(fields: FieldTable, test: (field: Field, name: string) => boolean): FieldTable {
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => test(field, name)));
}
