// Repositories: whose keys stand in a client's access record.
import type { Sql } from '#database/database.ts';

/** Every key that called about a client: from one to the next in the index, as many steps as keys, not as records. */
export const KEYS_ON_RECORD = (client: string) => `with recursive found as (
    select min(key_id) as id from access_records where client_id = ${client}
    union all
    select (select min(r.key_id) from access_records r where r.client_id = ${client} and r.key_id > found.id)
    from found where found.id is not null)
  select id from found where id is not null`;

export interface RecordParty {
  firmId: string;
  firmName: string;
  keyId: string;
  keyName: string;
  environment: string;
}

/** Every key that stands in the client's record, by firm and name. */
export function listParties(sql: Sql, clientId: string): Promise<RecordParty[]> {
  return sql.query<RecordParty>({
    text: `select f.id as "firmId", f.name as "firmName", k.id as "keyId", k.name as "keyName", k.environment
      from (${KEYS_ON_RECORD('$1')}) found join api_keys k using (id) join firms f on f.id = k.firm_id
      order by f.name, k.name, k.id`,
    values: [clientId],
  });
}
