// Database: what most statements are read for: one row, one value, or one column.
import type { QueryResultRow } from 'pg';
import type { Sql, Statement } from './database.ts';

/** The first row; null if there is none. */
export async function findRow<Row extends QueryResultRow>(sql: Sql, statement: Statement): Promise<Row | null> {
  const [row] = await sql.query<Row>(statement);
  return row ?? null;
}

/** The first row of a statement that always returns one. Throws an Error otherwise. */
export async function readRow<Row extends QueryResultRow>(sql: Sql, statement: Statement): Promise<Row> {
  const row = await findRow<Row>(sql, statement);
  if (row === null) throw new Error(`no row was returned by: ${statement.text}`);
  return row;
}

/** The only column of all rows. */
export async function readColumn<Value>(sql: Sql, statement: Statement): Promise<Value[]> {
  const rows = await sql.query<Record<string, Value>>(statement);
  return rows.flatMap((row) => Object.values(row));
}

/** The only column of the first row; null if there is no row. */
export async function findValue<Value>(sql: Sql, statement: Statement): Promise<Value | null> {
  const row = await findRow<Record<string, Value>>(sql, statement);
  return row === null ? null : (Object.values(row)[0] ?? null);
}

/** The only column of the first row of a statement that always returns one. Throws an Error otherwise. */
export async function readValue<Value>(sql: Sql, statement: Statement): Promise<Value> {
  const [value] = Object.values(await readRow<Record<string, Value>>(sql, statement));
  return value as Value;
}

/** Whether the statement returns any row, such as one that it changed. */
export const hasRows = async (sql: Sql, statement: Statement): Promise<boolean> =>
  (await sql.query(statement)).length > 0;

/** The values of each of these properties in a list, as parameters for `unnest`. */
export const listsOf = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]));
