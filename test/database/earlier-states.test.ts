// Guarantee: a populated database of every earlier state migrates, and its rows keep their meaning.
import { Migration } from '@mikro-orm/migrations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, SCOPES, scopesOf } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate, pendingMigrations, readMissingTriggers } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import { listGrants } from '#repositories/grants/grant-queries.ts';
import { listKeys } from '#repositories/keys/key-queries.ts';
import { copyDatabase, createDatabase, migrateUpTo, type TestDatabase } from '#test/support/database.ts';
import { MIGRATION_ROWS } from './rows-by-migration.ts';

const names = migrations.map(({ name }) => name);
const newest = names.length;
/** The number of migrations up to and including this one. */
const positionOf = (name: string) => names.indexOf(name) + 1;

/** Columns whose values differ between runs: secrets, times, transactions. Only whether they are null is compared. */
const OF_THE_RUN = [
  'deployment.created_at',
  'deployment.cursor_key',
  'deployment.id',
  'deployment.place',
  'deployment.portal_secret',
  'grants.updated_at',
  'grants.view_changed_at',
  'item_changes.at',
  'item_changes.xid',
  'items.updated_at',
  'notice_looks.began_at',
  'notice_looks.looked_at',
  'portfolio_totals.id',
  'removals.removed_at',
  'deleted_ids.deleted_at',
  'deleted_items.deleted_at',
  'deleted_items.number',
  // Events from before the table existed are added by a migration, ordered by time.
  'firm_events.id',
  'items.number',
  ...['access_keys', 'access_pairs', 'access_shapes', 'access_origins'].map((table) => `${table}.number`),
  ...['key', 'pair', 'shape', 'origin'].map((column) => `access_calls.${column}`),
  ...['key', 'shape', 'origin'].map((column) => `firm_refusals.${column}`),
  'ledger_begin.event',
];
/** Tables for requests in flight and for work to do, which are empty after a migration. */
const NO_CONTENT = [
  ...['mikro_orm_migrations', 'changes', 'change_log', 'database_run', 'portfolio_totals', 'revocations'],
  ...['notices', 'ledger_pending'],
];

async function contentOf(database: Database): Promise<Record<string, string[]>> {
  const columns = await database.query<{ table: string; column: string }>({
    text: `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public'
        and table_name in (select relname from pg_class where relkind in ('r', 'p') and not relispartition)
      order by table_name, ordinal_position`,
  });
  const tables = Map.groupBy(columns, ({ table }) => table);
  const rows: Record<string, string[]> = {};
  for (const [table, ofTable] of tables) {
    if (NO_CONTENT.includes(table)) continue;
    const values = ofTable.map(({ column }) =>
      OF_THE_RUN.includes(`${table}.${column}`) ? `${column} is not null as ${column}` : column,
    );
    rows[table] = await texts(database, `select ${values.join(', ')} from ${table}`);
  }
  // Totals are stored in parts. Their sum is compared, without the trailing zeros of parts with decimals.
  const sums = 'client_id, category, sum(items) as items, trim_scale(sum(value)) as value';
  rows.portfolio_totals = await texts(
    database,
    `select ${sums} from portfolio_totals group by client_id, category having sum(items) <> 0`,
  );
  return rows;
}

async function texts(database: Database, select: string): Promise<string[]> {
  const rows = await database.query<{ row: string }>({ text: `select to_jsonb(t)::text as row from (${select}) t` });
  return rows.map(({ row }) => row).sort();
}

/** Writes the rows of the migrations after position `from` up to `to`, each group in one transaction. */
async function populate(database: Database, from: number, to: number): Promise<void> {
  for (const { after, text, until } of MIGRATION_ROWS) {
    const position = positionOf(after);
    if (position <= from || position > to) continue;
    const written = until !== undefined && to >= positionOf(until.migration) ? until.since : text;
    await database.query({ text: `begin; ${written} commit;` });
  }
}

const opened: { database: Database; created: TestDatabase }[] = [];

/** Without rows, and at the latest state that a test has asked for: states are copied in their order. */
let trunk: TestDatabase;

async function open(created: TestDatabase): Promise<Database> {
  const database = await openDatabase({ url: created.url });
  opened.push({ database, created });
  return database;
}

/** A database without rows after this many migrations. */
async function emptyAt(state: number): Promise<Database> {
  // A database that is copied has no connections.
  const original = await openDatabase({ url: trunk.url });
  await migrateUpTo(original, names[state - 1] ?? '').finally(() => original.close());
  const database = await open(await copyDatabase(trunk));
  expect(await pendingMigrations(database)).toEqual(names.slice(state));
  if (state >= positionOf('Migration0017Restores')) await database.query({ text: 'select confirm_place()' });
  return database;
}

/** A database that was populated after this many migrations, then migrated and populated further. */
async function migratedFrom(state: number): Promise<Database> {
  const database = await emptyAt(state);
  await populate(database, 0, state);
  await migrate(database, 'PTC');
  await populate(database, state, newest);
  return database;
}

let reference: Record<string, string[]>;

beforeAll(async () => {
  trunk = await createDatabase();
  const database = await open(await createDatabase());
  await migrate(database, 'PTC');
  await populate(database, 0, newest);
  reference = await contentOf(database);
});
afterAll(async () => {
  for (const { database, created } of opened) {
    await database.close();
    await created.drop();
  }
  await trunk.drop();
});

it('the rows of this test fill every table except portal_verifications', () => {
  const empty = Object.entries(reference).flatMap(([table, rows]) => (rows.length === 0 ? [table] : []));
  expect(empty).toEqual(['portal_verifications']);
});

describe.each(names.map((name, index) => ({ name, state: index + 1 })))('populated after $name', ({ state }) => {
  it('has the same rows after migration as a new database', async () => {
    const database = await migratedFrom(state);
    expect(await contentOf(database)).toEqual(reference);

    const grants = (await listGrants(database)).map(({ id, status, scopes }) => [id.at(-1), status, scopesOf(scopes)]);
    expect(grants.sort()).toEqual([
      ['1', 'active', [...SCOPES]],
      ['2', 'expired', ['registry', 'detail']],
      ['3', 'revoked', ['valuation', 'verification']],
      ['4', 'expired', ['category_detail']],
      ['5', 'pending', ['documentation']],
      ['6', 'declined', ['estate']],
      ['7', 'withdrawn', ['verification']],
      ['8', 'pending', ['registry']],
      ['9', 'declined', ['registry']],
    ]);
    const keys = (await listKeys(database)).map(({ id, status, tier, scopes }) => [id.at(-1), status, tier, scopes]);
    expect(keys.sort()).toEqual([
      ['1', 'expired', 'sandbox', ALL_SCOPES],
      ['2', 'active', 'enterprise', ALL_SCOPES],
      ['3', 'revoked', 'sandbox', 3],
    ]);
  });
});

it('Migration0052 expects the triggers that earlier migrations created', async () => {
  const database = await open(await createDatabase());
  await migrateUpTo(database, 'Migration0052ExpectedTriggers');
  const read = (from: string) => texts(database, `select * from ${from}`);
  expect(await read('expected_triggers')).toEqual(await read('present_triggers()'));
});

class Later extends Migration {
  override up(): void {
    this.addSql('create table later ()');
  }
}

it('a trigger dropped before Migration0052 is reported as missing from then on, and blocks later migrations', async () => {
  const database = await open(await createDatabase());
  await migrateUpTo(database, 'Migration0051FiniteValuations');
  await database.query({ text: 'drop trigger items_updated on items' });
  const list = [...migrations, { name: 'Migration9999Later', class: Later }];
  await expect(migrate(database, 'PTC', { list })).rejects.toThrow('lacks triggers');
  expect(await readMissingTriggers(database)).toEqual([{ relation: 'items', name: 'items_updated', definition: null }]);
  expect(await database.query({ text: "select from pg_class where relname = 'later'" })).toEqual([]);
});

it('a trigger that no migration created is not expected', async () => {
  const database = await migratedFrom(newest);
  await database.query({
    text: 'create trigger audited before update on items for each row execute function suppress_redundant_updates_trigger()',
  });
  const before = await texts(database, 'select relation, name from expected_triggers');
  await migrate(database, 'PTC', { list: [...migrations, { name: 'Migration9999Later', class: Later }] });
  expect(await texts(database, 'select relation, name from expected_triggers')).toEqual(before);
});

it('migrations neither end nor cause an interruption of the change log', async () => {
  for (const interrupted of [true, false]) {
    const database = await open(await createDatabase());
    await migrateUpTo(database, 'Migration0015ReportingCurrency');
    if (interrupted) await database.query({ text: "update change_log set tracking = 'of another cluster'" });
    await migrate(database, 'PTC');
    expect(await database.query({ text: 'select database_epoch() is null as interrupted' })).toEqual([{ interrupted }]);
  }
});

it('grants accept sets of known scopes only', async () => {
  const database = await migratedFrom(newest);
  const write = (scopes: number) => database.query({ text: 'update grants set scopes = $1', values: [scopes] });
  await write(1);
  await write(ALL_SCOPES);
  await expect(write(0)).rejects.toThrow('grants_scopes_check');
  await expect(write(ALL_SCOPES + 1)).rejects.toThrow('grants_scopes_check');
});
