// Data room: statements that answer one question or several of the same kind.
import type { QueryResultRow } from 'pg';
import type { Sql } from './database.ts';

/** A text for each number of questions: a single one does without lists. */
export interface AskedStatement {
  one: string;
  several: string;
}

/**
 * The statement `around` SQL that gives the questions as rows, numbered `n` from 1, with these columns and their types: they
 * are its first parameters. It is to give `n` back, at most once each.
 */
export function askedStatement(
  columns: Readonly<Record<string, string>>,
  around: (asked: string) => string,
): AskedStatement {
  const types = Object.values(columns);
  const names = Object.keys(columns);
  const values = names.map((name, at) => `$${at + 1}::${types[at]} as ${name}`);
  // Out of the planner's sight, lists of any length have one plan, and that is kept.
  const lists = types.map((type, at) => `(select $${at + 1}::${type}[])`);
  return {
    one: around(`select 1 as n, ${values.join(', ')}`),
    several: around(`select * from unnest(${lists.join(', ')}) with ordinality as listed (${names.join(', ')}, n)`),
  };
}

/** What `toFound` makes of each question's row, in the order of the questions; null where there is none. */
export async function readAsked<Asked, Found>(
  sql: Sql,
  { one, several }: AskedStatement,
  asked: readonly Asked[],
  valuesOf: (question: Asked) => readonly unknown[],
  toFound: (row: QueryResultRow, question: Asked) => Found,
  further: readonly unknown[] = [],
): Promise<(Found | null)[]> {
  const rows = asked.map(valuesOf);
  const [first = []] = rows;
  const statement =
    rows.length === 1
      ? { text: one, values: [...first, ...further] }
      : { text: several, values: [...first.map((_, column) => rows.map((row) => row[column])), ...further] };
  const found: (Found | null)[] = asked.map(() => null);
  for (const row of await sql.query({ ...statement, prepare: true }))
    found[row.n - 1] = toFound(row, asked[row.n - 1] as Asked);
  return found;
}
