// Data room: saves batches of access records; saving one twice changes nothing.
import type { AccessEvent } from '#core/events.ts';
import type { Sql } from '../database.ts';

/** How exact "last used" is: a key in steady use is not written more often. */
const LAST_USED_STEP = '5 seconds';

export async function saveAccessRecords(sql: Sql, batch: readonly AccessEvent[]): Promise<void> {
  await sql.query({
    text: `
with batch as (
  select * from json_to_recordset($1::json) as r(
    "requestId" text, at timestamptz, "firmId" text, "keyId" text, "clientId" text, endpoint text, "registryId" text,
    scopes smallint, status smallint)),
used as (
  update api_keys k set last_used_at = u.at
  from (select "keyId", max(at) as at from batch group by "keyId") u
  where k.id = u."keyId" and (k.last_used_at is null or k.last_used_at < u.at - interval '${LAST_USED_STEP}'))
insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, registry_id, scopes, status)
select "requestId", at, "firmId", "keyId", "clientId", endpoint, "registryId", scopes, status from batch
on conflict do nothing`,
    values: [JSON.stringify(batch)],
    prepare: true,
  });
}
