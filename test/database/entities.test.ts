// Entities match the tables that the migrations create, and every property has a privacy tier.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/database.ts';
import { tierOf } from '#database/entities/tier.ts';
import { createOrm } from '#database/orm.ts';
import { openMigrated } from '../repositories/parties.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

/** Excludes views and partitions. */
const IS_TABLE = `table_name in (select relname from pg_class where relkind in ('r', 'p') and not relispartition)`;

const properties = () =>
  [...createOrm().getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    props.map(({ name, fieldNames, comment, nullable }) => ({
      table: tableName,
      name,
      column: fieldNames[0],
      comment,
      nullable,
    })),
  );

it('every column of every table is a property of an entity, and vice versa', async () => {
  const columns = await database.query<{ table: string; column: string }>({
    text: `select table_name as table, column_name as column from information_schema.columns
where table_schema = 'public' and ${IS_TABLE} and table_name <> 'mikro_orm_migrations'`,
  });
  const written = ({ table, column }: { table: string; column?: string | undefined }) => `${table}.${column}`;
  expect(properties().map(written).sort()).toEqual(columns.map(written).sort());
});

it('a property is nullable exactly if its column is', async () => {
  const columns = await database.query<{ place: string }>({
    text: `select table_name || '.' || column_name as place from information_schema.columns
where table_schema = 'public' and ${IS_TABLE} and is_nullable = 'YES' and table_name <> 'mikro_orm_migrations'`,
  });
  const nullable = properties().filter((property) => property.nullable === true);
  expect(nullable.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    columns.map(({ place }) => place).sort(),
  );
});

it('every property has a privacy tier', async () => {
  const untagged = properties().filter(({ comment }) => tierOf(comment) === null);
  expect(untagged).toEqual([]);
});
