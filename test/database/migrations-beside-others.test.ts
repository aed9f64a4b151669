// Guarantee: a migration does not block other sessions of the database for long, and says which session blocks it.

import { randomBytes } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, type Sql } from '#database/database.ts';
import { MigrationBlocked, migrate } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import { createOrm } from '#database/orm.ts';
import { createDatabase, createMigratedDatabase, migrateUpTo, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { waitsFor } from '#test/support/locks.ts';
import { MIGRATION_ROWS } from './rows-by-migration.ts';

const disposals: (() => Promise<unknown>)[] = [];
let created: TestDatabase;

beforeEach(async () => {
  created = await createDatabase();
  disposals.push(() => created.drop());
});
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

async function open(url = created.url): Promise<Database> {
  const database = await openDatabase({ url });
  disposals.push(() => database.close());
  return database;
}

/** A session with an open transaction that holds the locks of `text`. */
async function holder(url: string, text: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'somebody' });
  await client.connect();
  disposals.push(() => client.end());
  await client.query(`begin; ${text}`);
  return client;
}

const names = migrations.map(({ name }) => name);

describe('a migration that finds its table locked', () => {
  it('gives up soon, names the session, tries again, and is applied when the lock is free', async () => {
    class Alters extends Migration {
      override up(): void {
        this.addSql('alter table users add remark text');
      }
    }
    const last = 'Migration9999Alters';
    const list = [...migrations, { name: last, class: Alters }];
    const database = await open();
    await migrateUpTo(database, names.at(-1) ?? '');
    const client = await holder(created.url, 'lock table users in row exclusive mode');

    const reasons: string[] = [];
    const onBlocked = (reason: string) => reasons.push(reason);
    const impatient = { lockTimeoutMs: 400, attempts: 2, onBlocked, list };
    const blocked = new RegExp(
      `^${last} waits for users, held by process \\d+ \\(somebody, \\w+, idle in transaction, since \\d{4}-`,
    );
    await expect(migrate(database, 'PTC', impatient)).rejects.toThrow(MigrationBlocked);
    await expect(migrate(database, 'PTC', { ...impatient, attempts: 1 })).rejects.toThrow(blocked);
    expect(reasons).toEqual([expect.stringMatching(blocked)]);

    const patient = migrate(database, 'PTC', { lockTimeoutMs: 400, onBlocked, list });
    await expect.poll(() => reasons.length).toBeGreaterThan(1);
    await client.query('commit');
    expect(await patient).toEqual([last]);
  });

  it('is applied at another attempt after a deadlock', async () => {
    class TakesTwo extends Migration {
      override up(): void {
        this.addSql('lock table firms');
        this.addSql('lock table users');
      }
    }
    const last = 'Migration9999TakesTwo';
    const list = [...migrations, { name: last, class: TakesTwo }];
    const database = await open();
    await migrateUpTo(database, names.at(-1) ?? '');
    // The migration detects the deadlock, long before its lock timeout.
    const client = await holder(created.url, "set local deadlock_timeout = '60s'; lock table users in share mode");
    const reasons: string[] = [];
    const migrated = migrate(database, 'PTC', {
      lockTimeoutMs: 60_000,
      onBlocked: (reason) => reasons.push(reason),
      list,
    });
    await expect.poll(() => database.query({ text: waitsFor({ table: 'users' }) })).toEqual([{ waits: 1 }]);
    await client.query('lock table firms in share mode');
    await client.query('commit');
    expect(await migrated).toEqual([last]);
    expect(reasons).toEqual([expect.stringContaining(last)]);
  });

  it('keeps the migrations before it', async () => {
    class Waits extends Migration {
      override up(): void {
        this.addSql('lock table firms');
      }
    }
    const list = [...migrations, { name: 'Migration9999Waits', class: Waits }];
    const database = await open();
    await migrateUpTo(database, 'Migration0002Accounts');
    await holder(created.url, 'lock table firms in access share mode');
    const impatient = { lockTimeoutMs: 400, attempts: 1, list };
    await expect(migrate(database, 'PTC', impatient)).rejects.toThrow(/^Migration\d+\w+ waits for firms/);
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>({
      text: 'select count(*) from mikro_orm_migrations',
    });
    expect(count).toBeGreaterThan(2);
  });
});

describe('a migration without a transaction', () => {
  class Concurrent extends Migration {
    override isTransactional(): boolean {
      return false;
    }
    override up(): void {
      this.addSql('drop index concurrently if exists sample_idx');
      this.addSql('create index concurrently sample_idx on items (title)');
    }
  }
  const list = [...migrations, { name: 'Migration9999Concurrent', class: Concurrent }];
  let url: string;
  beforeEach(async () => {
    const migrated = await createMigratedDatabase();
    disposals.push(() => migrated.drop());
    url = migrated.url;
  });

  it('waits for locks, and names the session that holds them', async () => {
    const client = await holder(url, 'lock table items in row exclusive mode');
    const reasons: string[] = [];
    const onBlocked = (reason: string) => reasons.push(reason);
    const migrated = migrate(await open(url), 'PTC', { lockTimeoutMs: 40, attempts: 1, onBlocked, list });
    await expect
      .poll(() => reasons[0])
      .toMatch(/^Migration9999Concurrent waits for .+, held by process \d+ \(somebody, /);
    await client.query('commit');
    expect(await migrated).toEqual(['Migration9999Concurrent']);
  });

  it('that builds an index is applied once by concurrent processes, without a deadlock', async () => {
    const several = await Promise.all([1, 2, 3].map(() => open(url)));
    const applied = await Promise.all(several.map((database) => migrate(database, 'PTC', { list })));
    expect(applied.flat()).toEqual(['Migration9999Concurrent']);
  });
});

it('two connections are enough to migrate an empty database', async () => {
  const role = `portico_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(created.url);
  const name = url.pathname.slice(1);
  const run = (...statements: string[]) =>
    withClient(created.url, async (client) => {
      for (const text of statements) await client.query(text);
    });
  await run(
    `create role ${role} login password 'secret-word' connection limit 2`,
    `alter database ${name} owner to ${role}`,
  );
  disposals.push(() =>
    run(`alter database ${name} owner to current_user`, `drop owned by ${role} cascade`, `drop role ${role}`),
  );
  url.username = role;
  url.password = 'secret-word';
  expect(await migrate(await open(url.href), 'PTC')).toEqual(names);
});

describe('what a migration does while it holds a table', () => {
  /** Tables whose number of rows does not depend on clients. */
  const SMALL = [
    ...['change_log', 'database_run', 'deployment', 'mikro_orm_migrations'],
    ...['categories', 'document_types', 'valuation_sources'],
  ];

  interface Held {
    /**
     * Existing tables that were locked against writers and of which rows were read or written: others wait for a scan,
     * a rewrite or an index of all rows.
     */
    working: string[];
    /** Existing tables that were locked against readers, without partitions. */
    exclusive: string[];
  }

  async function heldWhile(database: Database, work: (sql: Sql) => Promise<unknown>): Promise<Held> {
    const found: Held = { working: [], exclusive: [] };
    const rollback = new Error('rollback');
    await database
      .transaction(async (sql) => {
        const readCounts = async () => {
          const rows = await sql.query<{ name: string; rows: number; held: boolean; exclusive: boolean }>({
            text: `select relname as name, s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) + s.n_tup_ins + s.n_tup_upd + s.n_tup_del as rows,
               exists (
                 select from pg_locks l where l.pid = pg_backend_pid() and l.relation = s.relid
                   and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) as held,
               exists (
                 select from pg_locks l join pg_class c on c.oid = l.relation
                 where l.pid = pg_backend_pid() and l.relation = s.relid and not c.relispartition
                   and l.mode = 'AccessExclusiveLock') as exclusive
             from pg_stat_xact_user_tables s order by 1`,
          });
          return new Map(rows.map((row) => [row.name, row]));
        };
        // The session may have counts of earlier transactions.
        const before = await readCounts();
        await work(sql);
        for (const [name, { rows, held, exclusive }] of await readCounts()) {
          if (!before.has(name)) continue;
          if (held && rows !== before.get(name)?.rows && !SMALL.includes(name)) found.working.push(name);
          if (exclusive) found.exclusive.push(name);
        }
        throw rollback;
      })
      .catch((error: unknown) => {
        if (error !== rollback) throw error;
      });
    return found;
  }

  /** Migrations that had landed before the rule (docs/decisions/0023-migrations-beside-readers.md). */
  const BEFORE_THE_RULE: Record<string, string[]> = {
    Migration0005PortalAccounts: ['users'],
    Migration0006AccessActivity: ['access_records', 'grants'],
    Migration0008PortfolioTotals: ['items'],
    Migration0009DocumentCompleteness: ['documents', 'items'],
    Migration0011WalksCovered: ['items'],
  };

  /** Likewise. */
  const SEVERAL_BEFORE_THE_RULE = [
    ...['Migration0005PortalAccounts', 'Migration0014ChangeLog', 'Migration0016Privacy', 'Migration0021Disclosures'],
  ];

  it('reads and writes no rows, and blocks readers of one table at most, except in migrations before the rule', async () => {
    const database = await open();
    const { driver, config } = createOrm();
    const held: Record<string, string[]> = {};
    const several: string[] = [];
    for (const name of names) {
      const found = migrations.find((migration) => migration.name === name);
      if (found?.class.prototype.isTransactional()) {
        const migration = new found.class(driver, config);
        await migration.up();
        const { working, exclusive } = await heldWhile(database, async (sql) => {
          for (const text of migration.getQueries()) await sql.query({ text: String(text) });
        });
        if (working.length > 0) held[name] = working;
        if (exclusive.length > 1) several.push(name);
      }
      await migrateUpTo(database, name);
      for (const { after, text } of MIGRATION_ROWS)
        if (after === name) await database.query({ text: `begin; ${text} commit;` });
    }
    expect(held).toEqual(BEFORE_THE_RULE);
    // With two tables, a request that has read one and waits for the other could be aborted by a deadlock.
    expect(several).toEqual(SEVERAL_BEFORE_THE_RULE);
  });

  it('takes no exclusive lock, builds no plain index and touches no trigger in those without a transaction', async () => {
    const loose = migrations.filter((migration) => !migration.class.prototype.isTransactional());
    const sources = loose.map(({ class: { prototype } }) => String(prototype.up));
    for (const source of sources) {
      expect(source).not.toMatch(/create (?:unique )?index (?!concurrently)/i);
      expect(source).not.toMatch(/alter table(?!.*\bvalidate constraint\b)|\block table\b|\btruncate\b/i);
      // After a failure halfway, a trigger would be missing, which blocks all migrations.
      expect(source).not.toMatch(/\btrigger\b/i);
    }
  });

  it.each([
    ['an index', 'create index on items (title)', ['items']],
    ['a change of type', 'alter table items alter title type varchar', []],
    ['a change of type with a rewrite', 'alter table items alter quantity type float8', ['items']],
    ['a default with a rewrite', 'alter table items add added uuid default gen_random_uuid()', ['items']],
    ['a check that is validated at once', 'alter table items add check (quantity >= 0)', ['items']],
    ['not null', 'alter table items alter description set not null', ['items']],
    ['a backfill beside another column', `alter table items add added text; update items set added = ''`, ['items']],
    ['a copy under a lock', 'alter table items add a text; create table t as select id from items', ['items']],
    ['a column', `alter table items add added text default 'x'`, []],
    ['a check that is not valid', 'alter table items add check (quantity >= 0) not valid', []],
    ['a new table', 'create table more (id text primary key); create index on more (id)', []],
  ])('finds the tables of which %s reads or writes rows', async (_name, text, expected) => {
    const migrated = await createMigratedDatabase();
    disposals.push(() => migrated.drop());
    const database = await open(migrated.url);
    for (const { text: rows, until } of MIGRATION_ROWS)
      await database.query({ text: `begin; ${until?.since ?? rows} commit;` });
    await database.query({ text: `update items set description = 'x'` });
    const { working } = await heldWhile(database, (sql) => sql.query({ text }));
    expect(working).toEqual(expected);
  });
});
