// Repositories: a test client's portfolio: items with valuations, documents and collections, determined by its seed.
import type { Sql } from '#database/database.ts';
import { readPlatformPrefix } from '../reference.ts';
import { makeItems, preparePortfolio } from '../synthetic/portfolio.ts';
import { FIRST_MS } from '../synthetic/seeded-random.ts';
import { COLLECTIONS } from '../synthetic/templates.ts';

/** Enough for two pages of the API, and a few items in each collection. */
const ITEMS = 40;
const VALUATIONS = 6;
const DOCUMENTS = 3;

/** The client must exist without items, and `declareChance` must have been called. */
export async function makePortfolio(sql: Sql, { clientId, seed }: { clientId: string; seed: number }): Promise<void> {
  await sql.query({
    text: `create temporary table generated_clients on commit drop as
      select 0 as n, id, reporting_currency as currency, 1 as factor, 2 as decimals from users where id = $1`,
    values: [clientId],
  });
  await sql.query({
    text: `create temporary table generated_collections on commit drop as
      select 0 as client, k.n - 1 as n, $1::text as client_id, k.name,
        'col_' || pg_temp.ulid(${FIRST_MS}, 'collection/' || k.n) as id
      from unnest($2::text[]) with ordinality as k(name, n)`,
    values: [clientId, COLLECTIONS],
  });
  await sql.query({
    text: 'insert into collections (id, client_id, name) select id, client_id, name from generated_collections',
  });
  await preparePortfolio(sql);
  const counts = { clients: 1, items: ITEMS, valuations: VALUATIONS, documents: DOCUMENTS };
  const plan = { ...counts, seed, environment: 'sandbox', platformPrefix: await readPlatformPrefix(sql) } as const;
  await makeItems(sql, plan, 0, ITEMS - 1, { numbered: false });
}
