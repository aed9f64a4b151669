// Data room: saves batches of access records; saving one twice changes nothing.
import type { AccessEvent } from '#core/events.ts';
import type { Sql } from '../database.ts';
import { touchLastUsed } from './key-use.ts';

export async function saveAccessRecords(sql: Sql, batch: readonly AccessEvent[]): Promise<void> {
  await sql.query({
    text: `
insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, registry_id, scopes, status)
select "requestId", at, "firmId", "keyId", "clientId", endpoint, "registryId", scopes, status
from json_to_recordset($1::json) as r(
  "requestId" text, at timestamptz, "firmId" text, "keyId" text, "clientId" text, endpoint text, "registryId" text,
  scopes smallint, status smallint)
on conflict do nothing`,
    values: [JSON.stringify(batch)],
    prepare: true,
  });
  await touchLastUsed(sql, batch);
}
