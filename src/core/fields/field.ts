// Core: what a row of a field table says. Select lists, row mappers, entities, the import and the schema are made of it.
import type { IdKind } from '../ids.ts';
import type { Money } from '../money.ts';
import type { Scope } from '../scopes.ts';

/** The types of fields, and what their values are in TypeScript and on the wire. */
export interface FieldValues {
  id: string;
  text: string;
  /** Short text that is not blank. */
  name: string;
  /** Code of a reference row. */
  code: string;
  timestamp: string;
  date: string;
  /** A decimal that a double holds exactly as written. */
  number: number;
  integer: number;
  bigint: number;
  /** Amount and currency, a column each. */
  money: Money;
  /** Money in the client's reporting currency: only the amount has a column. */
  amount: Money;
  json: unknown;
}

export type FieldType = keyof FieldValues;

export interface Field {
  type: FieldType;
  /** The scope that grants it; null: stored, and served to nobody. */
  scope: Scope | null;
  nullable?: true;
  /** Privacy tier, P1 unless said otherwise: see `database/entities/tier.ts`. */
  tier?: 'P0' | 'P2';
  /** Of an id: what it names. */
  of?: IdKind;
  /** Where not the field's name in snake case; of money always: amount, currency. */
  columns?: readonly string[];
  /** Import: the field of a line, where not its name in snake case; null where the platform fills it in. */
  line?: string | null;
  /** Import: a line without it is refused. */
  required?: true;
  /** Import: SQL for what is stored where a line has none. */
  absent?: string;
  /** The object of the answer that holds it, where that is not the resource itself. */
  within?: string;
  description?: string;
  /** A believable value, as the wire has it. */
  example?: unknown;
}

/** By the name that GraphQL and TypeScript have for it. */
export type FieldTable = Readonly<Record<string, Field>>;

/** The fields that a scope grants; with null those that are stored, and served to nobody. */
export function grantedBy<
  Granting extends Scope | null,
  const Fields extends Readonly<Record<string, Omit<Field, 'scope'>>>,
>(scope: Granting, fields: Fields) {
  const granted = Object.entries(fields).map(([name, field]) => [name, { ...field, scope }]);
  return Object.fromEntries(granted) as { [Name in keyof Fields]: Fields[Name] & { scope: Granting } };
}

/** What the served fields of a table are in TypeScript. */
export type ServedValues<Table extends FieldTable> = {
  [Name in keyof Table as Table[Name]['scope'] extends null ? never : Name]:
    | FieldValues[Table[Name]['type']]
    | (Table[Name] extends { nullable: true } ? null : never);
};

/** `market_value_as_of` for `marketValueAsOf`: its name on the wire and in files, and of its column. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const columnsOf = (name: string, { columns = [snakeCase(name)] }: Field): readonly string[] => columns;

/** The fields that a line of an import may have: name in the line, name of the field, field. */
export function linesOf(fields: FieldTable): [line: string, name: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { line = snakeCase(name) } = field;
    return line === null ? [] : [[line, name, field]];
  });
}
