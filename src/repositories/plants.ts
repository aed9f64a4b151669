// Repositories: plants of one account. Ids are decimal text all the way: int64 does not fit a number.
import { Refusal, refuse } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import { hasRows } from '#database/rows.ts';

export interface Plant {
  name: string;
  tag: string | null;
}

/** The account's first `limit` plants in the order of creation. */
export function listPlants(sql: Sql, accountId: string, limit: number): Promise<Plant[]> {
  const text = 'select name, tag from plants where account_id = $1 order by seq limit $2';
  return sql.query<Plant>({ text, values: [accountId, limit], prepare: true });
}

/** Adds a plant. Throws Refusal `already_exists` if the account has one with this id. */
export async function createPlant(sql: Sql, accountId: string, id: string, plant: Plant): Promise<Plant> {
  const text = `insert into plants (account_id, id, name, tag) values ($1, $2, $3, $4)
on conflict do nothing returning name, tag`;
  const [row] = await sql.query<Plant>({ text, values: [accountId, id, plant.name, plant.tag], prepare: true });
  return row ?? refuse('already_exists', `There is a plant with the id ${id} already.`);
}

/** Deletes a plant. Throws Refusal `plant_not_found` if the account has none with this id. */
export async function deletePlant(sql: Sql, accountId: string, id: string): Promise<void> {
  const text = 'delete from plants where account_id = $1 and id = $2 returning 1 as deleted';
  if (!(await hasRows(sql, { text, values: [accountId, id], prepare: true }))) throw new Refusal('plant_not_found');
}
