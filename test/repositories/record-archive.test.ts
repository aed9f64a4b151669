// The archive of the access record: archived months read like those in the database, or commands report the fault.
import { hash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, requestIdOf, requestUuid } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { listMonths } from '#repositories/access-record/partitions.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { removeClientFromArchive } from '#repositories/record-archive/client-removal.ts';
import type { ArchivedCall } from '#repositories/record-archive/columns.ts';
import { BLOCK_BYTES } from '#repositories/record-archive/file-sums.ts';
import { type Manifest, verifyFile } from '#repositories/record-archive/manifest.ts';
import { openMonth } from '#repositories/record-archive/verified-file.ts';
import { type Outcome, runHere } from '#test/cli/portico.ts';
import { copyMigratedDatabase, createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { monthsAgo, type OldCalls, partitionOf, saveOldCalls } from '#test/support/old-calls.ts';
import { saveCalls } from '#test/support/save-calls.ts';

const DAY_MS = 86_400_000;
/** The months five and four months ago have been over for longer than this, and the present one is not over. */
const RECORD_DAYS = 45;

interface Beginning {
  database: TestDatabase;
  /** The archive. */
  directory: string;
}

/** With all months in the database. */
let filled: Beginning;
/** With two months in the archive. */
let archivedOnce: Beginning;
/** What each test gets a copy of. */
let beginning: Beginning;
let created: TestDatabase;
let database: Database;
let directory: string;
let old: OldCalls;
const makeDirectory = () => mkdtempSync(join(tmpdir(), 'portico-archive-'));
beforeAll(async () => {
  filled = { database: await createMigratedDatabase(), directory: makeDirectory() };
  const filling = await openDatabase({ url: filled.database.url });
  old = await saveOldCalls(filling, [5, 4, 0]).finally(() => filling.close());
  archivedOnce = { database: await copyMigratedDatabase(filled.database), directory: makeDirectory() };
  const archiving = await openDatabase({ url: archivedOnce.database.url });
  directory = archivedOnce.directory;
  await applyRetention(archiving, retention()).finally(() => archiving.close());
  beginning = filled;
});
afterAll(async () => {
  for (const one of [filled, archivedOnce]) {
    rmSync(one.directory, { recursive: true });
    await one.database.drop();
  }
});
beforeEach(async () => {
  created = await copyMigratedDatabase(beginning.database);
  database = await openDatabase({ url: created.url });
  directory = makeDirectory();
  cpSync(beginning.directory, directory, { recursive: true });
});
afterEach(async () => {
  await database.close();
  await created.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** Lets the tests of a `describe` begin with the months in the archive. */
function beginArchived(): void {
  beforeAll(() => {
    beginning = archivedOnce;
  });
  afterAll(() => {
    beginning = filled;
  });
}

const retention = (recordArchiveDays?: number) => ({
  ...{ accessRecordDays: RECORD_DAYS, refusedCallsDays: 90 },
  ...{ recordArchive: directory, recordArchiveDays },
});
const settings = () => ({ ACCESS_RECORD_DAYS: `${RECORD_DAYS}`, RECORD_ARCHIVE: directory });
const run = (more: Record<string, string>, ...words: string[]): Promise<Outcome> =>
  runHere({ DATABASE_URL: created.url, ...more }, 'access', ...words);
const list = (...words: string[]) => run(settings(), 'list', '--client', old.clients[0]?.id ?? '', ...words);

const archived = [partitionOf(5), partitionOf(4)];
const partitions = async () =>
  (await listMonths(database)).filter(({ table }) => table === 'access_calls').map(({ name }) => name);
const files = () => readdirSync(directory).sort();
const manifest = (name: string): Manifest => JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'));
const fileOf = (name: string): string => join(directory, manifest(name).file);

async function callsIn(name: string): Promise<ArchivedCall[]> {
  await using file = await openMonth(directory, manifest(name));
  return (await Array.fromAsync(file.all())).flat();
}

/** A call about the first client, in the first of the archived months. */
const lateCall = () => ({
  ...{ requestId: newId('request'), at: new Date(monthsAgo(5) + 1).toISOString(), firmId: 'frm_1', keyId: 'key_1' },
  ...{ clientId: old.clients[0]?.id ?? '', endpoint: 'GET /late', registryId: null, scopes: 3 },
  ...{ status: 200, errorCode: null },
});

/** What `access list` prints with many combinations of options. */
async function everyList(): Promise<string[]> {
  const [first, , , , , gone] = old.items;
  const [middle, later] = [monthsAgo(4), monthsAgo(4) + 3 * DAY_MS].map((time) => new Date(time).toISOString());
  const variants = [
    ['--limit', '1000'],
    ['--limit', '1000', '--item', first?.registryId ?? ''],
    ['--limit', '7', '--item', gone?.registryId ?? ''],
    ['--limit', '1'],
    ['--limit', '45'],
    ['--limit', '60'],
    ['--since', middle ?? ''],
    ['--since', middle ?? '', '--until', later ?? '', '--limit', '3'],
    ['--until', middle ?? '', '--limit', '1000'],
    ['--until', later ?? '', '--item', first?.registryId ?? ''],
  ];
  const printed: string[] = [];
  for (const client of old.clients.slice(0, 2))
    for (const words of variants)
      for (const form of [['--json'], []]) {
        const { code, stdout, stderr } = await run(settings(), 'list', '--client', client.id, ...words, ...form);
        expect(code).toBe(0);
        expect(stderr).toMatch(/^(The newest \d+: there may be older ones; .*\n)?$/);
        printed.push(stdout);
      }
  return printed;
}

it('access list prints the same bytes before and after archiving', async () => {
  const before = await everyList();
  expect(JSON.parse(before[0] ?? '')).toHaveLength(120);
  expect(JSON.parse(before[2] ?? '').length).toBeGreaterThan(40);
  const kept = await applyRetention(database, retention());
  expect(kept).toMatchObject({ dropped: expect.arrayContaining(archived), archived, removed: [], left: [] });
  for (const name of archived) expect(await partitions()).not.toContain(name);
  expect(await everyList()).toEqual(before);
  expect(files()).toEqual(archived.flatMap((name) => [manifest(name).file, `${name}.json`]));
});

it('client export has the same calls before and after archiving, and fails without RECORD_ARCHIVE', async () => {
  const exported = async (more: Record<string, string>) => {
    const id = old.clients[0]?.id ?? '';
    const { code, stdout, stderr } = await runHere({ DATABASE_URL: created.url, ...more }, 'client', 'export', id);
    const calls = stdout.split('\n').filter((line) => line.startsWith('{"kind":"call"'));
    return { code, stderr, calls: calls.sort(), end: stdout.trimEnd().split('\n').at(-1) };
  };
  const before = await exported({});
  expect(before).toMatchObject({ code: 0, stderr: '', calls: { length: 120 } });
  await applyRetention(database, retention());
  expect(await exported(settings())).toEqual(before);
  expect(await exported({})).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('set RECORD_ARCHIVE to its directory') },
    end: expect.not.stringContaining('"kind":"end"'),
  });
  // A month may be in the database and in the archive.
  await saveCalls(database, [lateCall()]);
  expect((await exported(settings())).calls).toHaveLength(121);
  const month = new Date(monthsAgo(4)).toISOString().slice(0, 10);
  await database.query({ text: `select add_access_month('access_calls', $1::date)`, values: [month] });
  const twice = (await callsIn(archived[1] ?? '')).find(({ clientId }) => clientId === old.clients[0]?.id);
  expect(twice).toBeDefined();
  if (twice !== undefined) await saveCalls(database, [{ ...lateCall(), requestId: twice.requestId, at: twice.at }]);
  expect((await exported(settings())).calls).toHaveLength(121);
});

it('client show names the archived months, which its counts and last reads do not include', async () => {
  const shown = async () => {
    const words = ['client', 'show', old.clients[0]?.id ?? ''];
    const { stdout } = await runHere({ DATABASE_URL: created.url }, ...words, '--json');
    const { counts, archived_months, holders } = JSON.parse(stdout);
    const read = holders.map(({ last_read_at }: { last_read_at: string | null }) => last_read_at !== null);
    return {
      calls: counts.calls,
      archived_months,
      read,
      text: (await runHere({ DATABASE_URL: created.url }, ...words)).stdout,
    };
  };
  await database.query({
    text: 'delete from access_calls where at >= $1',
    values: [new Date(monthsAgo(0)).toISOString()],
  });
  expect(await shown()).toMatchObject({
    ...{ calls: 80, archived_months: [], read: [true, true], text: expect.not.stringContaining('archive') },
  });
  await applyRetention(database, retention());
  const months = [5, 4].map((ago) => new Date(monthsAgo(ago)).toISOString().slice(0, 7));
  expect(await shown()).toMatchObject({
    ...{ calls: 0, archived_months: months, read: [false, false] },
    text: expect.stringContaining(`Calls before ${new Date(monthsAgo(3)).toISOString()} that are in the archive`),
  });
});

it('archiving leaves the sums by day unchanged', async () => {
  const days = () =>
    database.query({
      text: 'select day, key_id, endpoint, status, sum(calls)::int from access_days group by 1, 2, 3, 4 order by 1, 2, 3, 4',
    });
  const before = await days();
  expect(before.length).toBeGreaterThan(60);
  await applyRetention(database, retention());
  expect(await days()).toEqual(before);
});

it('a file has every call once, ordered by client and time, with the texts that rows refer to by number', async () => {
  await applyRetention(database, retention());
  for (const name of archived) {
    const calls = await callsIn(name);
    const order = calls.map(({ clientId, at, requestId }) => `${clientId} ${at} ${requestId}`);
    expect(order).toEqual([...new Set(order)].sort());
    expect(calls).toHaveLength(120);
    expect(manifest(name)).toMatchObject({ rows: 120, source: { rows: 120 } });
    const carried = calls.find(({ removed }) => removed !== null);
    expect(carried?.itemIds).toEqual(old.items.map(({ registryId }) => registryId));
    expect(carried?.removedIds).toEqual([old.items[5]?.registryId]);
  }
});

/** Each column of a recorded call, as the database has it, from the archived call. */
const IN_ARCHIVE: Record<string, Record<string, (call: ArchivedCall) => unknown>> = {
  access_calls: {
    at: ({ at }) => at.replace(/\.?0*Z$/, '+00:00'),
    id: ({ requestId }) => requestUuid(requestId).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    took_us: ({ tookUs }) => tookUs,
    status: ({ status }) => status,
    related: ({ related }) => related,
    items: ({ items }) => items && `\\x${items.toString('hex')}`,
    removed: ({ removed }) => `\\x${removed?.toString('hex') ?? ''}`,
    registry_id: ({ registryId }) => registryId ?? '',
    entry: ({ entry }) => entry,
  },
  access_keys: { key_id: ({ keyId }) => keyId, firm_id: ({ firmId }) => firmId },
  access_pairs: { key_id: ({ keyId }) => keyId, client_id: ({ clientId }) => clientId },
  access_shapes: {
    endpoint: ({ endpoint }) => endpoint,
    scopes: ({ scopes }) => scopes,
    error_code: ({ errorCode }) => errorCode,
    param: ({ param }) => param,
    message: ({ message }) => message,
    disclosed: ({ disclosed }) => disclosed,
    includes: ({ includes }) => includes,
    version: ({ version }) => version,
    tool_role: ({ toolRole }) => toolRole,
    tool_id: ({ toolId }) => toolId,
  },
  access_origins: { address: ({ address }) => address, user_agent: ({ userAgent }) => userAgent },
};

/** Columns that say nothing of the call: they join its rows, or find unused ones. */
const OF_THE_TABLES = ['key', 'pair', 'shape', 'origin', 'number', 'hash', 'seen'];

it('a file has every column of its calls', async () => {
  const columns = await database.query<{ table: string; column: string }>({
    text: `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and table_name = any($1) and column_name <> all($2) order by 1, 2`,
    values: [Object.keys(IN_ARCHIVE), OF_THE_TABLES],
  });
  const known = Object.entries(IN_ARCHIVE).flatMap(([table, held]) =>
    Object.keys(held).map((column) => ({ table, column })),
  );
  expect(columns).toEqual(known.sort((one, other) => (place(one) < place(other) ? -1 : 1)));

  type Rows = Record<string, Record<string, unknown>>;
  const rows = await database.query<{ call: Rows }>({
    text: `select json_build_object('access_calls', r, 'access_keys', n, 'access_pairs', p, 'access_shapes', s, 'access_origins', o) as call
      from ${archived[0]} r join access_keys n on n.number = r.key join access_pairs p on p.number = r.pair
      join access_shapes s on s.number = r.shape join access_origins o on o.number = r.origin`,
  });
  expect(rows).toHaveLength(120);
  await applyRetention(database, retention());
  const calls = await callsIn(archived[0] ?? '');
  const recorded = new Map(rows.map(({ call }) => [requestIdOf(String(call.access_calls?.id)), call]));
  for (const call of calls)
    for (const { table, column } of known) {
      const stored = recorded.get(call.requestId)?.[table]?.[column];
      expect(IN_ARCHIVE[table]?.[column]?.(call), place({ table, column })).toEqual(stored);
    }
  for (const { table, column } of known)
    expect(
      rows.some(({ call }) => call[table]?.[column] !== null),
      place({ table, column }),
    ).toBe(true);
});

const place = ({ table, column }: { table: string; column: string }) => `${table}.${column}`;

it('a client is found in every row group of a file', async () => {
  const [, client] = old.clients;
  const event = (nth: number) => ({
    ...{ requestId: newId('request'), at: new Date(monthsAgo(5) + nth * 1_000).toISOString(), firmId: 'frm_1' },
    ...{ keyId: 'key_1', clientId: client?.id ?? '', endpoint: 'GET /b', registryId: null, scopes: 3, status: 200 },
    errorCode: null,
  });
  for (let from = 0; from < 21_000; from += 3_000)
    await saveCalls(
      database,
      Array.from({ length: 3_000 }, (_, nth) => event(from + nth)),
    );
  const words = ['list', '--limit', '25000', '--json', '--client'];
  const before = [];
  for (const { id } of old.clients) before.push(await run(settings(), ...words, id));
  expect(before[1]?.stdout.length).toBeGreaterThan(1_000_000);
  await applyRetention(database, retention());
  const after = [];
  for (const { id } of old.clients) after.push(await run(settings(), ...words, id));
  expect(after).toEqual(before);
});

describe('with a fault in the archive', () => {
  beginArchived();

  const damage: [string, () => void, RegExp][] = [
    ['a file is missing', () => rmSync(fileOf(archived[0] ?? '')), /parquet is missing: put it back/],
    [
      'a file is truncated',
      () => truncateSync(fileOf(archived[1] ?? ''), 5_000),
      /is damaged: it has 5000 bytes in place of \d+/,
    ],
    [
      'a byte of a file is changed',
      () => flip(fileOf(archived[1] ?? '')),
      /is damaged: its bytes 0 to \d+ are not what was written/,
    ],
    [
      'a manifest is missing',
      () => rmSync(join(directory, `${archived[0]}.json`)),
      /are in the archive, and .* has no access_calls_\d{4}_\d{2}\.json/,
    ],
    [
      'a manifest has another form',
      () => writeFileSync(join(directory, `${archived[0]}.json`), '{}'),
      /is no manifest of the form/,
    ],
    [
      'a byte of a manifest is changed',
      () => {
        const [name = ''] = archived;
        const { until } = manifest(name);
        const text = readFileSync(join(directory, `${name}.json`), 'utf8');
        writeFileSync(
          join(directory, `${name}.json`),
          text.replace(`"until": "${until}"`, `"until": "0${until.slice(1)}"`),
        );
      },
      /access_calls_\d{4}_\d{2}\.json is damaged: its month is not that of its name/,
    ],
    ['the directory is empty', () => void files().map((name) => rmSync(join(directory, name))), /has no access_calls/],
    [
      'the directory is missing',
      () => renameSync(directory, `${directory}-away`),
      /RECORD_ARCHIVE cannot be read: ENOENT/,
    ],
  ];

  it.each(damage)('%s: access list fails, and access months reports it', async (_, harm, reason) => {
    harm();
    const { code, stdout, stderr } = await list('--limit', '1000');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain('    at ');
    const months = await run(settings(), 'months', '--check', '--json');
    expect(months.code).toBe(1);
    expect(months.stderr).toMatch(/is missing|is damaged|has no access_calls|is no manifest|cannot be read/);
    if (reason.source.includes('ENOENT')) renameSync(`${directory}-away`, directory);
  });

  it('without RECORD_ARCHIVE, only the lists fail that need the archive', async () => {
    const client = old.clients[0]?.id ?? '';
    const refused = await run({}, 'list', '--client', client);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/are in the archive: set RECORD_ARCHIVE to its directory/);
    const since = new Date(monthsAgo(0)).toISOString();
    expect((await run({}, 'list', '--client', client, '--since', since)).code).toBe(0);
    expect((await run({}, 'list', '--client', client, '--limit', '40')).code).toBe(0);
    expect((await run({}, 'list', '--client', client, '--limit', '41')).code).toBe(1);
  });

  it('a damaged month that a list does not read does not stop it, and access months --check finds it', async () => {
    expect((await run(settings(), 'months', '--check')).code).toBe(0);
    flip(fileOf(archived[0] ?? ''));
    expect((await list('--since', new Date(monthsAgo(4)).toISOString())).code).toBe(0);
    const { code, stderr } = await run(settings(), 'months', '--check');
    expect(code).toBe(1);
    expect(stderr).toMatch(/its SHA-256 is not that of its manifest/);
  });

  it('verifying a file finds wrong checksums of its blocks', async () => {
    const [name = ''] = archived;
    const bytes = Buffer.alloc(2.5 * BLOCK_BYTES, 'portico');
    const blocks = [0, 1, 2].map((at) => hash('sha256', bytes.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES)));
    writeFileSync(fileOf(name), bytes);
    const correct = { ...manifest(name), bytes: bytes.length, sha256: hash('sha256', bytes), blocks };
    await verifyFile(directory, correct);
    await expect(verifyFile(directory, { ...correct, blocks: blocks.toReversed() })).rejects.toThrow(
      'of blocks are not',
    );
  });
});

/** What doctor finds, of one check. */
async function findingsOf(check: string): Promise<string[]> {
  const { stdout } = await runHere({ DATABASE_URL: created.url, ...settings() }, 'doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; found: string }[] };
  return findings.filter((one) => one.check === check).map(({ state, found }) => `${state}: ${found}`);
}

it('doctor reports months that are past their retention and still in the database', async () => {
  const overdue = archived.map((name) => `warning: ${name} is past its retention and still in the database`);
  const found = await findingsOf('database.access_record');
  // Refusals have a retention of their own.
  expect(found.filter((text) => text.includes('access_calls_'))).toEqual(overdue);
  await applyRetention(database, retention());
  expect(await findingsOf('database.access_record')).toEqual([expect.stringMatching(/^ok: has partitions for/)]);
});

it('doctor reports whether the archive can be written to and has its months', async () => {
  await applyRetention(database, retention());
  const found = () => findingsOf('record_archive');
  expect(await found()).toEqual(['ok: the files of all 2 archived month(s) are there']);
  truncateSync(fileOf(archived[0] ?? ''), 100);
  rmSync(join(directory, `${archived[1]}.json`));
  expect(await found()).toEqual([
    expect.stringMatching(/^wrong: .*parquet is damaged: it has 100 bytes in place of/),
    expect.stringMatching(/^wrong: Calls from .* are in the archive, and .* has no access_calls/),
  ]);
  rmSync(directory, { recursive: true });
  expect(await found()).toEqual([expect.stringMatching(/^wrong: RECORD_ARCHIVE cannot be written to: ENOENT/)]);
});

/** Changes a byte in the middle of the first column. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe('a month is not dropped', () => {
  it.each([
    ['the directory is missing', () => rmSync(directory, { recursive: true })],
    [
      'the directory is a file',
      () => {
        rmSync(directory, { recursive: true });
        writeFileSync(directory, '');
      },
    ],
  ])('if %s; refusals are still dropped', async (_, harm) => {
    await database.query({ text: `select add_access_month('firm_refusals', '2019-01-01')` });
    const before = await partitions();
    harm();
    await expect(applyRetention(database, retention())).rejects.toThrow('RECORD_ARCHIVE cannot be');
    expect(await partitions()).toEqual(before);
    expect((await listMonths(database)).map(({ name }) => name)).not.toContain('firm_refusals_2019_01');
    const { code, stderr } = await run(settings(), 'maintain');
    expect({ code, first: stderr.split(':')[0] }).toEqual({ code: 1, first: 'portico' });
  });

  it('if its calls refer to rows that the database does not have', async () => {
    await database.query({
      text: `update ${archived[0]} set pair = 2147483647 where ctid = (select ctid from ${archived[0]} limit 1)`,
    });
    await expect(applyRetention(database, retention())).rejects.toThrow(
      /\d+ calls of access_calls_.* name keys, clients or endpoints/,
    );
    expect(await partitions()).toContain(archived[0]);
    // Other months are archived all the same.
    expect(await partitions()).not.toContain(archived[1]);
    expect(files()).toEqual([manifest(archived[1] ?? '').file, `${archived[1]}.json`]);
  });

  it('if the directory has none of the archived months, as when the archive is not mounted', async () => {
    const [first = '', second = ''] = archived;
    const accessRecordDays = Math.ceil((Date.now() - monthsAgo(4)) / DAY_MS) - 1;
    expect(await applyRetention(database, { ...retention(), accessRecordDays })).toMatchObject({ archived: [first] });
    renameSync(directory, `${directory}-away`);
    mkdirSync(directory);
    await expect(applyRetention(database, retention())).rejects.toThrow(
      `${directory} contains none of the archived months`,
    );
    expect([await partitions(), files()]).toEqual([expect.arrayContaining([second]), []]);
    rmSync(directory, { recursive: true });
    renameSync(`${directory}-away`, directory);
    expect(await applyRetention(database, retention())).toMatchObject({ archived: [second] });
    // A lost month does not stop the others.
    rmSync(join(directory, `${first}.json`));
    await saveCalls(database, [{ ...lateCall(), at: new Date(monthsAgo(4)).toISOString() }]);
    expect(await applyRetention(database, retention())).toMatchObject({ archived: [second] });
  });

  it('if the directory is the archive of another deployment, whose files stay unchanged', async () => {
    await applyRetention(database, retention());
    const before = files();
    const otherCreated = await createMigratedDatabase();
    const other = await openDatabase({ url: otherCreated.url });
    try {
      await other.query({ text: 'update deployment set cursor_key = sha256(cursor_key)' });
      const { clients } = await saveOldCalls(other, [4]);
      for (const days of [undefined, 50])
        await expect(applyRetention(other, retention(days))).rejects.toThrow(
          `${directory} is the archive of another deployment`,
        );
      expect((await listMonths(other)).map(({ name }) => name)).toContain(archived[1]);
      expect(files()).toEqual(before);
      const ofOther = { DATABASE_URL: otherCreated.url, ...settings() };
      for (const words of [['months'], ['list', '--client', clients[0]?.id ?? '']]) {
        const { code, stderr } = await runHere(ofOther, 'access', ...words);
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('of another deployment') });
      }
    } finally {
      await other.close();
      await otherCreated.drop();
    }
  });

  it('by a process without RECORD_ARCHIVE, once there is an archive', async () => {
    await applyRetention(database, { ...retention(), accessRecordDays: undefined });
    const without = { ...retention(), recordArchive: undefined };
    expect(await applyRetention(database, without)).toMatchObject({ dropped: [], left: archived });
    const { stdout } = await run({ ACCESS_RECORD_DAYS: '45' }, 'maintain');
    expect(stdout).toContain(`left ${archived[0]}: the record has an archive`);
    expect(await applyRetention(database, retention())).toMatchObject({ archived, left: [] });
  });

  it('if a late call has attached it again, until its file has that call', async () => {
    const [name = ''] = archived;
    let isLate = true;
    const interrupted: Database = {
      ...database,
      connection: (work) =>
        database.connection((sql) =>
          work({
            async query(statement) {
              if (isLate && statement.text.includes(`drop table ${name}`)) {
                isLate = false;
                await saveCalls(database, [lateCall()]);
              }
              return sql.query(statement);
            },
          }),
        ),
    };
    expect((await applyRetention(interrupted, retention()))?.archived).toEqual(archived.slice(1));
    expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(121);
    expect((await applyRetention(database, retention()))?.archived).toEqual([name]);
    expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(121);
    expect(manifest(name).rows).toBe(121);
  });

  it('and stays readable, if a late call cannot be added to its file', async () => {
    const [name = ''] = archived;
    const away = `${directory}-away`;
    const interrupted: Database = {
      ...database,
      connection: (work) =>
        database.connection((sql) =>
          work({
            async query(statement) {
              const detaches = statement.text.includes(`detach partition ${name} concurrently`);
              if (detaches) await saveCalls(database, [lateCall()]);
              const rows = await sql.query(statement);
              if (detaches) renameSync(directory, away);
              return rows as never;
            },
          }),
        ),
    };
    await expect(applyRetention(interrupted, retention())).rejects.toThrow(/ENOENT/);
    renameSync(away, directory);
    expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(121);
    expect(await partitions()).toEqual(expect.arrayContaining(archived));
    expect(await applyRetention(database, retention())).toMatchObject({ archived });
    expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(121);
  });

  it('if its writing fails, which leaves no part of a file', async () => {
    // The last month, since the next one would remove what is left.
    const [, last] = archived;
    await database.query({
      text: `update ${last} set pair = 2147483647 where ctid = (select max(ctid) from ${last})`,
    });
    await expect(applyRetention(database, retention())).rejects.toThrow('name keys, clients or endpoints');
    expect(await partitions()).toContain(last);
    expect(files()).toEqual([manifest(archived[0] ?? '').file, `${archived[0]}.json`]);
  });

  it('if its writing is aborted', async () => {
    await expect(applyRetention(database, retention(), AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    );
    expect(await partitions()).toEqual(expect.arrayContaining(archived));
    expect(await applyRetention(database, retention())).toMatchObject({ archived });
    expect(files().filter((name) => name.endsWith('partial'))).toEqual([]);
  });
});

describe('a month that is archived already', () => {
  it('is written again only if its file is damaged and the database still has the calls', async () => {
    const name = archived[0] ?? '';
    cpSync(directory, `${directory}-copy`, { recursive: true });
    await archiveAndPutBack(name);
    const written = manifest(name).written_at;
    const bytes = readFileSync(fileOf(name));
    expect((await applyRetention(database, retention()))?.archived).toEqual([name]);
    expect(manifest(name).written_at).toBe(written);
    rmSync(`${directory}-copy`, { recursive: true });

    await putBack(name);
    flip(fileOf(name));
    expect((await applyRetention(database, retention()))?.archived).toEqual([name]);
    expect(readFileSync(fileOf(name)).equals(bytes)).toBe(true);
  });

  it('takes late calls, which are listed with the others', async () => {
    const before = await list('--limit', '1000', '--json');
    await applyRetention(database, retention());
    const name = archived[0] ?? '';
    const first = manifest(name).file;
    const late = lateCall();
    await saveCalls(database, [late]);
    const withLate = JSON.parse((await list('--limit', '1000', '--json')).stdout) as { endpoint: string }[];
    expect(withLate).toHaveLength(121);
    expect(await applyRetention(database, retention())).toMatchObject({ archived: [name] });
    expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toEqual(withLate);
    expect(withLate.filter(({ endpoint }) => endpoint !== 'GET /late')).toEqual(JSON.parse(before.stdout));
    expect(manifest(name)).toMatchObject({ rows: 121, source: { rows: 1 } });
    expect(files()).not.toContain(first);

    // Its file now has calls that the database does not have, so a damaged file is not replaced.
    await saveCalls(database, [{ ...late, requestId: newId('request') }]);
    flip(fileOf(name));
    await expect(applyRetention(database, retention())).rejects.toThrow('is damaged');
    expect(await partitions()).toContain(name);
  });

  it('is completed if it was detached but not dropped', async () => {
    const name = archived[0] ?? '';
    await database.query({ text: `alter table access_calls detach partition ${name}` });
    const kept = await applyRetention(database, retention());
    expect(kept?.archived.sort()).toEqual([...archived].sort());
    expect(await callsIn(name)).toHaveLength(120);
    expect(await database.query({ text: `select to_regclass('${name}') as there` })).toEqual([{ there: null }]);
  });
});

/** Restores the rows of the month, in an attached partition. */
async function putBack(name: string): Promise<void> {
  await database.query({ text: `alter table kept_${name} rename to ${name}` });
  const from = new Date(monthsAgo(5)).toISOString();
  const until = new Date(monthsAgo(4)).toISOString();
  await database.query({
    text: `alter table access_calls attach partition ${name} for values from ('${from}') to ('${until}')`,
  });
  await database.query({ text: `create table kept_${name} (like ${name} including all)` });
  await database.query({ text: `insert into kept_${name} select * from ${name}` });
}

async function archiveAndPutBack(name: string): Promise<void> {
  await database.query({ text: `create table kept_${name} (like ${name} including all)` });
  await database.query({ text: `insert into kept_${name} select * from ${name}` });
  await applyRetention(database, retention());
  await putBack(name);
}

it('files are deleted after RECORD_ARCHIVE_DAYS, and lists then do without them', async () => {
  await applyRetention(database, retention());
  const days = Math.ceil((Date.now() - monthsAgo(4)) / DAY_MS) - 1;
  expect(await applyRetention(database, retention(days))).toMatchObject({ removed: [archived[0]], dropped: [] });
  expect(files()).toEqual([manifest(archived[1] ?? '').file, `${archived[1]}.json`]);
  expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(80);
  const months = JSON.parse((await run(settings(), 'months', '--json')).stdout) as { name: string; where: string }[];
  expect(months.slice(0, 2)).toMatchObject([
    { name: archived[1], where: 'archive', rows: 120, fault: null },
    { where: 'database' },
  ]);
});

it('a lost month stops no list once its time in the archive is over', async () => {
  await applyRetention(database, retention());
  rmSync(fileOf(archived[0] ?? ''));
  rmSync(join(directory, `${archived[0]}.json`));
  const days = Math.ceil((Date.now() - monthsAgo(4)) / DAY_MS) - 1;
  await applyRetention(database, retention(days));
  expect(JSON.parse((await list('--limit', '1000', '--json')).stdout)).toHaveLength(80);
});

describe('a client who is removed', () => {
  beginArchived();

  const isAbout = ({ clientId }: ArchivedCall) => clientId === old.clients[0]?.id;
  const callsInFiles = async () => (await Promise.all(archived.map(callsIn))).flat().filter(isAbout);

  /** The database, with `work` done each time that the ledger has noted calls as erased. */
  const afterNotes = (work: () => Promise<void>): Database => ({
    ...database,
    connection: (run) =>
      database.connection((sql) =>
        run({
          async query(statement) {
            const rows = await sql.query(statement);
            if (statement.text.includes('insert into ledger_erasures')) await work();
            return rows as never;
          },
        }),
      ),
  });

  it('is in no file any more; the calls of others and the months are unchanged', async () => {
    const [first, second] = old.clients;
    const before = await Promise.all(archived.map(callsIn));
    const replaced = files();
    expect(await callsInFiles()).toHaveLength(80);
    await removeClientFromArchive({ database, directory }, first?.id ?? '');
    for (const [nth, name] of archived.entries())
      expect(await callsIn(name)).toEqual(before[nth]?.filter((call) => !isAbout(call)));
    expect(files().filter((name) => replaced.includes(name))).toEqual(archived.map((name) => `${name}.json`));
    expect(files()).toHaveLength(4);
    expect(
      JSON.parse((await run(settings(), 'list', '--client', second?.id ?? '', '--json', '--limit', '1000')).stdout),
    ).toHaveLength(120);
    expect((await run(settings(), 'months', '--check')).code).toBe(0);
    const written = archived.map(manifest);
    await removeClientFromArchive({ database, directory }, first?.id ?? '');
    expect(archived.map(manifest)).toEqual(written);
  });

  it('is not in files that killed processes left, either', async () => {
    const [name = ''] = archived;
    cpSync(fileOf(name), join(directory, `${name}.1.partial`));
    cpSync(fileOf(name), join(directory, `access_calls_2019_01-0123456789abcdef.parquet`));
    cpSync(fileOf(name), join(directory, `${name}-0123456789abcdef.parquet`));
    await removeClientFromArchive({ database, directory }, old.clients[0]?.id ?? '');
    expect(files()).toEqual(archived.flatMap((each) => [manifest(each).file, `${each}.json`]));
  });

  it('is not in a file without manifest, either, if the month has no other calls of the client', async () => {
    const [name = ''] = archived;
    const before = manifest(name);
    const bytes = readFileSync(fileOf(name));
    const [client] = old.clients;
    await removeClientFromArchive({ database, directory }, client?.id ?? '');
    // A file with late calls, from a process that was killed before it wrote the manifest.
    writeFileSync(join(directory, before.file), bytes);
    await removeClientFromArchive({ database, directory }, client?.id ?? '');
    expect(files()).toEqual(archived.flatMap((each) => [manifest(each).file, `${each}.json`]));
  });

  it('is not removed by a process that has lost its lock, because another may hold it by then', async () => {
    const before = archived.map(manifest);
    let notes = 0;
    const losing = afterNotes(async () => {
      notes += 1;
      await database.query({
        text: `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`,
      });
    });
    const removing = removeClientFromArchive({ database: losing, directory }, old.clients[0]?.id ?? '');
    await expect(removing).rejects.toThrow();
    expect(notes).toBe(1);
    expect(archived.map(manifest)).toEqual(before);
    await removeClientFromArchive({ database, directory }, old.clients[0]?.id ?? '');
    expect(await callsInFiles()).toEqual([]);
    expect(files()).toHaveLength(4);
  });

  it('is noted as erased once the new file is written, not each time that this fails', async () => {
    const written: boolean[] = [];
    const noting = afterNotes(async () => {
      written.push(files().some((name) => name.endsWith('.partial')));
    });
    await removeClientFromArchive({ database: noting, directory }, old.clients[0]?.id ?? '');
    expect(written).toEqual([true, true]);
  });

  it('stays in all files if the archive is not set or incomplete', async () => {
    const id = old.clients[0]?.id ?? '';
    await expect(removeClientFromArchive({ database, directory: null }, id)).rejects.toThrow(
      'set RECORD_ARCHIVE to its directory',
    );
    mkdirSync(`${directory}-empty`);
    await expect(removeClientFromArchive({ database, directory: `${directory}-empty` }, id)).rejects.toThrow(
      'has no access_calls',
    );
    rmSync(`${directory}-empty`, { recursive: true });
    expect(await callsIn(archived[0] ?? '')).toHaveLength(120);
  });

  it('is removed only after a running archiving, which may have read the calls before they were deleted', async () => {
    const other = new Client({ connectionString: created.url });
    await other.connect();
    await other.query('select pg_advisory_lock(hashtextextended($$portico access record$$, 0))');
    const before = files();
    let done = false;
    const removing = removeClientFromArchive({ database, directory }, old.clients[0]?.id ?? '').finally(() => {
      done = true;
    });
    await sleep(500);
    expect({ done, files: files() }).toEqual({ done: false, files: before });
    await other.end();
    await removing;
    expect(await callsInFiles()).toEqual([]);
  });
});

it.each([
  [
    'RECORD_ARCHIVE with the embedded database, whose only session every process shares,',
    { DATABASE_URL: '' },
    'RECORD_ARCHIVE needs DATABASE_URL',
  ],
  [
    'RECORD_ARCHIVE_DAYS without RECORD_ARCHIVE',
    { RECORD_ARCHIVE: '', RECORD_ARCHIVE_DAYS: '400' },
    'RECORD_ARCHIVE_DAYS needs RECORD_ARCHIVE',
  ],
  [
    'RECORD_ARCHIVE_DAYS of no more than ACCESS_RECORD_DAYS',
    { RECORD_ARCHIVE_DAYS: '62', ACCESS_RECORD_DAYS: '62' },
    'RECORD_ARCHIVE_DAYS must be more than',
  ],
])('%s is a fault of the configuration', async (_, env, fault) => {
  const { code, stderr } = await run({ ...settings(), ...env }, 'months');
  expect(code).not.toBe(0);
  expect(stderr).toContain(fault);
});
