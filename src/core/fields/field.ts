// Core: the definition of a field. Select lists, mappers, entities, import and schema are derived from field tables.
import type { IdKind } from '../ids.ts';
import type { Money } from '../money.ts';
import type { Scope } from '../scopes.ts';

/** The types of fields, with the types of their values in TypeScript and on the wire. */
export interface FieldValues {
  id: string;
  text: string;
  /** Short text that is not blank. */
  name: string;
  /** Code of a reference row. */
  code: string;
  timestamp: string;
  date: string;
  /** A decimal that a double represents exactly as written. */
  number: number;
  integer: number;
  bigint: number;
  /** Amount and currency, in one column each. */
  money: Money;
  /** Money in the client's reporting currency, so that only the amount has a column. */
  amount: Money;
  json: unknown;
}

export type FieldType = keyof FieldValues;

export interface Field {
  type: FieldType;
  /** The scope that grants the field; null where it is stored and never served. */
  scope: Scope | null;
  nullable?: true;
  /** Privacy tier, P1 by default: see `database/entities/tier.ts`. */
  tier?: 'P0' | 'P2';
  /** For ids: the kind of object. */
  of?: IdKind;
  /** Column names, where they differ from the field's name in snake case. Money always has two: amount, currency. */
  columns?: readonly string[];
  /** Import: the name in a line, where not the field's name in snake case; null where the platform sets the field. */
  line?: string | null;
  /** Import: a line without the field is refused. */
  required?: true;
  /** Import: SQL of the value stored where a line lacks the field. */
  absent?: string;
  /** The object of the response that contains the field, where it is not the resource itself. */
  within?: string;
  description?: string;
  /** A realistic example in wire format. */
  example?: unknown;
}

/** By the field's name in GraphQL and TypeScript. */
export type FieldTable = Readonly<Record<string, Field>>;

/** The fields that a scope grants; null for fields that are stored and never served. */
export function grantedBy<
  Granting extends Scope | null,
  const Fields extends Readonly<Record<string, Omit<Field, 'scope'>>>,
>(scope: Granting, fields: Fields) {
  const granted = Object.entries(fields).map(([name, field]) => [name, { ...field, scope }]);
  return Object.fromEntries(granted) as { [Name in keyof Fields]: Fields[Name] & { scope: Granting } };
}

/** TypeScript types of a table's served fields. */
export type ServedValues<Table extends FieldTable> = {
  [Name in keyof Table as Table[Name]['scope'] extends null ? never : Name]:
    | FieldValues[Table[Name]['type']]
    | (Table[Name] extends { nullable: true } ? null : never);
};

/** `market_value_as_of` for `marketValueAsOf`: the name on the wire, in files and of the column. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const columnsOf = (name: string, { columns = [snakeCase(name)] }: Field): readonly string[] => columns;

/** The fields that a line of an import may have: name in the line, name of the field, definition. */
export function linesOf(fields: FieldTable): [line: string, name: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { line = snakeCase(name) } = field;
    return line === null ? [] : [[line, name, field]];
  });
}
