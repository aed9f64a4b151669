// Repositories: the keys that appear in a client's access record.
import type { Sql } from '#database/database.ts';

export interface RecordParty {
  firmId: string;
  firmName: string;
  keyId: string;
  keyName: string;
}

const PARTIES = `select f.id as "firmId", f.name as "firmName", k.id as "keyId", k.name as "keyName", k.lineage_id
  from access_pairs p join api_keys k on k.id = p.key_id join firms f on f.id = k.firm_id where p.client_id = $1`;

/** Every key in the client's record. */
export function listRecordedKeys(sql: Sql, clientId: string): Promise<RecordParty[]> {
  return sql.query<RecordParty>({ text: PARTIES, values: [clientId] });
}

/**
 * The keys in the client's record, by firm and name. A filter by a key is one by its lineage, so keys of a lineage with
 * the same name are one, the newest.
 */
export function listParties(sql: Sql, clientId: string): Promise<RecordParty[]> {
  const text = `select distinct on ("firmName", "firmId", "keyName", lineage_id) "firmId", "firmName", "keyId", "keyName"
    from (${PARTIES}) party order by "firmName", "firmId", "keyName", lineage_id, "keyId" desc`;
  return sql.query<RecordParty>({ text, values: [clientId] });
}
