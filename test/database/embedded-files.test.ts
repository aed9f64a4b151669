// Guarantee: what the embedded PostgreSQL has answered is on the disk, and nobody else reads it there.

import { readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { type EmbeddedServer, openEmbedded } from '#database/embedded.ts';

/** What was written through to the disk. */
const synced: string[] = vi.hoisted(() => []);

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fsyncSync = (file: number) => {
    fs.fsyncSync(file);
    synced.push(readlinkSync(`/proc/self/fd/${file}`));
  };
  return { ...fs, fsyncSync };
});

let directory: string;
let engine: EmbeddedServer;
let database: Database;

beforeAll(async () => {
  directory = join(await mkdtemp(join(inject('directory'), 'files-')), 'data');
  // As somebody makes one, for everybody to look into.
  await mkdir(directory, { mode: 0o755 });
  engine = await openEmbedded(directory);
  database = await openDatabase({ url: engine.url, prepare: false });
});
afterAll(async () => {
  await database.close();
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

it('has its log on the disk with each commit', async () => {
  await database.query({ text: 'create table kept (a integer)' });
  for (let count = 0; count < 3; count++) {
    synced.length = 0;
    await database.query({ text: 'insert into kept values (1)' });
    expect(synced).toEqual([expect.stringMatching(/\/pg_wal\/[0-9A-F]{24}$/)]);
  }
});

it('lets nobody else into its files, whose own modes would', async () => {
  expect(((await stat(join(directory, 'postgres'))).mode & 0o777).toString(8)).toBe('700');
});

it('makes a checkpoint every five minutes, between statements: its log would grow without end', async () => {
  const text = 'select checkpoint_lsn::text as last from pg_control_checkpoint()';
  const last = async () => (await database.query<{ last: string }>({ text }))[0]?.last;
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
  await database.query({ text: 'insert into kept values (1)' });
  const first = await last();
  vi.setSystemTime(Date.now() + 299_000);
  await database.query({ text: 'insert into kept values (2)' });
  expect(await last()).toBe(first);
  vi.setSystemTime(Date.now() + 2_000);
  await database.transaction(async (sql) => {
    await sql.query({ text: 'insert into kept values (3)' });
    expect(await sql.query({ text })).toEqual([{ last: first }]);
  });
  const second = await last();
  expect(second).not.toBe(first);
  await database.query({ text: 'insert into kept values (4)' });
  expect(await last()).toBe(second);
});
