// Guarantee: verification of the ledger and exports cover archived calls as well as those in the database.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEvents } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { readRecordFile, verifyRecord } from '#core/ledger/record-file.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { eraseClient, finishErasures } from '#gateway/personal-data/erase.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { eraseArchived, removeClientFromArchive } from '#repositories/record-archive/client-removal.ts';
import { readConfig } from '#src/config.ts';
import { startUpkeep } from '#src/upkeep.ts';
import { runHere } from '#test/cli/portico.ts';
import { copyMigratedDatabase, createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { monthsAgo, type OldCalls, partitionOf, saveOldCalls } from '#test/support/old-calls.ts';
import { saveCalls } from '#test/support/save-calls.ts';

const DAY_MS = 86_400_000;
const RECORD_DAYS = 45;

let template: TestDatabase;
let created: TestDatabase;
let database: Database;
let directory: string;
let old: OldCalls;
let size: number;
beforeAll(async () => {
  template = await createMigratedDatabase();
  const filled = await openDatabase({ url: template.url });
  old = await saveOldCalls(filled, [5, 4, 0]);
  while ((await appendPending(filled, 'https://portico.example')) > 0);
  size = (await auditLedger(filled)).proven;
  await filled.close();
});
afterAll(() => template.drop());
beforeEach(async () => {
  created = await copyMigratedDatabase(template);
  database = await openDatabase({ url: created.url });
  directory = mkdtempSync(join(tmpdir(), 'portico-archive-'));
});
afterEach(async () => {
  await database.close();
  await created.drop();
  rmSync(directory, { recursive: true, force: true });
});

const retention = () => ({ accessRecordDays: RECORD_DAYS, refusedCallsDays: 90, recordArchive: directory });
const keptSince = () => new Date(Date.now() - RECORD_DAYS * DAY_MS);
const audit = (archive: string | null) => auditLedger(database, { keptSince: keptSince(), archive });
const runCommand = (more: Record<string, string>, ...words: string[]) =>
  runHere({ DATABASE_URL: created.url, ACCESS_RECORD_DAYS: `${RECORD_DAYS}`, ...more }, ...words);
const run = (more: Record<string, string>, ...words: string[]) => runCommand(more, 'ledger', ...words);
/** Dates the batches back to when their calls were made; they were appended today. */
const backdateBatches = () =>
  database.query({
    text: `update ledger_batches b set at = (select max(r.at) from access_calls r where r.entry >> 16 = b.number)`,
  });

it('archived calls count as proven, or without RECORD_ARCHIVE as dropped, which the commands report', async () => {
  await backdateBatches();
  const client = old.clients[0]?.id ?? '';
  const whole = await run({ RECORD_ARCHIVE: directory }, 'export', '--subject', client);
  await applyRetention(database, retention());
  expect(await audit(directory)).toMatchObject({ faults: [], proven: size, dropped: 0, unread: [] });
  const unread = [partitionOf(5), partitionOf(4)];
  expect(await audit(null)).toMatchObject({ faults: [], proven: size - 240, dropped: 240, unread });
  const unconfigured = await run({}, 'verify');
  expect(unconfigured.code).toBe(0);
  expect(unconfigured.stdout).toMatch(/in the archive, not checked \(RECORD_ARCHIVE\) +access_calls/);
  expect((await run({ RECORD_ARCHIVE: directory }, 'verify')).stdout).not.toContain('not checked');

  const { stdout, code, stderr } = await run({ RECORD_ARCHIVE: directory }, 'export', '--subject', client);
  expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: whole.stdout });
  const verdict = await verifyRecord(readRecordFile(stdout), (await readKeySet(database)).keys);
  expect(verdict).toMatchObject({ findings: [], from: 1 });
  const shorter = await run({}, 'export', '--subject', client);
  expect(shorter.stderr).toContain('calls of archived months are missing: set RECORD_ARCHIVE to include them');
  expect(readRecordFile(shorter.stdout).entries.length).toBe(readRecordFile(stdout).entries.length - 80);
});

it('a month that is in both the archive and the database counts once', async () => {
  await database.query({ text: `create table kept (like access_calls including all)` });
  await database.query({ text: `insert into kept select * from ${partitionOf(5)}` });
  await applyRetention(database, retention());
  const month = new Date(monthsAgo(5)).toISOString().slice(0, 10);
  await database.query({ text: `select add_access_month('access_calls', $1::date)`, values: [month] });
  await database.query({ text: 'insert into access_calls select * from kept' });
  expect(await audit(directory)).toMatchObject({ faults: [], proven: size, dropped: 0 });
});

it('a missing file is a fault, and so are calls missing from their file', async () => {
  await applyRetention(database, retention());
  const [file = ''] = readdirSync(directory).filter((name) => name.endsWith('.parquet'));
  const bytes = readFileSync(join(directory, file));
  rmSync(join(directory, file));
  const { faults } = await audit(directory);
  expect(faults.map(({ kind }) => kind)).toContain('missing');
  expect(faults.map(({ text }) => text).join('\n')).toContain(`${file} is missing`);
  const verified = await run({ RECORD_ARCHIVE: directory }, 'verify');
  expect({ code: verified.code, fault: verified.stderr.includes(`${file} is missing`) }).toEqual({
    code: 1,
    fault: true,
  });
  writeFileSync(join(directory, file), bytes);
  expect((await audit(directory)).faults).toEqual([]);

  // As if the calls had been removed without the ledger listing their entries as erased.
  await removeClientFromArchive({ database, directory }, old.clients[0]?.id ?? '');
  await database.query({ text: 'delete from ledger_erasures' });
  expect((await audit(directory)).faults).toHaveLength(80);
});

it('an erased client is removed from every file, and the audit counts the entries as erased', async () => {
  await applyRetention(database, retention());
  const client = old.clients[0]?.id ?? '';
  const files = () => readdirSync(directory).map((name) => readFileSync(join(directory, name)));
  expect(files().some((bytes) => bytes.includes(client))).toBe(true);
  const request = { id: client, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
  await eraseClient(database, request, { portalUrl: null, noticeDays: 0 });
  await expect(eraseArchived({ database, directory: null })).rejects.toThrow('RECORD_ARCHIVE');
  // The client's salts are deleted, so nothing proves the entries that the files still contain.
  expect((await audit(directory)).faults.length).toBeGreaterThan(0);

  expect(await eraseArchived({ database, directory })).toBe(1);
  expect(files().some((bytes) => bytes.includes(client))).toBe(false);
  const { faults, erased } = await audit(directory);
  expect(faults).toEqual([]);
  expect(erased).toBeGreaterThanOrEqual(80);
  expect(await eraseArchived({ database, directory })).toBe(0);
});

it('client erase warns if a file is missing; the client is removed from the archive once it is complete', async () => {
  await applyRetention(database, retention());
  const client = old.clients[0]?.id ?? '';
  const [file = ''] = readdirSync(directory).filter((name) => name.endsWith('.parquet'));
  const bytes = readFileSync(join(directory, file));
  rmSync(join(directory, file));
  const words = ['client', 'erase', client, '--reason', 'Asked for it', '--confirm', client];
  const erased = await runCommand({ RECORD_ARCHIVE: directory }, ...words);
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('was erased at') });
  expect(erased.stderr).toContain('the archive may still contain the client');
  expect(erased.stderr).toContain(file);
  writeFileSync(join(directory, file), bytes);
  expect(await eraseArchived({ database, directory })).toBe(1);
  const listed = await runCommand({ RECORD_ARCHIVE: directory }, 'access', 'list', '--client', client, '--json');
  expect(listed).toMatchObject({ code: 0, stdout: expect.not.stringContaining(client) });
  expect((await audit(directory)).faults).toEqual([]);
});

it('client erase warns and still writes the certificate if the archive cannot be rewritten', async () => {
  await applyRetention(database, retention());
  // Stands in for a full disk, which a test cannot produce without root.
  await database.query({
    text: `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no space left'; end $$;
      create trigger refused before update of unarchived_at on erased_subjects for each row execute function refuse()`,
  });
  const client = old.clients[0]?.id ?? '';
  const certificate = join(directory, 'certificate.json');
  const words = ['client', 'erase', client, '--reason', 'Asked for it', '--confirm', client];
  const erased = await runCommand({ RECORD_ARCHIVE: directory }, ...words, '--certificate', certificate);
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('was erased at') });
  expect(erased.stderr).toContain('the archive may still contain the client');
  expect(erased.stderr).toContain('no space left');
  expect(JSON.parse(readFileSync(certificate, 'utf8'))).toMatchObject({ certificate: { subject: client } });
});

it('the upkeep of a gateway removes erased clients from the archive, even if a month cannot be archived', async () => {
  const accessRecordDays = Math.ceil((Date.now() - monthsAgo(4)) / DAY_MS) - 1;
  await applyRetention(database, { ...retention(), accessRecordDays });
  const client = old.clients[0]?.id ?? '';
  const request = { id: client, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
  await eraseClient(database, request, { portalUrl: null, noticeDays: 0 });
  await database.query({ text: `update ${partitionOf(4)} set pair = 2147483647` });
  const config = readConfig({
    DATABASE_URL: created.url,
    ACCESS_RECORD_DAYS: `${RECORD_DAYS}`,
    RECORD_ARCHIVE: directory,
  });
  const events = createEvents();
  const failures: string[] = [];
  events.on('failure', ({ error }) => failures.push((error as Error).message));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await using _ = startUpkeep(database, config, events);
    vi.advanceTimersByTime(600_000);
    await expect.poll(() => failures, { timeout: 60_000 }).toHaveLength(1);
    expect(failures[0]).toContain('name keys, clients or endpoints that do not exist');
    const isInFiles = () => readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(client));
    await expect.poll(isInFiles, { timeout: 60_000 }).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('a gateway that waits for another process to release the archive stops without delay', async () => {
  await applyRetention(database, retention());
  const request = {
    id: old.clients[0]?.id ?? '',
    reason: 'Asked for it',
    actor: { kind: 'operator', id: 'test' },
  } as const;
  await eraseClient(database, request, { portalUrl: null, noticeDays: 0 });
  const other = new Client({ connectionString: created.url });
  await other.connect();
  await other.query('select pg_advisory_lock(hashtextextended($$portico access record$$, 0))');
  const config = readConfig({
    DATABASE_URL: created.url,
    ACCESS_RECORD_DAYS: `${RECORD_DAYS}`,
    RECORD_ARCHIVE: directory,
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const upkeep = startUpkeep(database, config, createEvents());
  try {
    vi.advanceTimersByTime(600_000);
  } finally {
    vi.useRealTimers();
  }
  await sleep(1_000);
  const stopping = upkeep[Symbol.asyncDispose]();
  const stopped = await Promise.race([stopping.then(() => true), sleep(10_000, false)]);
  await other.end();
  await stopping;
  expect(stopped).toBe(true);
  expect(await eraseArchived({ database, directory })).toBe(1);
});

it('client erase warns without RECORD_ARCHIVE too', async () => {
  await applyRetention(database, retention());
  const client = old.clients[0]?.id ?? '';
  const words = ['client', 'erase', client, '--reason', 'Asked for it', '--confirm', client];
  const erased = await runCommand({}, ...words);
  expect(erased.stderr).toContain('a gateway with RECORD_ARCHIVE removes them once the archive is complete');
  expect(await eraseArchived({ database, directory })).toBe(1);
});

describe('a late record of a call about an erased client', () => {
  const client = () => old.clients[0]?.id ?? '';
  const late = async () => {
    await saveCalls(database, [
      {
        ...{ requestId: newId('request'), at: new Date(monthsAgo(5) + 1).toISOString(), firmId: 'frm_1' },
        ...{ keyId: 'key_1', clientId: client(), endpoint: 'GET /late', registryId: null, scopes: 3, status: 200 },
        errorCode: null,
      },
    ]);
    while ((await appendPending(database, null)) > 0);
  };
  const isInFiles = () => readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(client()));
  const finish = () => database.transaction((sql) => finishErasures(sql, null));
  beforeEach(async () => {
    await applyRetention(database, retention());
    const request = { id: client(), reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
    await eraseClient(database, request, { portalUrl: null, noticeDays: 0 });
    expect(await eraseArchived({ database, directory })).toBe(1);
    await late();
  });

  it('is removed from the archive if its month was archived before the record was deleted', async () => {
    expect((await applyRetention(database, retention()))?.archived).toEqual([partitionOf(5)]);
    expect(isInFiles()).toBe(true);
    expect(await eraseArchived({ database, directory })).toBe(1);
    expect(isInFiles()).toBe(false);
    expect((await audit(directory)).faults).toEqual([]);
    expect(await eraseArchived({ database, directory })).toBe(0);
  });

  it('is removed from the archive if it was deleted while its month was being written', async () => {
    const meanwhile: Database = {
      ...database,
      connection: (work) =>
        database.connection((sql) =>
          work({
            async query(statement) {
              if (statement.text.includes('detach partition access_calls')) expect(await finish()).toBe(1);
              return sql.query(statement);
            },
          }),
        ),
    };
    expect((await applyRetention(meanwhile, retention()))?.archived).toEqual([partitionOf(5)]);
    expect(isInFiles()).toBe(true);
    expect(await eraseArchived({ database, directory })).toBe(1);
    expect(isInFiles()).toBe(false);
    expect((await audit(directory)).faults).toEqual([]);
  });
});

it('restored files with an erased client are faults, and the documented statement removes the client again', async () => {
  await applyRetention(database, retention());
  const backup = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))] as const);
  const client = old.clients[0]?.id ?? '';
  const request = { id: client, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
  await eraseClient(database, request, { portalUrl: null, noticeDays: 0 });
  expect(await eraseArchived({ database, directory })).toBe(1);
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  for (const [name, bytes] of backup) writeFileSync(join(directory, name), bytes);
  expect((await audit(directory)).faults).toHaveLength(80);
  const [statement = ''] = /update erased_subjects .*(?=;)/.exec(readFileSync('docs/record-archive.md', 'utf8')) ?? [];
  await database.query({ text: statement });
  expect(await eraseArchived({ database, directory })).toBe(1);
  expect((await audit(directory)).faults).toEqual([]);
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
  expect(files.some((bytes) => bytes.includes(client))).toBe(false);
});

it('a client erased while the database does not know of a file yet is removed from that file', async () => {
  const client = old.clients[0]?.id ?? '';
  // Killed between moving a file into place and recording it in the database.
  const killed: Database = {
    ...database,
    connection: (work) =>
      database.connection((sql) =>
        work({
          async query(statement) {
            if (statement.text.includes('insert into record_archive_months')) throw new Error('killed');
            return sql.query(statement);
          },
        }),
      ),
  };
  await expect(applyRetention(killed, retention())).rejects.toThrow('killed');
  const words = ['client', 'erase', client, '--reason', 'Asked for it', '--confirm', client];
  expect((await runCommand({}, ...words)).code).toBe(0);
  await applyRetention(database, retention());
  await eraseArchived({ database, directory });
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
  expect(files.some((bytes) => bytes.includes(client))).toBe(false);
  expect((await audit(directory)).faults).toEqual([]);
});
