// Test support: a database for one test file, empty or a copy of one that a run migrates once.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import { prefixOf, urlOf, withClient } from '#test/support/database-server.ts';

const MIGRATIONS = new URL('../../src/database/migrations/', import.meta.url);

export interface TestDatabase {
  url: string;
  /** Also closes open connections. */
  drop(): Promise<void>;
}

/** An empty database. */
export function createDatabase(): Promise<TestDatabase> {
  return create(inject('services').postgresUrl, 'template0');
}

/**
 * A copy of a database to which nobody is connected. It is at another place than the original, which its change log
 * reports as an interruption until `confirm_place()` (Migration0017).
 */
export function copyDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  return create(inject('services').postgresUrl, new URL(url).pathname.slice(1));
}

/** The same for a migrated database, ready to be served. */
export async function copyMigratedDatabase(database: TestDatabase): Promise<TestDatabase> {
  const copy = await copyDatabase(database);
  await withClient(copy.url, (client) => client.query('select confirm_place()'));
  return copy;
}

/** A database with all migrations and no rows, as after `portico migrate`. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const admin = inject('services').postgresUrl;
  const created = await create(admin, await migratedTemplate(admin));
  // Not part of the template: the row contains secrets, and the place of the database.
  await withClient(created.url, (client) =>
    client.query(`insert into deployment (platform_prefix) values ('PTC');
      update change_log set tracking = change_tracking()`),
  );
  return created;
}

/** Applies the migrations up to this one, as `portico migrate` does. */
export const migrateUpTo = (database: Database, last: string): Promise<string[]> =>
  migrate(database, 'PTC', { list: migrations.filter(({ name }) => name <= last) });

/** Changes with any migration, so that watch mode does not use an outdated template. */
export function migrationsFingerprint(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(new URL(file, MIGRATIONS)));
  return hash.digest('hex').slice(0, 12);
}

async function create(admin: string, template: string): Promise<TestDatabase> {
  const name = prefixOf(inject('run')) + randomBytes(6).toString('hex');
  // Copying files is faster for small databases than copying through the write-ahead log.
  const options = `encoding 'UTF8' template ${template} strategy file_copy`;
  await withClient(admin, (client) => client.query(`create database ${name} ${options}`));
  const drop = async () => {
    await withClient(admin, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url: urlOf(admin, name), drop };
}

/** Created by the first test process that needs it, while others wait; renamed when complete. */
async function migratedTemplate(admin: string): Promise<string> {
  const template = `${prefixOf(inject('run'))}template_${migrationsFingerprint()}`;
  await withClient(admin, async (client) => {
    // The lock ends with the connection.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return;
    const draft = `${template}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} encoding 'UTF8' template template0`);
    const database = await openDatabase({ url: urlOf(admin, draft) });
    try {
      await migrate(database, 'PTC');
      await database.query({ text: 'delete from deployment' });
    } finally {
      await database.close();
    }
    await client.query(`alter database ${draft} rename to ${template}`);
  });
  return template;
}
