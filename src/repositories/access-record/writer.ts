// Repositories: saves batches of access records and counts them by day; saving one twice changes nothing.
import type { AccessEvent } from '#core/events.ts';
import type { Sql } from '#database/database.ts';
import { touchLastUsed } from '../keys/key-use.ts';

/** Columns of a record, their types and what they are; the statement takes a list of each, in this order. */
const COLUMNS: readonly [name: string, type: string, value: (event: AccessEvent) => unknown][] = [
  ['request_id', 'text', ({ requestId }) => requestId],
  ['at', 'timestamptz', ({ at }) => at],
  ['firm_id', 'text', ({ firmId }) => firmId],
  ['key_id', 'text', ({ keyId }) => keyId],
  ['client_id', 'text', ({ clientId }) => clientId],
  ['endpoint', 'text', ({ endpoint }) => endpoint],
  ['registry_id', 'text', ({ registryId }) => registryId],
  ['scopes', 'smallint', ({ scopes }) => scopes],
  ['status', 'smallint', ({ status }) => status],
  ['error_code', 'text', ({ errorCode }) => errorCode],
  ['tool_role', 'text', ({ toolRole }) => toolRole],
  ['tool_id', 'text', ({ toolId }) => toolId],
  ['items', 'bytea', ({ disclosure }) => disclosure?.items],
  ['removed', 'bytea', ({ disclosure }) => disclosure?.removed],
  ['disclosed', 'smallint', ({ disclosure }) => disclosure?.scopes],
  ['includes', 'smallint', ({ disclosure }) => disclosure?.includes],
  ['version', 'date', ({ version }) => version],
];

const NAMES = COLUMNS.map(([name]) => name).join(', ');

const SAVE = `
with calls as (
  -- A call with scopes had a living grant; only other pairs are looked up. Limited, so that each is: to find whether any
  -- exists, all grants there are would be read and hashed. A request that nobody has approved joins nobody.
  select *, tool_id is null and (scopes <> 0 or coalesce((
    select true from api_keys k join grants g on g.lineage_id = k.lineage_id
    where k.id = r.key_id and g.client_id = r.client_id and g.activated_at is not null limit 1), false)) as related
  from unnest(${COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')}) as r(${NAMES})
  where client_id is not null
    -- Of a call that the limit refused without the database it is not known whether its client exists.
    and (scopes <> 0 or status <> 429 or exists (select from users u where u.id = r.client_id and u.role = 'client'))),
saved as (
  insert into access_records (${NAMES}, related)
  select ${NAMES}, related from calls on conflict do nothing
  returning firm_id, key_id, at, endpoint, status, error_code, related)
insert into access_days as d (firm_id, day, key_id, endpoint, status, error_code, calls)
select firm_id, (at at time zone 'UTC')::date, key_id, endpoint, status, coalesce(error_code, ''), count(*)
from saved where related group by 1, 2, 3, 4, 5, 6
-- Two gateways meet the same rows in the same order.
order by 1, 2, 3, 4, 5, 6
on conflict (firm_id, day, key_id, endpoint, status, error_code) do update set calls = d.calls + excluded.calls`;

export async function saveAccessRecords(sql: Sql, batch: readonly AccessEvent[]): Promise<void> {
  await sql.query({
    text: SAVE,
    values: COLUMNS.map(([, , value]) => batch.map(value)),
    prepare: true,
  });
  // Also where no client was found: whether a key counts as used must not tell who is one.
  await touchLastUsed(
    sql,
    batch.filter(({ toolId }) => toolId === undefined),
  );
}
