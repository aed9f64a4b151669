// Whether the tables of the portfolio could be distributed by client: docs/scale.md agrees with the catalogue.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';

/** Tables whose rows belong to one client. */
const PORTFOLIO = [
  ...['items', 'collections', 'item_collections', 'share_links', 'valuations', 'documents'],
  ...['item_completeness', 'item_changes', 'portfolio_totals', 'removals', 'deleted_items'],
];
/** Tables that a distributed database copies to each node. */
const REFERENCE = ['categories', 'document_types', 'valuation_sources', 'users'];

interface Table {
  name: string;
  /** Whether it has a column client_id that is not null. */
  hasClientId: boolean;
  /** Primary keys and unique constraints without client_id. */
  keys: string[];
  /** Foreign keys to another table of the portfolio, without client_id. */
  foreignKeys: string[];
  /** Columns, not null, that refer to a table of the portfolio. */
  references: { column: string; to: string }[];
  /** Other tables that it refers to. */
  others: string[];
}

let database: TestDatabase;
let tables: Table[];
beforeAll(async () => {
  database = await createMigratedDatabase();
  const result = await withClient(database.url, (client) =>
    client.query(
      `with columns as (
        select attrelid as relation, attnum, attname::text as name, attnotnull as required from pg_attribute
        where attnum > 0 and not attisdropped
      ), keys as (
        select indrelid as relation, indexrelid::regclass::text as name,
          exists (select from columns c where c.relation = indrelid and c.name = 'client_id' and c.attnum = any (indkey)) as carries
        from pg_index where indisunique
      ), references_to as (
        select f.conrelid as relation, f.confrelid::regclass::text as target, f.conname::text as name,
          exists (select from columns c where c.relation = f.conrelid and c.name = 'client_id' and c.attnum = any (f.conkey)) as carries,
          c.name as column, c.required
        from pg_constraint f join columns c on c.relation = f.conrelid and c.attnum = f.conkey[1] where f.contype = 'f'
      )
      select r.relname::text as name,
        exists (select from columns where relation = r.oid and name = 'client_id' and required) as "hasClientId",
        array(select name from keys where relation = r.oid and not carries order by 1) as keys,
        array(select name from references_to where relation = r.oid and target = any ($1) and not carries order by 1) as "foreignKeys",
        (select coalesce(json_agg(json_build_object('column', "column", 'to', target) order by "column"), '[]')
          from references_to where relation = r.oid and target = any ($1) and required) as "references",
        array(select distinct target from references_to where relation = r.oid and not target = any ($1 || $2) order by 1) as others
      from pg_class r where r.relname = any ($1) and r.relnamespace = 'public'::regnamespace order by 1`,
      [PORTFOLIO, REFERENCE],
    ),
  );
  tables = result.rows as Table[];
});
afterAll(() => database?.drop());

/** The paragraph of docs/scale.md that begins with these words. */
function paragraph(words: string): string {
  const text = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const at = text.indexOf(words);
  expect(at, `docs/scale.md says "${words}"`).toBeGreaterThan(-1);
  return text.slice(at, text.indexOf('\n\n', at)).replaceAll('\n', ' ');
}
const named = (names: string[]) => names.map((name) => `\`${name}\``).join(', ');

it('the list of this test contains every table that has a client_id or refers to one that has', async () => {
  const { rows } = await withClient(database.url, (client) =>
    client.query(`select distinct r.relname::text as name from pg_class r
      left join pg_attribute a on a.attrelid = r.oid and a.attname = 'client_id' and not a.attisdropped
      left join pg_constraint f on f.conrelid = r.oid and f.contype = 'f' and f.confrelid in ('items'::regclass, 'collections'::regclass)
      where r.relkind in ('r', 'p') and not r.relispartition and r.relnamespace = 'public'::regnamespace and (a.attname is not null or f.oid is not null)`),
  );
  const other = rows.map(({ name }) => name).filter((name) => !PORTFOLIO.includes(name));
  // Grants and the access record: of clients, too, but not part of a portfolio, and not joined with it.
  expect(other.toSorted()).toEqual(['access_pairs', 'access_records', 'firm_refusals', 'grants']);
});

describe('every table of the portfolio', () => {
  it('has a client_id, or a column that is not null refers to a table that has one', () => {
    expect(tables.map(({ name }) => name)).toEqual(PORTFOLIO.toSorted());
    const withClientId = tables.filter(({ hasClientId }) => hasClientId).map(({ name }) => name);
    for (const { name, hasClientId, references } of tables)
      expect(hasClientId || references.some(({ to }) => withClientId.includes(to)), name).toBe(true);
  });

  it('refers only to the portfolio and reference tables', () => {
    expect(tables.filter(({ others }) => others.length > 0)).toEqual([]);
  });
});

describe('docs/scale.md lists', () => {
  it('tables without a client_id of their own', () => {
    const lacking = tables.filter(({ hasClientId }) => !hasClientId).map(({ name }) => name);
    expect(paragraph('Tables without `client_id`:')).toBe(`Tables without \`client_id\`: ${named(lacking)}.`);
  });

  it('keys without client_id', () => {
    const lacking = tables.flatMap(({ keys }) => keys).toSorted();
    expect(paragraph('Keys without `client_id`:')).toBe(`Keys without \`client_id\`: ${named(lacking)}.`);
  });

  it('foreign keys without client_id', () => {
    const lacking = tables.flatMap(({ foreignKeys }) => foreignKeys).toSorted();
    expect(paragraph('Foreign keys without `client_id`:')).toBe(
      `Foreign keys without \`client_id\`: ${named(lacking)}.`,
    );
  });
});
