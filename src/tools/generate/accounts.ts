// Tools: the firm, the clients and the collections of synthetic items.
import { currencyDecimals } from '#core/money.ts';
import type { Sql } from '#database/database.ts';
import { readColumn, readValue } from '#database/rows.ts';
import type { GeneratePlan } from '#repositories/synthetic/plan.ts';
import { FIRST_MS } from '#repositories/synthetic/seeded-random.ts';
import { COLLECTIONS, REPORTING_CURRENCIES } from '#repositories/synthetic/templates.ts';

export const firmIdOf = (sql: Sql): Promise<string> =>
  readValue(sql, { text: `select 'frm_' || pg_temp.ulid(${FIRST_MS}, 'firm') as id` });

/** Domain of the addresses of a seed's clients, by which they are found again. */
const domainOf = (seed: number) => `seed-${seed}.example.com`;

export function clientIdsOf(sql: Sql, seed: number): Promise<string[]> {
  return readColumn(sql, {
    text: `select id from users where role = 'client' and email like '%@' || $1 order by id`,
    values: [domainOf(seed)],
  });
}

export async function makeAccounts(sql: Sql, plan: GeneratePlan, firmId: string): Promise<void> {
  await sql.query({
    text: `insert into firms (id, name, plan, plan_active, tier) values ($1, $2, 'enterprise', true, 'enterprise')`,
    values: [firmId, `Synthetic Estates ${plan.seed}`],
  });
  const currencies = REPORTING_CURRENCIES.map(([code, factor]) => ({ code, factor, decimals: currencyDecimals(code) }));
  await sql.query({
    text: `create temporary table generated_clients on commit drop as
      select n, 'usr_' || pg_temp.ulid(${FIRST_MS} + n, 'client/' || n) as id, k.code as currency, k.factor, k.decimals
      from generate_series(0, $1::integer - 1) as n
      join rows from (json_to_recordset($2::json) as (code text, factor integer, decimals integer)) with ordinality
        as k(code, factor, decimals, number) on k.number = 1 + n % ${currencies.length}`,
    values: [plan.clients, JSON.stringify(currencies)],
  });
  await sql.query({
    text: `insert into users (id, email, name, role, environment, reporting_currency)
      select id, format('client-%s@%s', n + 1, $1::text), 'Synthetic client ' || n + 1, 'client', $2, currency
      from generated_clients`,
    values: [domainOf(plan.seed), plan.environment],
  });
  await sql.query({
    text: `create temporary table generated_collections on commit drop as
      select c.n as client, k.n - 1 as n, c.id as client_id, k.name,
        'col_' || pg_temp.ulid(${FIRST_MS} + c.n, 'collection/' || c.n || '/' || k.n) as id
      from generated_clients c cross join unnest($1::text[]) with ordinality as k(name, n)`,
    values: [COLLECTIONS],
  });
  await sql.query({
    text: 'insert into collections (id, client_id, name) select id, client_id, name from generated_collections',
  });
  for (const table of ['generated_clients', 'generated_collections']) await sql.query({ text: `analyze ${table}` });
}
