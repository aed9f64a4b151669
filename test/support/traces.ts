// Test support: in which tables of a database a text occurs.
import type { Sql } from '#database/database.ts';

/** All rows of each table, as text; those of a table's partitions as the table's. */
export async function rowsOfTables(sql: Sql): Promise<Map<string, string>> {
  const tables = await sql.query<{ name: string; read: string }>({
    text: `select relname::text as name, quote_ident(relname) as read from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  });
  const all = new Map<string, string>();
  for (const { name, read } of tables) {
    const rows = await sql.query<{ row: string }>({ text: `select lower(to_jsonb(t)::text) as row from ${read} t` });
    all.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return all;
}

/** The tables that have a row with the text, in any case. */
export async function tablesWith(sql: Sql, text: string): Promise<string[]> {
  return Object.keys(await tracesIn(sql, { text: [text] }));
}

/** By table, the names under which `marks` has a text that occurs in a row, in any case. */
export async function tracesIn<Name extends string>(
  sql: Sql,
  marks: Readonly<Record<Name, readonly string[]>>,
): Promise<Record<string, Name[]>> {
  const found: Record<string, Name[]> = {};
  for (const [table, rows] of await rowsOfTables(sql)) {
    const names = (Object.keys(marks) as Name[]).filter((name) =>
      marks[name].some((mark) => rows.includes(mark.toLowerCase())),
    );
    if (names.length > 0) found[table] = names;
  }
  return found;
}
