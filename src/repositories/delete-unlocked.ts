// Repositories: deletes rows that have served their time.
import type { Sql } from '#database/database.ts';

/**
 * Deletes rows of a table that is not partitioned. `which` is SQL after the table's name, such as `where …`. Skips
 * locked rows until the next time: whoever holds them may lock the others in another order, and could deadlock with it.
 */
export async function deleteUnlocked(
  sql: Sql,
  table: string,
  which: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const text = `delete from ${table} where ctid = any(array(select ctid from ${table} ${which} for update skip locked))`;
  await sql.query({ text, values });
}
