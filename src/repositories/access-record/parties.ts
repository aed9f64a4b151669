// Repositories: the keys that appear in a client's access record.
import type { Sql } from '#database/database.ts';

export interface RecordParty {
  firmId: string;
  firmName: string;
  keyId: string;
  keyName: string;
}

/** Every key in the client's record, by firm and name. */
export function listParties(sql: Sql, clientId: string): Promise<RecordParty[]> {
  return sql.query<RecordParty>({
    text: `select f.id as "firmId", f.name as "firmName", k.id as "keyId", k.name as "keyName"
      from access_pairs p join api_keys k on k.id = p.key_id join firms f on f.id = k.firm_id where p.client_id = $1
      order by f.name, k.name, k.id`,
    values: [clientId],
  });
}
