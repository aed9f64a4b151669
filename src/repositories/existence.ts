// Repositories: checks that the firm, client or grant of an id exists.
import { refuse } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';

export async function requireFirmExists(sql: Sql, id: string): Promise<void> {
  const [firm] = await sql.query({ text: 'select 1 from firms where id = $1', values: [id] });
  if (firm === undefined) refuse('resource_not_found', `There is no firm ${id}.`);
}

export async function requireClientExists(sql: Sql, id: string): Promise<void> {
  const [client] = await sql.query({ text: `select 1 from users where id = $1 and role = 'client'`, values: [id] });
  if (client === undefined) refuse('resource_not_found', `There is no client ${id}.`);
}

/** A subject of the ledger. */
export async function requireSubjectExists(sql: Sql, id: string): Promise<void> {
  const text = `select 1 from users where id = $1 and role = 'client'
    union all select 1 from firms where id = $1 union all select 1 from grants where id = $1`;
  const [subject] = await sql.query({ text, values: [id] });
  if (subject === undefined) refuse('resource_not_found', `There is no client, firm or grant ${id}.`);
}
