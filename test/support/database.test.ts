// Databases for test files: independent copies of one that is migrated once.

import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { migrate, pendingMigrations } from '#database/migrate.ts';
import { createDatabase, createMigratedDatabase } from './database.ts';
import { dropDatabasesOf, prefixOf, urlOf, withClient } from './database-server.ts';

const SECRETS = 'select platform_prefix, cursor_key, portal_secret from deployment';
const SCHEMA = `
  select relname as name, relkind::text as kind, (select count(*) from pg_attribute where attrelid = c.oid) as parts,
    (select count(*) from pg_trigger where tgrelid = c.oid) as triggers
  from pg_class c where relnamespace = 'public'::regnamespace order by 1, 2`;

it('a copy equals a migrated empty database, apart from its own secrets', async () => {
  const made = await Promise.all([createMigratedDatabase(), createMigratedDatabase(), createDatabase()]);
  const opened = await Promise.all(made.map(({ url }) => openDatabase({ url })));
  const [one, other, migrated] = opened as [(typeof opened)[0], (typeof opened)[0], (typeof opened)[0]];
  try {
    await migrate(migrated, 'PTC');
    expect(await pendingMigrations(one)).toEqual([]);
    expect(await one.query({ text: SCHEMA })).toEqual(await migrated.query({ text: SCHEMA }));
    const secrets = await Promise.all(opened.map((database) => database.query({ text: SECRETS })));
    expect(secrets.map(([row]) => row?.platform_prefix)).toEqual(['PTC', 'PTC', 'PTC']);
    for (const column of ['cursor_key', 'portal_secret'])
      expect(new Set(secrets.map(([row]) => String(row?.[column]))).size).toBe(3);
    await one.query({ text: 'insert into plant_accounts (id) values ($1)', values: ['here'] });
    expect(await other.query({ text: 'select id from plant_accounts' })).toEqual([]);
  } finally {
    await Promise.all(opened.map((database) => database.close()));
    await Promise.all(made.map(({ drop }) => drop()));
  }
});

it('databases that a run left behind are dropped at its end, and none of another run', async () => {
  const server = inject('services').postgresUrl;
  const runs = [1, 2].map(() => randomBytes(5).toString('hex'));
  const names = runs.map((run) => `${prefixOf(run)}left`);
  await withClient(server, async (client) => {
    for (const name of names) await client.query(`create database ${name}`);
    const [ended = '', running = ''] = names;
    try {
      await dropDatabasesOf(runs[0] ?? '', server);
      await expect(withClient(urlOf(server, ended), async () => {})).rejects.toThrow('does not exist');
      await withClient(urlOf(server, running), async () => {});
    } finally {
      for (const name of names) await client.query(`drop database if exists ${name}`);
    }
  });
});
