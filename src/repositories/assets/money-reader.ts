// Repositories: replaces the amounts of a row by money.
import type { FieldTable } from '#core/fields/field.ts';
import { type Money, servedAmount } from '#core/money.ts';
import { currencyColumn, type Row } from './field-columns.ts';

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
