// Tools: the fields of a file, and their columns, from the table of a resource's fields.
import { columnsOf, type Field, type FieldTable, type FieldType, linesOf } from '#core/fields/field.ts';
import * as read from '../readers.ts';
import type { Field as LineField } from '../rows.ts';

/** Types of the staged columns, and readers where the type alone determines them. */
const TYPES: Record<FieldType, { type: string; read?: read.Reader }> = {
  id: { type: 'text' },
  text: { type: 'text', read: read.text },
  name: { type: 'text', read: read.name },
  code: { type: 'text' },
  timestamp: { type: 'timestamptz', read: read.timestamp },
  date: { type: 'date', read: read.date },
  number: { type: 'numeric' },
  integer: { type: 'integer', read: read.wholeNumber(0, 2 ** 31 - 1) },
  bigint: { type: 'bigint', read: read.wholeNumber(0, Number.MAX_SAFE_INTEGER) },
  money: { type: 'jsonb', read: read.money },
  amount: { type: 'numeric', read: read.amount },
  json: { type: 'jsonb' },
};

/** `readers`, by name in a line, are for fields whose type does not determine the reader. Throws if one is missing. */
export function lineFields(fields: FieldTable, readers: Record<string, read.Reader>): Record<string, LineField> {
  return Object.fromEntries(
    linesOf(fields).map(([line, _name, { type, of, required = false }]) => {
      const reader = readers[line] ?? (of === undefined ? TYPES[type].read : read.id(of));
      if (reader === undefined) throw new Error(`the import does not say how ${line} is read`);
      return [line, { read: reader, type: TYPES[type].type, required }];
    }),
  );
}

/**
 * Column → SQL over the staged row `s`, for all fields except the id and those in `otherwise`; `k` has the decimals of
 * the client's reporting currency.
 */
export function stagedColumns(fields: FieldTable, otherwise: readonly string[] = []): Record<string, string> {
  const written = linesOf(fields).filter(([line]) => line !== 'id' && !otherwise.includes(line));
  return Object.fromEntries(
    written.flatMap(([line, name, field]) => {
      const values = valuesOf(line, field);
      return columnsOf(name, field).map((column, at) => [column, values[at] ?? '']);
    }),
  );
}

function valuesOf(line: string, { type, absent }: Field): string[] {
  if (type === 'money') return [`(s.${line}->>'amount')::numeric`, `s.${line}->>'currency'`];
  if (type === 'amount') return [`round(s.${line}, k.decimals)`];
  return [absent === undefined ? `s.${line}` : `coalesce(s.${line}, ${absent})`];
}
