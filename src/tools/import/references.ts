// Tools: checks that need more than one line: duplicate rows, missing references, and values that must not change.
import { currencyDecimals } from '#core/money.ts';
import type { Sql } from '#database/database.ts';
import { CHECKS } from './checks.ts';
import { type Fault, MAX_FAULTS } from './faults.ts';
import { fileOf, KINDS } from './kinds.ts';
import type { Progress } from './progress.ts';

/** Creates temporary tables that checks and writers share. All rows must be staged. */
async function prepareReferences(sql: Sql): Promise<void> {
  for (const text of PREPARATIONS) await sql.query({ text });
  const currencies = await sql.query<{ code: string }>({
    text: 'select distinct reporting_currency as code from import_clients where reporting_currency is not null',
  });
  const decimals = currencies.map(({ code }) => ({ code, decimals: currencyDecimals(code) ?? 0 }));
  await sql.query({
    text: `insert into import_currencies select * from json_to_recordset($1::json) as row(code text, decimals integer)`,
    values: [JSON.stringify(decimals)],
  });
}

const PREPARATIONS = [
  // All clients after the import. A fresh one had no item before, so no firm can have synchronised its items.
  `create temporary table import_clients on commit drop as
   select s.id, s.reporting_currency, u.populated_at is null as fresh
   from staged_users s left join users u on u.id = s.id
   where s.id is not null and not s.deleted and s.role is distinct from 'firm_member'
   union all
   select u.id, u.reporting_currency, u.populated_at is null from users u
   where u.role = 'client' and not exists (select from staged_users s where s.id = u.id)`,
  'create index on import_clients (id)',
  'analyze import_clients',
  'create temporary table import_currencies (code text collate "C" primary key, decimals integer) on commit drop',
  `create temporary table staged_memberships on commit drop as
   select distinct s.line, s.id as item_id, s.client_id, m.collection_id
   from staged_assets s cross join unnest(s.collection_ids) as m(collection_id)`,
  'create index on staged_memberships (line)',
  'analyze staged_memberships',
  `create temporary table staged_share_links on commit drop as
   select s.line, s.id as item_id, l.* from staged_assets s
   cross join jsonb_to_recordset(s.share_links)
     as l(id text collate "C", label text, token text, created_at timestamptz, expires_at timestamptz)
   where s.share_links is not null`,
  'create index on staged_share_links (line)',
  'create index on staged_share_links (id)',
  'analyze staged_share_links',
];

/** Runs the checks until there are enough errors. Returns all of them, ordered by file and line. */
export async function checkReferences(sql: Sql, found: readonly Fault[], progress: Progress): Promise<Fault[]> {
  progress.phase('Checking references', CHECKS.length, 'checks');
  await prepareReferences(sql);
  const faults = [...found];
  for (const [index, { kind, field, text }] of CHECKS.entries()) {
    if (faults.length >= MAX_FAULTS) break;
    const rows = await sql.query<{ line: number; reason: string }>({
      text: `select line, reason from (${text}) as fault order by line limit ${MAX_FAULTS - faults.length}`,
    });
    faults.push(...rows.map(({ line, reason }) => ({ file: fileOf(kind), line, field, reason })));
    progress.reached(index + 1);
  }
  const order = KINDS.map(fileOf);
  return faults.sort((a, b) => order.indexOf(a.file) - order.indexOf(b.file) || a.line - b.line);
}
