// Repositories: statements that create items with their dependent rows, for a range of numbers at a time.
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import type { GeneratePlan } from './plan.ts';
import { FIRST_MS, LAST_MS } from './seeded-random.ts';
import { TEMPLATES } from './templates.ts';

const at = (milliseconds: string) => `timestamptz 'epoch' + (${milliseconds}) * interval '1 millisecond'`;

/** Creates temporary tables for the templates and for the items of a range. Clients and collections must exist. */
export async function preparePortfolio(sql: Sql): Promise<void> {
  await sql.query({
    text: `create temporary table generated_templates on commit drop as
      select row_number() over (order by t.category collate "C", t.title collate "C") - 1 as n, t.*,
        array(select unnest(c.recommended_documents || '{photograph,other}'::text[])) as types
      from json_to_recordset($1::json) as t(category text, title text, fields jsonb, low numeric, high numeric)
      join categories c on c.code = t.category collate "C"`,
    values: [JSON.stringify(TEMPLATES)],
  });
  await sql.query({
    text: `create temporary table generated_items (n integer, key text, ms bigint, id text collate "C", client_id text collate "C",
      client integer, category text collate "C", title text, fields jsonb, types text[], value numeric, currency text, decimals integer)
      on commit drop`,
  });
}

/**
 * Creates the items numbered `from` to `to`, with their valuations, documents, memberships and share links. With
 * `numbered` the titles contain the numbers, so that those of thousands of items differ.
 */
export async function makeItems(
  sql: Sql,
  plan: GeneratePlan,
  from: number,
  to: number,
  { numbered }: { numbered: boolean } = { numbered: true },
): Promise<void> {
  const step = Math.max(1, Math.floor((LAST_MS - FIRST_MS) / plan.items));
  await sql.query({ text: 'truncate generated_items' });
  await sql.query({ text: CHOOSE, values: [from, to, step, plan.clients] });
  await sql.query({ text: ITEMS, values: [plan.platformPrefix, numbered] });
  await sql.query({ text: MEMBERSHIPS });
  await sql.query({ text: SHARE_LINKS });
  if (plan.valuations > 0) await sql.query({ text: VALUATIONS, values: [plan.valuations] });
  if (plan.documents > 0) await sql.query({ text: DOCUMENTS, values: [plan.documents] });
}

// "offset 0" keeps the planner from computing a value again wherever it is used.
const CHOOSE = `
insert into generated_items
select i.n, i.key, i.ms, 'itm_' || pg_temp.ulid(i.ms, i.key), c.id, c.n, t.category, t.title, t.fields, t.types,
  case when i.worth < 5 then null
    else round(c.factor * (t.low + (t.high - t.low) * pg_temp.roll(i.key || '/value', 10000) / 10000), c.decimals) end,
  c.currency, c.decimals
from (
  select n, 'item/' || n as key, ${FIRST_MS} + n * $3::bigint + pg_temp.roll('time/' || n, $3) as ms,
    pg_temp.roll('template/' || n, ${TEMPLATES.length}) as template, pg_temp.roll('worth/' || n, 100) as worth
  from generate_series($1::integer, $2::integer) as n offset 0) i
join generated_clients c on c.n = i.n % $4::integer
join generated_templates t on t.n = i.template`;

const ITEMS = `
insert into items (id, registry_id, client_id, category, title, quantity, market_value, market_value_as_of,
  purchase_amount, purchase_currency, purchased_on, insurance_amount, insurance_currency, description, notes, seller,
  storage_location, category_fields, heirs, readiness, verification, internal_notes, created_at, updated_at)
select id, $1 || '-' || category || '-' || substr(id, 5), client_id, category, title || case when $2 then ', no. ' || n + 1 else '' end,
  case when category = 'WN' then 1 + pick % 24 else 1 end,
  value, case when value is not null then ${at(`${LAST_MS} - (pick % 90) * ${DAY_MS}::bigint`)} end,
  round(value * 0.8, decimals), case when value is not null then currency end,
  case when value is not null then (${at(`ms - (pick % 3000) * ${DAY_MS}::bigint`)})::date end,
  case when pick % 3 = 0 then round(value * 1.1, decimals) end,
  case when pick % 3 = 0 and value is not null then currency end,
  case when pick % 4 > 0 then title || ', kept with its papers.' end,
  case when pick % 5 = 0 then 'Seen at the last inventory.' end,
  case when pick % 3 > 0 then (array['Private sale', 'Auction house', 'Dealer', 'Inherited'])[1 + pick % 4] end,
  (array['Bank vault', 'Residence', 'Freeport, Geneva', 'Gallery store'])[1 + pick % 4],
  nullif(fields, '{}'),
  case when pick % 4 = 0 then jsonb_build_array(
    jsonb_build_object('name', 'Heir ' || pick % 97, 'relationship', 'child', 'share_percent', 60),
    jsonb_build_object('name', 'Heir ' || pick % 89, 'relationship', 'sibling', 'share_percent', 40)) else '[]' end,
  case when pick % 3 = 0 then jsonb_build_object('score', pick % 101, 'missing', jsonb_build_array('executor')) end,
  case when pick % 2 = 0 then jsonb_build_object(
    'status', (array['verified', 'pending', 'unverified', 'failed'])[1 + pick % 4], 'verified_at', scanned,
    'risk_score', pick % 101, 'tamper_state', (array['intact', 'unknown', 'suspect'])[1 + pick % 3],
    'last_scan_at', scanned,
    'scans', jsonb_build_array(jsonb_build_object('scanned_at', scanned, 'method', 'nfc', 'result', 'match'))) end,
  case when pick % 6 = 0 then 'Internal: call the adviser before the next valuation.' end,
  ${at('ms')}, ${at(`ms + pick % (${LAST_MS} - ms)`)}
from (
  select *, pg_temp.roll(key || '/pick', 1000000007) as pick,
    to_char(${at(`ms + ${DAY_MS}`)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as scanned
  from generated_items offset 0) i`;

const MEMBERSHIPS = `
insert into item_collections (item_id, collection_id)
select i.id, c.id from generated_items i
join generated_collections c on c.client = i.client and c.n = pg_temp.roll(i.key || '/collection', 8)`;

const SHARE_LINKS = `
insert into share_links (id, item_id, label, token, created_at, expires_at)
select 'shl_' || pg_temp.ulid(ms, key || '/link'), id, 'For the family', pg_temp.ulid(ms, key || '/token'),
  ${at('ms')}, case when n % 20 = 0 then ${at(String(LAST_MS))} end
from generated_items where n % 10 = 0`;

const VALUATIONS = `
insert into valuations (id, item_id, source, amount, currency, valued_at, appraiser, created_at)
select 'val_' || pg_temp.ulid(ms, key), item_id, source,
  round(coalesce(value, 100) * (70 + pick % 60) / 100, decimals), currency,
  ${at(`${LAST_MS} - (j * 120 + pick % 60) * ${DAY_MS}::bigint - pick`)},
  case when source in ('appraisal', 'insurance_appraisal') then 'Appraiser ' || 1 + pick % 40 end, ${at('ms')}
from (
  select i.id as item_id, i.ms + j as ms, i.value, i.currency, i.decimals, j, i.key || '/valuation/' || j as key,
    pg_temp.roll(i.key || '/valuation/' || j, 1000003) as pick, s.codes[1 + pg_temp.roll(i.key || '/source/' || j, s.count)] as source
  from generated_items i cross join generate_series(1, $1::integer) as j
  cross join (select array_agg(code order by code) as codes, count(*) as count from valuation_sources) s offset 0) v`;

const DOCUMENTS = `
insert into documents (id, item_id, type, title, issuer, issued_on, expires_on, file_size, file_path, created_at, updated_at)
select 'doc_' || pg_temp.ulid(ms, key), item_id, d.type, t.name, 'Issuer ' || 1 + pick % 60,
  (${at(`ms - (pick % 900) * ${DAY_MS}::bigint`)})::date,
  case when d.type = 'insurance_policy' then date '2026-01-01' + (pick % 1200)::integer - 300 end,
  20000 + pick % 4000000, '/vault/' || item_id || '/' || j || '.pdf', ${at('ms')}, ${at('ms')}
from (
  select i.id as item_id, i.ms + j as ms, j, i.key || '/document/' || j as key,
    pg_temp.roll(i.key || '/document/' || j, 1000003) as pick,
    i.types[1 + (i.n + j) % cardinality(i.types)] as type
  from generated_items i cross join generate_series(1, $1::integer) as j offset 0) d
join document_types t on t.code = d.type`;
