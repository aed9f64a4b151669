// A process killed at any moment while it archives a month loses no call, and the next process completes the archive.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { listMonths } from '#repositories/access-record/partitions.ts';
import { listCallsAbout } from '#repositories/record-archive/archived-calls.ts';
import type { Manifest } from '#repositories/record-archive/manifest.ts';
import { openMonth } from '#repositories/record-archive/verified-file.ts';
import { runHere } from '#test/cli/portico.ts';
import { Chance } from '#test/guarantees/chance.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { copyMigratedDatabase, createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { monthsAgo, type OldCalls, partitionOf, saveOldCalls } from '#test/support/old-calls.ts';
import { until } from '#test/support/ports.ts';
import { saveCalls } from '#test/support/save-calls.ts';

const TIMEOUT_MS = 120_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const chance = new Chance();
const month = partitionOf(5);

/** With the calls, for each test to copy. */
let filled: TestDatabase;
let created: TestDatabase;
let database: Database;
let directory: string;
let old: OldCalls;
let rows: number;
let child: ChildProcess | undefined;
beforeAll(async () => {
  filled = await createMigratedDatabase();
  const filling = await openDatabase({ url: filled.url });
  old = await saveOldCalls(filling, [5, 0]);
  const calls = Array.from({ length: 15_000 }, (_, nth) => ({
    ...{ requestId: newId('request'), at: new Date(monthsAgo(5) + nth * 9_000).toISOString(), firmId: 'frm_1' },
    ...{ keyId: 'key_1', clientId: old.clients[nth % 3]?.id ?? '', endpoint: 'GET /b', registryId: null, scopes: 3 },
    ...{ status: 200, errorCode: null },
  }));
  for (let from = 0; from < calls.length; from += 3_000) await saveCalls(filling, calls.slice(from, from + 3_000));
  rows = calls.length + 120;
  await filling.close();
});
afterAll(() => filled.drop());
beforeEach(async () => {
  created = await copyMigratedDatabase(filled);
  database = await openDatabase({ url: created.url });
  directory = mkdtempSync(join(tmpdir(), 'portico-archive-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await database.close();
  await created.drop();
  rmSync(directory, { recursive: true, force: true });
});

const env = () => ({ DATABASE_URL: created.url, ACCESS_RECORD_DAYS: '45', RECORD_ARCHIVE: directory });
const files = () => readdirSync(directory);
const has = (pattern: RegExp) => async () => files().some((name) => pattern.test(name));
const isAttached = async () => (await listMonths(database)).some(({ name }) => name === month);

/** Kills `access maintain` as soon as `when` is true; returns whether it was still running. */
async function killed(when: () => Promise<boolean>): Promise<boolean> {
  child = spawn(process.execPath, ['src/main.ts', 'access', 'maintain'], {
    ...{ cwd: root, env: { ...CHILD_ENVIRONMENT, ...env() }, stdio: 'ignore' },
  });
  const exited = once(child, 'exit');
  await until(
    async () => child?.exitCode !== null || (await when()),
    TIMEOUT_MS,
    () => new Error('the condition was never true'),
  );
  child.kill('SIGKILL');
  const [, signal] = await exited;
  return signal === 'SIGKILL';
}

/** Meanwhile no process gets further than the manifest of a month, so that it cannot end before it is killed. */
const withoutEnd = <Result>(work: () => Promise<Result>): Promise<Result> =>
  withClient(created.url, async (client) => {
    await client.query('begin; lock table record_archive_months in share mode');
    return work();
  });

const everyCall = () =>
  Promise.all(
    old.clients.map(({ id: clientId }) =>
      listCallsAbout(database, directory, { clientId, registryId: null, since: null, until: null, limit: 100_000 }),
    ),
  );
const idsOf = async () => (await everyCall()).map((calls) => calls.map(({ requestId }) => requestId));

async function expectArchived(): Promise<void> {
  await until(
    async () => (await runHere(env(), 'access', 'maintain')).code === 0,
    TIMEOUT_MS,
    () => new Error('the lease of the killed process did not expire'),
  );
  expect(await isAttached()).toBe(false);
  expect(await database.query({ text: `select to_regclass('${month}') as there` })).toEqual([{ there: null }]);
  const manifest: Manifest = JSON.parse(readFileSync(join(directory, `${month}.json`), 'utf8'));
  expect(files().sort()).toEqual([manifest.file, `${month}.json`].sort());
  await using file = await openMonth(directory, manifest);
  expect((await Array.fromAsync(file.all())).flat()).toHaveLength(rows);
}

it.each([
  ['while it writes the file', has(/\.partial$/)],
  ['after the file is in place', has(/\.parquet$/)],
  ['after the manifest is in place', has(/\.json$/)],
])('a process killed %s loses no call', async (_, when) => {
  const before = await idsOf();
  expect(before.flat()).toHaveLength(rows + 120);
  expect(await withoutEnd(() => killed(when))).toBe(true);
  expect(await idsOf()).toEqual(before);
  await expectArchived();
  expect(await idsOf()).toEqual(before);
});

it('a process killed while it waits for a reader of the month that it detaches loses no call', async () => {
  const before = await idsOf();
  const reader = new Client({ connectionString: created.url });
  await reader.connect();
  await reader.query('begin; select count(*) from access_calls');
  expect(await killed(has(/\.json$/))).toBe(true);
  expect(await idsOf()).toEqual(before);
  // Leaves the partition in the state of an interrupted detach.
  const detaching = new Client({ connectionString: created.url });
  await detaching.connect();
  await detaching.query("set lock_timeout = '50ms'");
  await expect(
    detaching.query(`alter table access_calls detach partition ${month} concurrently`),
  ).rejects.toMatchObject({ code: '55P03' });
  await detaching.end();
  expect((await listMonths(database)).find(({ name }) => name === month)?.state).toBe('leaving');
  expect(await idsOf()).toEqual(before);
  await reader.query('commit');
  await reader.end();
  await expectArchived();
  expect(await idsOf()).toEqual(before);
});

it('processes killed at random moments lose no call', async () => {
  const before = await idsOf();
  for (let turn = 0; turn < 12 && (await isAttached()); turn++) {
    // Each is longer than the one before. The first process cannot end by itself.
    const wait = 200 + 250 * turn + chance.below(250);
    let waited = false;
    sleep(wait).then(() => {
      waited = true;
    });
    const kill = () => killed(async () => waited);
    const wasKilled = await (turn === 0 ? withoutEnd(kill) : kill());
    if (turn === 0) expect(wasKilled).toBe(true);
    expect(await idsOf(), `seed ${chance.seed}`).toEqual(before);
  }
  await expectArchived();
  expect(await idsOf()).toEqual(before);
});
