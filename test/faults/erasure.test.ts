// Guarantee: nothing of an erased client is left in the database, Redis, logs or files, nor comes back by an import or
// a restore; the records of other clients can still be proven, and delta sync reports the removed items.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readRecordFile, verifyRecord } from '#core/ledger/record-file.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { finishErasures } from '#gateway/personal-data/erase.ts';
import { requireServable } from '#gateway/restore/servable.ts';
import { confirmPlace } from '#repositories/restores.ts';
import { createUser } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { findBinary } from '#test/support/binaries.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { urlOf, withClient } from '#test/support/database-server.ts';
import { backdate } from '#test/support/delta.ts';
import { type Planted, plantClient } from '#test/support/planted.ts';
import { until } from '#test/support/ports.ts';
import { call, type Key, makeFirm, makeKey } from '#test/support/scenario.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { Browser } from '../portal-server/browser.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const LEAST_PLANTED = 200;

let directory: string;
let target: TestDatabase;
let copyUrl: string;
let redis: Service;
let database: Database;
let serve: ServeProcess;
let env: Record<string, string>;
let key: Key;
let planted: Planted;
let secrets: string[];
/** A client who is not erased. */
let other: Planted;
/** `as_of` of a partner that had all items. */
let since: string;

const portico = (...words: string[]) => runHere(env, ...words);
const get = (path: string) => call(`${serve.url}/api/v1${path}`, key.secret);
const callsOn = async (id: string) =>
  (await database.query({ text: 'select 1 from recorded_calls where client_id = $1', values: [id] })).length;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-erasure-'));
  target = await createMigratedDatabase();
  redis = await startRedis();
  env = {
    DATABASE_URL: target.url,
    REDIS_URL: redis.url,
    REVOCATION_JOURNAL: join(directory, 'journal'),
    LOG_LEVEL: 'debug',
  };
  serve = await startServe(env);
  database = await openDatabase({ url: target.url });
  key = await makeKey(database, await makeFirm(database));
  const asking = await makeKey(database, await makeFirm(database));
  planted = await plantClient(database, [key, asking]);
  other = await plantClient(database, [key, asking]);
  secrets = [...planted.readable, ...planted.internal];
  const { client } = planted;
  const [grant] = await database.query<{ id: string }>({
    text: `select id from grants where client_id = $1 and status = 'active'`,
    values: [client.id],
  });
  await backdate({ database }, { grant, client } as never);
  for (const id of [client.id, other.client.id]) {
    await get(`/assets?client_id=${id}&include=valuations,documents`);
    await get(`/portfolio/summary?client_id=${id}`);
    await get(`/assets/nothing?client_id=${id}`);
  }
  since = (await get(`/assets?client_id=${client.id}&page_size=1`)).body.sync.as_of;
  // The limit of sign-ins counts attempts by account, in Redis.
  const browser = new Browser(serve.url);
  await browser.post('/portal/auth/sign-in/email', { email: client.email, password: 'a wrong password' });
  const wanted = async () => (await callsOn(client.id)) >= 4 && (await callsOn(other.client.id)) >= 3;
  await until(wanted, 60_000, () => new Error('the calls are not recorded'));
  await appendAll();
  await portico('client', 'export', client.id, '--out', join(directory, 'export.ndjson'));
  await database.query({ text: 'analyze' });
});
afterAll(async () => {
  await serve?.end();
  await database?.close();
  await redis?.stop();
  await target?.drop();
  if (copyUrl !== undefined)
    await withClient(inject('services').postgresUrl, (admin) =>
      admin.query(`drop database if exists ${new URL(copyUrl).pathname.slice(1)} with (force)`),
    );
  rmSync(directory, { recursive: true, force: true });
});

async function appendAll(): Promise<void> {
  await until(
    async () => (await appendPending(database, null)) === 0 && (await pending()) === 0,
    60_000,
    () => new Error('entries still wait for the ledger'),
  );
}
const pending = async () =>
  (await database.query<{ n: number }>({ text: 'select count(*) as n from ledger_pending' }))[0]?.n;

async function dumpOf(url: string): Promise<string> {
  const program = findBinary('pg_dump') ?? 'pg_dump';
  const { stdout } = await promisify(execFile)(program, ['-d', url], { maxBuffer: 1 << 30, encoding: 'latin1' });
  return stdout;
}

/** Names and values of all keys, uncompressed. */
async function dumpOfRedis(): Promise<string> {
  const cli = findBinary('redis-cli') ?? 'redis-cli';
  const file = join(directory, 'redis.rdb');
  const run = (...words: string[]) => promisify(execFile)(cli, ['-u', redis.url, ...words]);
  await run('config', 'set', 'rdbcompression', 'no');
  await run('--rdb', file);
  const text = readFileSync(file, 'latin1');
  rmSync(file);
  return text;
}

/** Sample values of columns in the planner statistics. */
const samples = async (): Promise<string> =>
  JSON.stringify(await database.query({ text: `select * from pg_stats where schemaname = 'public'` }));

const foundIn = (text: string, wanted = secrets): string[] => wanted.filter((secret) => text.includes(secret));

it('before the erasure, the database contains every planted text', async () => {
  expect(secrets.length).toBeGreaterThanOrEqual(LEAST_PLANTED);
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(foundIn(await dumpOf(target.url)).length).toBe(secrets.length);
  expect(foundIn(await samples()).length).toBeGreaterThan(0);
  expect(foundIn(readFileSync(join(directory, 'export.ndjson'), 'utf8')).length).toBe(planted.readable.length);
});

describe('an erasure', () => {
  it('is refused under a legal hold, for an unknown client, and with a reason that names the person', async () => {
    const { client } = planted;
    const erase = (id: string, reason: string) => portico('client', 'erase', id, '--reason', reason, '--confirm', id);
    expect((await portico('client', 'hold', client.id, '--reason', 'A dispute')).code).toBe(0);
    const onHold = await erase(client.id, 'Asked for it');
    expect([onHold.code, onHold.stderr]).toEqual([1, expect.stringContaining('is under a legal hold')]);
    expect((await portico('client', 'show', client.id)).stdout).toContain('A dispute');
    expect((await portico('client', 'release', client.id)).code).toBe(0);
    expect((await erase('usr_01KGHT5W8Y1A3C5E7G9J2M4P6R', 'Asked for it')).stderr).toContain('There is no client');
    expect((await erase(client.id, `${client.name} asked`)).stderr).toContain('The reason is kept');
    expect(foundIn(await dumpOf(target.url)).length).toBe(secrets.length);
  });

  it('only reports what it would do unless --confirm repeats the id', async () => {
    const { client, items } = planted;
    const { code, stdout } = await portico('client', 'erase', client.id, '--reason', 'Asked for it', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ dry_run: true, counts: { items: items.length, grants: 2, calls: 4 } },
      holders: [{ firm_id: key.firmId, active: true }],
    });
    const other = await portico('client', 'erase', client.id, '--reason', 'Asked for it', '--confirm', 'usr_another');
    expect(other.code).toBe(2);
    expect(foundIn(await dumpOf(target.url)).length).toBe(secrets.length);
  });

  it('leaves nothing in the database, Redis, logs or files', async () => {
    const name = `${new URL(target.url).pathname.slice(1)}_before`;
    await withClient(inject('services').postgresUrl, async (admin) => {
      await admin.query(`create database ${name} template template0`);
    });
    copyUrl = urlOf(inject('services').postgresUrl, name);
    const dump = await dumpOf(target.url);
    await restore(dump, copyUrl);

    const file = join(directory, 'certificate.json');
    const words = ['--reason', 'Asked for it', '--confirm', planted.client.id, '--certificate', file];
    const { code, stderr } = await portico('client', 'erase', planted.client.id, ...words);
    expect(code, stderr).toBe(0);
    const after = await dumpOf(target.url);
    expect(foundIn(after)).toEqual([]);
    // The data of the other client is complete.
    const others = [...other.readable, ...other.internal];
    expect(foundIn(after, others)).toEqual(others);
    expect(foundIn(await samples())).toEqual([]);
    expect(foundIn(await dumpOfRedis())).toEqual([]);
    expect(serve.output).not.toBe('');
    expect(foundIn(serve.output)).toEqual([]);
    for (const one of readdirSync(directory).filter((found) => found !== 'export.ndjson'))
      expect([one, foundIn(readFileSync(join(directory, one), 'latin1'))]).toEqual([one, []]);
  });

  it('has a signed certificate, which the command verifies, and refuses if it was changed', async () => {
    const file = join(directory, 'certificate.json');
    const { code, stdout } = await portico('client', 'certificate', file, '--json');
    expect(code).toBe(0);
    const certificate = JSON.parse(stdout);
    expect(certificate).toMatchObject({
      subject: planted.client.id,
      kind: 'client',
      counts: { items: planted.items.length },
    });
    expect(certificate.checkpoint).toContain('\n');
    expect((await portico('client', 'certificate', planted.client.id)).stdout).toBe(readFileSync(file, 'utf8'));
    const { certificate: signed, jws } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ certificate: { ...signed, counts: {} }, jws }));
    expect((await portico('client', 'certificate', file)).stderr).toContain('differs from what was signed');
  });

  it('is reported by delta sync: every item is removed, and the list is empty', async () => {
    const delta = await get(`/assets?client_id=${planted.client.id}&updated_since=${since}`);
    expect(delta.status, delta.text).toBe(200);
    expect(delta.body.data).toEqual([]);
    const removed = delta.body.removed.map(({ registry_id }: { registry_id: string }) => registry_id);
    expect(removed.sort()).toEqual(planted.items.map(({ registryId }) => registryId).sort());
    expect((await get(`/assets?client_id=${planted.client.id}`)).body.data).toEqual([]);
    const grants = await database.query<{ expires: string | null }>({
      text: 'select expires_at as expires from grants where client_id = $1',
      values: [planted.client.id],
    });
    expect(grants.map(({ expires }) => expires === null)).toEqual([false]);
  });

  it('leaves the proofs of other clients valid, and the ledger without faults', async () => {
    await appendAll();
    const audit = await auditLedger(database);
    expect(audit.faults).toEqual([]);
    // The steps of the client's two grants, and the calls; a request that never reached the client has no step.
    expect(audit.erased).toBe(2 + 4);
    expect((await portico('ledger', 'verify')).code).toBe(0);
    const log = createLedger(database);
    const first = await log.page(other.client.id, { after: null, under: null });
    if (first === null) throw new Error('there is no ledger');
    let text = '';
    for await (const lines of log.lines(other.client.id, first)) text += lines;
    const { keys } = await readKeySet(database);
    const record = readRecordFile(text);
    expect(await verifyRecord(record, keys)).toMatchObject({ findings: [], proven: 3 + 2 });
    expect(record.count).toBe(5);
  });

  it('cannot be undone by an import of the export or by hand, nor repeated', async () => {
    const loaded = await portico('import', join(directory, 'export.ndjson'), '--json');
    expect(loaded.code, loaded.stderr).toBe(0);
    const counts = JSON.parse(loaded.stdout);
    expect(counts.users).toMatchObject({ inserted: 0, updated: 0, skipped: 1 });
    expect(counts.assets).toMatchObject({ inserted: 0, skipped: planted.items.length });
    const { id, email } = planted.client;
    await expect(
      createUser(database, { id, email, name: 'X', role: 'client', environment: 'sandbox', reportingCurrency: 'USD' }),
    ).rejects.toThrow('was erased');
    await expect(
      database.query({ text: 'update users set email = $1 where id = $2', values: [email, id] }),
    ).rejects.toThrow('does not come back');
    expect((await portico('client', 'erase', id, '--reason', 'Again', '--confirm', id)).stderr).toContain(
      'was erased at',
    );
    expect(foundIn(await dumpOf(target.url))).toEqual([]);
  });

  it('is completed when the grants have ended: only the id of the client is left', async () => {
    const { id } = planted.client;
    await appendAll();
    expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(0);
    await database.query({ text: `update erased_subjects set grants_end_at = now_ms() where id = $1`, values: [id] });
    await database.query({ text: 'update grants set expires_at = now_ms() where client_id = $1', values: [id] });
    expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(1);
    for (const table of ['users', 'erased_subjects'])
      expect(await database.query({ text: `select id from ${table} where id = $1`, values: [id] })).toEqual(
        table === 'users' ? [] : [{ id }],
      );
    for (const table of ['grants', 'items', 'collections', 'deleted_items', 'portfolio_totals'])
      expect(await database.query({ text: `select from ${table} where client_id = $1`, values: [id] })).toEqual([]);
    expect(await callsOn(id)).toBe(0);
    expect((await get(`/assets?client_id=${id}`)).status).toBe(403);
    await appendAll();
    expect((await auditLedger(database)).faults).toEqual([]);
    expect((await portico('import', join(directory, 'export.ndjson'))).code).toBe(0);
    expect(foundIn(await dumpOf(target.url))).toEqual([]);
  });
});

async function restore(dump: string, url: string): Promise<void> {
  const program = findBinary('psql') ?? 'psql';
  const child = promisify(execFile)(program, ['-d', url, '-q', '-v', 'ON_ERROR_STOP=1'], { maxBuffer: 1 << 28 });
  child.child.stdin?.end(Buffer.from(dump, 'latin1'));
  await child;
}

it('a restored earlier dump repeats the erasure before it is served', async () => {
  // A gateway that still serves the lost database would continue to write to the journal.
  await serve.end();
  expect(foundIn(await dumpOf(copyUrl)).length).toBe(secrets.length);
  const journal = await RevocationJournal.open(join(directory, 'journal'));
  const copy = await openDatabase({ url: copyUrl, journal });
  try {
    await confirmPlace(copy);
    expect((await requireServable(copy)).repeated).toBeGreaterThan(0);
    expect(foundIn(await dumpOf(copyUrl))).toEqual([]);
    expect((await auditLedger(copy)).faults).toEqual([]);
    expect((await requireServable(copy)).repeated).toBe(0);
    const loaded = await runHere({ DATABASE_URL: copyUrl }, 'import', join(directory, 'export.ndjson'));
    expect(loaded.code, loaded.stderr).toBe(0);
    expect(foundIn(await dumpOf(copyUrl))).toEqual([]);
  } finally {
    await copy.close();
  }
});
