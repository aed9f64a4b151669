// Guarantee: commits of the embedded PostgreSQL are on disk, and other users of the machine cannot read its files.

import fs from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { type EmbeddedServer, openEmbedded } from '#database/embedded.ts';
import { embeddedDirectory } from '#test/support/engines.ts';

/** The files that were synced to disk. */
const synced: string[] = [];
const { fsyncSync } = fs;

/** Also replaces the function in modules that imported it earlier: test files share a process. */
function replaceFsync(by: typeof fsyncSync): void {
  fs.fsyncSync = by;
  syncBuiltinESMExports();
}

let directory: string;
let engine: EmbeddedServer;
let database: Database;

beforeAll(async () => {
  replaceFsync((file) => {
    fsyncSync(file);
    synced.push(fs.readlinkSync(`/proc/self/fd/${file}`));
  });
  directory = join(await mkdtemp(join(inject('directory'), 'files-')), 'data');
  // A directory that other users can read.
  await mkdir(directory, { mode: 0o755 });
  engine = await openEmbedded(directory);
  database = await openDatabase({ url: engine.url, prepare: false });
});
afterAll(async () => {
  replaceFsync(fsyncSync);
  await database.close();
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

it('each commit syncs the write-ahead log to disk', async () => {
  await database.query({ text: 'create table kept (a integer)' });
  for (let count = 0; count < 3; count++) {
    synced.length = 0;
    await database.query({ text: 'insert into kept values (1)' });
    expect(synced).toEqual([expect.stringMatching(/\/pg_wal\/[0-9A-F]{24}$/)]);
  }
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('the data directory and the socket are accessible to their owner only', async () => {
  expect(await modeOf(join(directory, 'postgres'))).toBe('700');
  expect(await modeOf(join(directory, '.s.PGSQL.5432'))).toBe('600');
});

/** A directory in which the path of the socket has this many characters, of two bytes each where possible. */
async function deepDirectory(length: number): Promise<string> {
  const base = await mkdtemp(join(inject('directory'), 'deep-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const deep = join(base, 'ö'.repeat(length - join(base, '.s.PGSQL.5432').length - 1));
  await rename(await embeddedDirectory(), deep);
  return deep;
}

it.each([95, 130])('a data directory can have a socket path of %i characters', async (length) => {
  const deep = await deepDirectory(length);
  const opened = await openEmbedded(deep);
  onTestFinished(() => opened.close());
  const byLink = `${deep}-link`;
  await symlink(deep, byLink);
  expect(await openEmbedded(byLink)).toMatchObject({ guest: true, url: opened.url });
});

it('the name of a data directory can contain special characters of URLs', async () => {
  const base = await mkdtemp(join(inject('directory'), 'names-'));
  const named = join(base, 'a b,ü%41?#&=+');
  await rename(await embeddedDirectory(), named);
  const opened = await openEmbedded(named);
  const own = await openDatabase({ url: opened.url, prepare: false });
  expect(await own.query({ text: 'select 1 as one' })).toEqual([{ one: 1 }]);
  await own.close();
  await opened.close();
});

it('the temporary directory of the socket is removed at the end, and refused if others can write to it', async () => {
  const deep = await deepDirectory(130);
  const { url, close } = await openEmbedded(deep);
  const host = new URL(url).searchParams.get('host') ?? '';
  await close();
  expect(fs.existsSync(host)).toBe(false);
  await mkdir(host);
  onTestFinished(() => rm(host, { recursive: true }));
  await chmod(host, 0o777);
  await expect(openEmbedded(deep)).rejects.toThrow('is accessible to others than its owner');
});

it('a checkpoint is made every five minutes, outside transactions, so that the log does not grow without end', async () => {
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
