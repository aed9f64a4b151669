// `portico doctor`: finds faults made on real servers, advises what to do, and finds nothing wrong without a fault.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '#cli/doctor/examine.ts';
import type { Finding } from '#cli/doctor/finding.ts';
import { examineRedis } from '#cli/doctor/redis.ts';
import { openDatabase } from '#database/database.ts';
import { openEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import { fleetOf, registryKey } from '#limits/fleet.ts';
import { connectRedis } from '#limits/redis-connection.ts';
import { readCursorKey } from '#repositories/reference.ts';
import { readConfig } from '#src/config.ts';
import { runHere } from '#test/cli/portico.ts';
import { findBinary } from '#test/support/binaries.ts';
import { withClient } from '#test/support/database-server.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { freePort } from '#test/support/ports.ts';
import { runRedis } from '#test/support/redis-server.ts';
import { promote, type Service, startPostgres, startRedis, startRedisCluster } from '#test/support/services.ts';
import { startWitness } from '#test/support/witness.ts';

const PREPARED = { max_prepared_transactions: '2' };

/** An address of this machine other than the loopback address. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

let postgres: Service;
let redis: Service;
let directory: string;
let env: Record<string, string>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-doctor-'));
  chmodSync(directory, 0o755);
  const hba = join(directory, 'pg_hba.conf');
  const guarded = 'host guarded all samehost scram-sha-256';
  writeFileSync(
    hba,
    `${guarded}\nlocal all all trust\nhost all all samehost trust\nhost replication all samehost trust\n`,
  );
  postgres = await startMigratedPostgres({
    settings: {
      ...{ fsync: 'on', full_page_writes: 'on', max_connections: '40', wal_level: 'logical', ...PREPARED },
      ...{ listen_addresses: '*', hba_file: hba },
      // Its workers have transactions open too.
      autovacuum_naptime: '1d',
    },
  });
  redis = await startRedis();
  env = {
    ...{ DATABASE_URL: postgres.url, REDIS_URL: redis.url, NODE_ENV: 'production', HOST: '0.0.0.0' },
    ...{
      PORTAL_URL: 'https://portico.example',
      DRAIN_DELAY_MS: '5000',
      REVOCATION_JOURNAL: join(directory, 'journal'),
    },
  };
  expect((await runHere(env, 'migrate')).code).toBe(0);
  expect((await runHere(env, 'key', 'list')).code).toBe(0);
});
afterAll(async () => {
  await redis?.stop();
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Report {
  code: number | null;
  findings: Finding[];
}

async function doctor(changes: Record<string, string> = {}, ...words: string[]): Promise<Report> {
  const { code, stdout } = await runHere({ ...env, ...changes }, 'doctor', '--json', ...words);
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] };
  expect(healthy).toBe(code === 0);
  expect(code).toBe(findings.some(({ state }) => state === 'wrong') ? 1 : 0);
  for (const { state, advice } of findings) expect(advice === null).toBe(state === 'ok');
  return { code, findings };
}

/** The findings that are not `ok`: state, check and text. */
const problems = ({ findings }: Report): string[] =>
  findings.flatMap(({ check, state, found }) => (state === 'ok' ? [] : [`${state} ${check}: ${found}`]));

const sql = (text: string) => withClient(postgres.url, (client) => client.query(text));

it('a database without migrations is wrong, and the advice names the command', async () => {
  await sql('create database empty');
  const report = await doctor({ DATABASE_URL: postgres.url.replace(/postgres$/, 'empty') });
  expect(problems(report)).toEqual([expect.stringMatching(/^wrong database.migrations: \d+ missing: Migration/)]);
  expect(report.findings.find(({ check }) => check === 'database.migrations')?.advice).toContain('portico migrate');
});

it('a healthy deployment has no problem, and every check is listed', async () => {
  const report = await doctor();
  expect(problems(report)).toEqual([]);
  expect(report.findings.map(({ check }) => check)).toEqual([
    ...['configuration', 'redis.connection', 'database.server', 'database.migrations', 'database.triggers'],
    ...[
      'database.upkeep',
      'database.access_record',
      'database.connections',
      'database.prefix',
      'database.place',
      'journal',
      'ledger',
      'redis.server',
      'clocks',
    ],
  ]);
  const { stdout, stderr } = await runHere(env, 'doctor');
  expect(stderr).toBe('');
  expect(stdout).toContain('ok       database.triggers: all exist and fire in every session');
});

it('the table of docs/operations.md contains every check of a healthy deployment', async () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, rows = ''] = /\n\| check \| looks at \|\n(.*?)\n\n/s.exec(text) ?? [];
  let area = '';
  const named = [...rows.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => {
      if (!name.startsWith('.')) area = name.replace(/\..*/, '');
      return name.startsWith('.') ? area + name : name;
    }),
  );
  const { findings } = await doctor({ RECORD_ARCHIVE: directory, ACCESS_QUEUE_URL: redis.url });
  expect(findings.map(({ check }) => check).filter((check) => !named.includes(check))).toEqual([]);
});

describe('the configuration', () => {
  it('that is invalid is reported as findings', async () => {
    const report = await doctor({ PORT: 'x', LOG_LEVEL: 'y' });
    expect(problems(report)).toEqual([
      'wrong configuration: PORT: "x" is not a whole number from 0 to 65535',
      expect.stringContaining('LOG_LEVEL'),
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'that trusts every address as a proxy',
      { TRUST_PROXY: '10.0.0.1, 0.0.0.0/0' },
      'wrong configuration: TRUST_PROXY trusts every',
    ],
    ['without Redis', { REDIS_URL: '' }, 'warning configuration: limits are local to each process'],
    ['without a revocation journal', { REVOCATION_JOURNAL: '' }, 'warning configuration: without REVOCATION_JOURNAL'],
    ['without NODE_ENV=production', { NODE_ENV: '' }, 'warning configuration: NODE_ENV is not'],
    ['without PORTAL_URL', { PORTAL_URL: '' }, 'warning configuration: PORTAL_URL is not set'],
    ['that listens on the loopback interface only', { HOST: '127.0.0.1' }, 'warning configuration: HOST is 127.0.0.1'],
    ['without a drain delay', { DRAIN_DELAY_MS: '0' }, 'warning configuration: DRAIN_DELAY_MS is 0'],
  ])('%s is reported', async (_what, changes, words) => {
    expect(problems(await doctor(changes))).toEqual([expect.stringContaining(words)]);
  });

  it('with an embedded database in production is reported', async () => {
    const changes = { DATABASE_URL: '', DATA_DIR: join(directory, 'embedded'), REVOCATION_JOURNAL: '' };
    expect((await runHere({ ...env, ...changes }, 'migrate')).code).toBe(0);
    expect(problems(await doctor(changes))).toEqual([expect.stringContaining('the database is the embedded one')]);
  });
});

it('an embedded database is neither created nor migrated, and migrate says what it applied', async () => {
  const changes = { DATABASE_URL: '', DATA_DIR: join(directory, 'outdated'), REVOCATION_JOURNAL: '' };
  const found = async () => problems(await doctor(changes)).filter((problem) => !problem.includes(' configuration: '));
  expect(await found()).toEqual([`wrong database.connection: there is no database in ${changes.DATA_DIR} yet`]);
  expect(existsSync(changes.DATA_DIR)).toBe(false);
  const latest = migrations.at(-1)?.name;
  const engine = await openEmbedded(changes.DATA_DIR);
  const database = await openDatabase({ url: engine.url, prepare: false });
  await migrate(database, 'PTC', { list: migrations.slice(0, -1) });
  await database.close();
  await engine.close();
  for (let look = 0; look < 2; look++)
    expect(await found()).toEqual([`wrong database.migrations: 1 missing: ${latest}`]);
  const { code, stdout } = await runHere({ ...env, ...changes }, 'migrate', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { applied: [latest] }]);
  expect(await found()).toEqual([]);
});

describe('PostgreSQL', () => {
  it('that does not answer is wrong', async () => {
    const nowhere = `postgres://portico@127.0.0.1:${await freePort()}/postgres`;
    expect(problems(await doctor({ DATABASE_URL: nowhere }))).toEqual([
      expect.stringMatching(/^wrong database.connection: .*ECONNREFUSED/),
    ]);
  });

  it('that requires a password which the URL lacks is wrong', async () => {
    const guarded = postgres.url.replace(/postgres$/, 'guarded');
    expect(problems(await doctor({ DATABASE_URL: guarded }))).toEqual([
      'wrong database.connection: cannot use the database: it requires a password, and the URL has none',
    ]);
  });

  it('migrated by a later version gets a warning', async () => {
    await sql(`insert into mikro_orm_migrations (name) values ('Migration9999Later')`);
    expect(problems(await doctor())).toEqual([
      'warning database.migrations: applied by a later version: Migration9999Later',
    ]);
    await sql(`delete from mikro_orm_migrations where name = 'Migration9999Later'`);
  });

  it('whose registry ids have another prefix than the configuration is wrong, since no gateway starts on it', async () => {
    const report = await doctor({ PLATFORM_PREFIX: 'ACME' });
    expect(problems(report)).toEqual([
      "wrong database.prefix: PLATFORM_PREFIX is ACME, but this deployment's registry ids begin with PTC",
    ]);
    expect(report.findings.find(({ state }) => state === 'wrong')?.advice).toBe('set PLATFORM_PREFIX=PTC');
  });

  it('of an unsupported version is wrong', async () => {
    const found = await examine(readConfig(env), { processes: 1, bounds: { minVersion: 1_000_000 } });
    const { rows } = await sql(`select current_setting('server_version') as version`);
    expect(found.find(({ check }) => check === 'database.server')).toEqual({
      ...{ check: 'database.server', state: 'wrong', found: `PostgreSQL ${rows[0]?.version}` },
      advice: 'use PostgreSQL 15 or later',
    });
  });

  it.skipIf(address === undefined)('over a network without encryption gets a warning', async () => {
    const url = postgres.url.replace('127.0.0.1', address ?? '');
    const report = await doctor({ DATABASE_URL: url });
    expect(problems(report)).toEqual(['warning database.server: the connection is not encrypted']);
    expect(report.findings.find(({ check }) => check === 'database.server')?.advice).toContain('sslmode=verify-full');
  });

  it('close to wraparound of its transaction ids is wrong', async () => {
    const found = await examine(readConfig(env), { processes: 1, bounds: { oldTransactions: 0 } });
    expect(found.find(({ check }) => check === 'database.held')).toMatchObject({
      state: 'wrong',
      found: expect.stringMatching(
        /^the oldest transaction id is [1-9]\d* transactions old: at 2,000,000,000 PostgreSQL stops all writes$/,
      ),
      advice: 'vacuum (freeze)',
    });
  });

  it('with triggers that do not fire always is wrong', async () => {
    const { rows } = await sql(
      `select tgrelid::regclass as table, tgname as name from pg_trigger where not tgisinternal order by 1, 2 limit 1`,
    );
    const [{ table, name }] = rows as [{ table: string; name: string }];
    for (const state of ['disable', 'enable']) {
      await sql(`alter table ${table} ${state} trigger ${name}`);
      expect(problems(await doctor())).toEqual([
        `wrong database.triggers: disabled, or not enabled always: ${table}.${name}; changes can go unnoticed`,
      ]);
    }
    await sql(`alter table ${table} enable always trigger ${name}`);
    expect(problems(await doctor())).toEqual([]);
  });

  it('without one of its triggers is wrong, and the advice creates it again', async () => {
    await sql('drop trigger items_updated on items');
    const report = await doctor();
    expect(problems(report)).toEqual([
      'wrong database.triggers: items lacks items_updated: gateways serve no portfolios',
    ]);
    const advice = report.findings.find(({ check }) => check === 'database.triggers')?.advice ?? '';
    await sql(advice);
    expect(problems(await doctor())).toEqual([]);
  });

  it('with a subscription whose writes do not fire statement triggers is wrong', async () => {
    const source = postgres.url.replace(/postgres$/, 'source');
    await sql('create database source');
    await withClient(source, async (client) => {
      await client.query('create table documents (id text primary key); create table elsewhere (id text primary key)');
      await client.query('create publication others for all tables');
      await client.query(`select pg_create_logical_replication_slot('others', 'pgoutput')`);
    });
    await sql('create table elsewhere (id text primary key)');
    await sql(
      `create subscription others connection '${source}' publication others with (create_slot = false, copy_data = false)`,
    );
    const seen = async () => problems(await doctor());
    await expect
      .poll(seen)
      .toEqual([
        'wrong database.triggers: the subscription others writes to documents without firing statement triggers',
      ]);
    await sql('drop subscription others');
    await sql('drop table elsewhere');
    await sql('drop database source with (force)');
    expect(await seen()).toEqual([]);
  });

  it('with an invalid index gets a warning', async () => {
    await sql('create table twice (a int); insert into twice values (1), (1)');
    await sql('create unique index concurrently twice_key on twice (a)').catch(() => {});
    expect(problems(await doctor())).toEqual([
      'warning database.indexes: twice_key is invalid: its creation was not completed',
    ]);
    await sql('drop table twice');
  });

  it('with many dead rows in a table gets a warning', async () => {
    await sql('create table dying with (autovacuum_enabled = off) as select generate_series(1, 20000) as a');
    await sql('delete from dying');
    const seen = async () => problems(await doctor());
    await expect
      .poll(seen)
      .toEqual([expect.stringMatching(/^warning database.dead_rows: dying has 20000 dead rows and \d+ live/)]);
    await sql('drop table dying');
  });

  it('with autovacuum off gets a warning', async () => {
    await sql('alter system set autovacuum = off');
    await sql('select pg_reload_conf()');
    await expect.poll(async () => problems(await doctor())).toEqual(['warning database.server: autovacuum is off']);
    await sql('alter system reset all');
    await sql('select pg_reload_conf()');
    await expect.poll(async () => problems(await doctor())).toEqual([]);
  });

  it('reports long and prepared transactions, and replication slots without a consumer', async () => {
    const session = new Client({ connectionString: postgres.url, application_name: 'report' });
    await session.connect();
    await session.query('begin; select txid_current()');
    await sql(`begin; create table prepared_one (a int); prepare transaction 'left over'`);
    await sql(`select pg_create_physical_replication_slot('gone', true)`);
    const at = () => examine(readConfig(env), { processes: 1, bounds: { longSeconds: 0 } });
    const held = (await at()).filter(({ check }) => check === 'database.held').map(({ found }) => found);
    expect(held).toEqual([
      expect.stringMatching(/^prepared transaction left over has had a transaction open for \d+ s/),
      expect.stringMatching(/^process \d+ \(report\) has had a transaction open for \d+ s/),
      expect.stringMatching(/^replication slot gone has no consumer/),
    ]);
    await session.end();
    await sql(`rollback prepared 'left over'`);
    await sql(`select pg_drop_replication_slot('gone')`);
    expect(problems(await doctor())).toEqual([]);
  });

  it('that allows fewer connections than all processes may open is wrong', async () => {
    const few = await doctor({ DATABASE_CONNECTIONS: '8' }, '--gateways', '3', '--workers', '2');
    expect(problems(few)).toEqual([
      expect.stringMatching(
        /^wrong database.connections: 6 process\(es\) × 8 connections = 48; max_connections leaves \d+ \(37 minus \d+ of others/,
      ),
    ]);
    const advice = few.findings.find(({ check }) => check === 'database.connections')?.advice ?? '';
    const [, each] = /DATABASE_CONNECTIONS to (\d) or less/.exec(advice) ?? [];
    expect(problems(await doctor({ DATABASE_CONNECTIONS: each ?? '' }, '--gateways', '3', '--workers', '2'))).toEqual(
      [],
    );
    for (const [what, whose] of [
      ['database postgres', 'the database'],
      ['role limited', 'the role'],
    ]) {
      await sql(`do $$ begin create role limited login superuser; exception when duplicate_object then null; end $$`);
      await sql(`alter ${what} connection limit 6`);
      const limited = env.DATABASE_URL?.replace('portico@', 'limited@') ?? '';
      expect(problems(await doctor({ DATABASE_URL: limited }))).toEqual([
        expect.stringMatching(new RegExp(`^wrong database.connections: 1 process.* ${whose} leaves 3 \\(6 minus 0`)),
      ]);
      await sql(`alter ${what} connection limit -1`);
    }
  });

  it('reports the state of hosts for failover and of replicas', async () => {
    const standby = await startPostgres({ standbyOf: postgres, settings: PREPARED });
    try {
      const both = env.DATABASE_URL?.replace(/@([^/]*)/, `@$1,127.0.0.1:${standby.port}`) ?? '';
      let healthy: Report | undefined;
      const seen = async () => {
        healthy = await doctor({ DATABASE_URL: both, DATABASE_REPLICA_URLS: standby.url });
        return problems(healthy);
      };
      // After its start it may be some seconds behind.
      await expect.poll(seen).toEqual([]);
      expect(healthy?.findings.map(({ found }) => found)).toEqual(
        expect.arrayContaining(['2 hosts answer', `127.0.0.1:${standby.port} follows the primary`]),
      );
      await sql('create role plain login');
      const plain = standby.url.replace('portico@', 'plain@');
      await expect
        .poll(async () => problems(await doctor({ DATABASE_REPLICA_URLS: plain })))
        .toEqual([expect.stringContaining('the role may not read pg_stat_wal_receiver')]);
      await withClient(standby.url, (client) => client.query('select pg_wal_replay_pause()'));
      await sql('create table behind (a int)');
      // After ten seconds, for which examinations without a pause would take a core.
      await expect
        .poll(async () => problems(await doctor({ DATABASE_REPLICA_URLS: standby.url })), { interval: 1_000 })
        .toEqual([expect.stringMatching(/ is \d+ s behind/)]);
      await sql('drop table behind');
      await promote(standby);
      expect(problems(await doctor({ DATABASE_URL: both, DATABASE_REPLICA_URLS: standby.url }))).toEqual([
        `wrong database.hosts: 127.0.0.1:${postgres.port} and 127.0.0.1:${standby.port} are all primaries: commands, and gateways that start, may use one that was replaced`,
        `wrong database.replicas: 127.0.0.1:${standby.port} is a primary, as a replica is after its promotion: no gateway reads it`,
      ]);
      const sameTwice = env.DATABASE_URL?.replace(/@([^/]*)/, `@$1,localhost:${postgres.port}`) ?? '';
      expect(problems(await doctor({ DATABASE_URL: sameTwice }))).toEqual([]);
      await standby.kill();
      const gone = await doctor({ DATABASE_URL: both, DATABASE_REPLICA_URLS: standby.url });
      expect(problems(gone)).toEqual([
        expect.stringMatching(/^warning database.hosts: 127.0.0.1:\d+: .*ECONNREFUSED/),
        expect.stringMatching(/^wrong database.replicas: 127.0.0.1:\d+: .*ECONNREFUSED/),
      ]);
    } finally {
      await standby.stop();
    }
  });
});

describe('the revocation journal', () => {
  const journal = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return { REVOCATION_JOURNAL: path };
  };

  it('of another deployment, with unreadable lines, or at a missing path is reported', async () => {
    expect(problems(await doctor(journal('other', '{"deployment":"another"}\n')))).toEqual([
      expect.stringMatching(/^wrong journal: .* is the journal of another deployment/),
    ]);
    expect(problems(await doctor(journal('damaged', '{"deploy')))).toEqual([
      expect.stringMatching(/^wrong journal: 1 line\(s\) of .* cannot be read/),
    ]);
    const missing = join(directory, 'none', 'journal');
    expect(problems(await doctor({ REVOCATION_JOURNAL: missing }))).toEqual([
      expect.stringMatching(/^wrong journal: .*ENOENT/),
    ]);
    const notYet = join(directory, 'not-yet');
    expect(problems(await doctor({ REVOCATION_JOURNAL: notYet }))).toEqual([
      `warning journal: ${notYet} does not exist`,
    ]);
  });

  it('with more or fewer revocations than the database is reported', async () => {
    const { stdout } = await runHere(env, 'service-token', 'create', '--role', 'ops', '--json');
    expect((await runHere(env, 'service-token', 'revoke', JSON.parse(stdout).id)).code).toBe(0);
    expect(problems(await doctor())).toEqual([]);
    const written = readFileSync(join(directory, 'journal'), 'utf8');
    const unnamed = written.split('\n').filter((line) => !line.includes('"deployment"'));
    expect(problems(await doctor(journal('unnamed', unnamed.join('\n'))))).toEqual([
      expect.stringMatching(/^warning journal: .* has lost the line that names its deployment/),
    ]);
    expect(problems(await doctor(journal('short', '')))).toEqual([
      expect.stringMatching(/^warning journal: .* lacks 1 revocation\(s\) that the database has/),
    ]);
    await sql(`create table kept as select * from revocations; delete from revocations`);
    expect(problems(await doctor())).toEqual([
      expect.stringMatching(/^wrong journal: the database lacks 1 revocation/),
    ]);
    await sql(`insert into revocations overriding system value select * from kept; drop table kept`);
    expect(problems(await doctor())).toEqual([]);
  });

  it('turns the finding for an unconfirmed database from wrong into a warning', async () => {
    await sql(`create table kept as select place from deployment; update deployment set place = 'elsewhere'`);
    expect(problems(await doctor())).toEqual(['warning database.place: the database was restored, moved or promoted']);
    expect(problems(await doctor({ REVOCATION_JOURNAL: '' }))).toContainEqual(
      'wrong database.place: the database was restored, moved or promoted, and has not been confirmed',
    );
    await sql(`update deployment set place = (select place from kept); drop table kept`);
  });
});

describe('Redis', () => {
  const configured = async (...settings: [string, string, string][]) => {
    const client = new Redis(redis.url);
    for (const [name, value] of settings) await client.config('SET', name, value);
    const found = problems(await doctor());
    for (const [name, , before] of settings) await client.config('SET', name, before);
    client.disconnect();
    return found;
  };

  it('has a registry of gateways, of which those that have stopped do not count', async () => {
    const database = await openDatabase({ url: postgres.url });
    const key = registryKey(fleetOf(await readCursorKey(database)));
    await database.close();
    const client = new Redis(redis.url);
    await client.hset(key, { '': '1 1', serving: '1 0 0 {}', stopped: '1 0 1 {}' });
    const { findings } = await doctor();
    await client.del(key);
    client.disconnect();
    const { found } = findings.find(({ check }) => check === 'redis.connection') ?? {};
    expect(found).toBe('Redis answers; 1 gateway process(es) are registered with it');
  });

  it('that does not answer is wrong', async () => {
    const nowhere = `redis://127.0.0.1:${await freePort()}`;
    expect(problems(await doctor({ REDIS_URL: nowhere }))).toEqual([
      expect.stringMatching(/^wrong redis.connection: Redis does not answer: .*ECONNREFUSED/),
    ]);
  });

  it('that stops during the examination is wrong', async () => {
    const brief = await startRedis();
    const opened = await connectRedis(brief.url);
    await brief.stop();
    expect(await examineRedis(opened)).toEqual([
      expect.objectContaining({
        check: 'redis.connection',
        state: 'wrong',
        advice: expect.stringContaining('REDIS_URL'),
      }),
    ]);
    opened.close();
  });

  it('that evicts keys is wrong', async () => {
    for (const policy of ['allkeys-lru', 'volatile-ttl'])
      expect(await configured(['maxmemory-policy', policy, 'noeviction'], ['maxmemory', '100mb', '0'])).toEqual([
        expect.stringMatching(
          new RegExp(`^wrong redis.eviction: .* evicts keys \\(${policy}\\) beyond 104857600 bytes`),
        ),
      ]);
    expect(await configured(['maxmemory-policy', 'allkeys-lru', 'noeviction'])).toEqual([]);
  });

  it('that is full gets a warning', async () => {
    expect(await configured(['maxmemory', '500kb', '0'])).toEqual([expect.stringMatching(/^warning redis.memory:/)]);
  });

  it('that saves to disk gets a warning; one that fails to save is wrong', async () => {
    expect(await configured(['save', '60 1000', ''])).toEqual([
      expect.stringMatching(/^warning redis.persistence: .* \(save 60 1000\)/),
    ]);
    expect(await configured(['appendonly', 'yes', 'no'])).toEqual([
      expect.stringMatching(/^warning redis.persistence: .* \(appendonly\)/),
    ]);
    const binary = findBinary('redis-server') ?? 'redis-server';
    const own = await runRedis(binary, ['--dir', directory, '--dbfilename', 'dump.rdb']);
    const client = new Redis(own.url);
    try {
      // A directory in place of the file makes saving fail.
      mkdirSync(join(directory, 'dump.rdb'));
      await client.bgsave();
      await expect
        .poll(async () => problems(await doctor({ REDIS_URL: own.url })))
        .toEqual([expect.stringMatching(/^wrong redis.persistence: .* failed to save/)]);
    } finally {
      client.disconnect();
      await own.stop();
    }
  });

  it('of the access queue must persist, not evict, and be another than that of the limits', async () => {
    const binary = findBinary('redis-server') ?? 'redis-server';
    const own = await runRedis(binary, ['--appendonly', 'yes']);
    const client = new Redis(own.url);
    const queueProblems = async (url = own.url) => problems(await doctor({ ACCESS_QUEUE_URL: url }));
    try {
      const report = await doctor({ ACCESS_QUEUE_URL: own.url });
      expect(problems(report)).toEqual([]);
      // Not that every write is persisted: with everysec the last second is lost with the machine.
      expect(report.findings).toContainEqual(
        expect.objectContaining({
          ...{ check: 'queue.server', state: 'ok' },
          found: expect.stringMatching(/, no eviction, writes go to disk \(appendonly yes\)$/),
        }),
      );
      await client.config('SET', 'appendfsync', 'no');
      expect(await queueProblems()).toEqual([
        expect.stringMatching(/^warning queue.persistence: .* \(appendfsync no\)/),
      ]);
      await client.config('SET', 'appendonly', 'no');
      expect(await queueProblems()).toEqual([expect.stringMatching(/^wrong queue.persistence: .* \(appendonly no\)/)]);
      await client.config('SET', 'appendonly', 'yes', 'appendfsync', 'everysec');
      await client.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru');
      expect(await queueProblems()).toEqual([
        expect.stringMatching(/^wrong queue.eviction: .* access records waiting in it are lost/),
      ]);
    } finally {
      client.disconnect();
      await own.stop();
    }
    expect(await queueProblems()).toEqual([
      expect.stringMatching(/^wrong queue.connection: Redis does not answer: .*ECONNREFUSED/),
    ]);
    expect(await queueProblems(redis.url)).toEqual([
      expect.stringMatching(/^warning queue.server: .* in the Redis of the limits/),
      expect.stringMatching(/^wrong queue.persistence: /),
    ]);
  });

  it('that is a replica is wrong', async () => {
    const replica = await startRedis();
    const client = new Redis(replica.url);
    await client.replicaof('127.0.0.1', redis.port);
    expect(problems(await doctor({ REDIS_URL: replica.url }))).toContainEqual(
      expect.stringMatching(/^wrong redis.role: .* is a replica/),
    );
    client.disconnect();
    await replica.stop();
  });

  it('Cluster: warns of missing replicas; a single node, no known master and unassigned slots are wrong', async () => {
    const cluster = await startRedisCluster();
    try {
      expect(problems(await doctor({ REDIS_URL: cluster.url }))).toEqual([
        'warning redis.cluster: 3 of 3 masters have no replica',
      ]);
      expect(problems(await doctor({ REDIS_URL: cluster.nodes[0]?.url ?? '' }))).toContainEqual(
        expect.stringMatching(/^wrong redis.cluster: .* is a node of a Cluster/),
      );
      const forgotten = await connectRedis(cluster.url);
      forgotten.close();
      expect(await examineRedis(forgotten)).toEqual([
        {
          check: 'redis.cluster',
          state: 'wrong',
          found: 'no master is known',
          advice: 'check the output of cluster nodes',
        },
      ]);
      const clients = cluster.nodes.map(({ url }) => new Redis(url));
      for (const client of clients) {
        await client.config('SET', 'cluster-require-full-coverage', 'no');
        await client.cluster('DELSLOTS', 0).catch(() => {});
      }
      await expect
        .poll(async () => problems(await doctor({ REDIS_URL: cluster.url })))
        .toContainEqual(expect.stringMatching(/^wrong redis.cluster: state \w+, 16383 of 16384 slots assigned/));
      for (const client of clients) client.disconnect();
    } finally {
      await cluster.stop();
    }
  });
});

describe('the ledger', () => {
  const wait = (minutes: number) =>
    sql(
      `insert into ledger_pending (source, event, at) values ('key_events', 1, now() - interval '${minutes} minutes')`,
    );
  afterAll(() => sql('delete from ledger_pending; delete from gateway_processes'));

  it('that is minutes behind is ok; later it gets a warning, and is wrong while gateways serve', async () => {
    await wait(4);
    const seen = await doctor();
    expect([problems(seen), seen.findings.find(({ check }) => check === 'ledger')?.found]).toEqual([
      [],
      '1 entries wait to be appended',
    ]);
    await wait(6);
    const late = /^warning ledger: 2 entries wait to be appended, the oldest for 3[67]\d s$/;
    expect(problems(await doctor())).toEqual([expect.stringMatching(late)]);
    await sql(`insert into gateway_processes
        (id, host, started_at, limiter_since, limiter, limiter_reason, records_waiting, replicas_away)
      values ('one', 'host', now(), now(), 'redis', null, 0, 0)`);
    expect(problems(await doctor())).toEqual([expect.stringMatching(/^wrong ledger: 2 entries wait to be appended/)]);
    await sql(`update gateway_processes set seen_at = now() - interval '1 minute'`);
    expect(problems(await doctor())).toEqual([expect.stringMatching(/^warning ledger: 2 entries/)]);
  });
});

it('a witness that was never asked, never cosigned, or has not for an hour gets a warning', async () => {
  const witness = await startWitness('witness.example/one', 'log+00000000+AQ==');
  await witness.close();
  const key = witness.setting.split(' ')[0] ?? '';
  const witnessProblems = async () => problems(await doctor({ LEDGER_WITNESSES: witness.setting }));
  expect(await witnessProblems()).toEqual(['warning ledger.witnesses: witness.example/one was never asked to cosign']);
  await sql(`insert into ledger_witnesses (witness, size) values ('${key}', 0)`);
  expect(await witnessProblems()).toEqual([
    expect.stringMatching(
      /^warning ledger.witnesses: witness.example\/one has never cosigned, though asked for \d+ s$/,
    ),
  ]);
  await sql(`update ledger_witnesses set cosigned_at = now() - interval '59 minutes'`);
  expect(await witnessProblems()).toEqual([]);
  await sql(`update ledger_witnesses set cosigned_at = now() - interval '61 minutes'`);
  expect(await witnessProblems()).toEqual([
    expect.stringMatching(/^warning ledger.witnesses: .* has not cosigned for 36[67]\d s$/),
  ]);
  expect(problems(await doctor())).toEqual([]);
  await sql('delete from ledger_witnesses');
});

describe('the clocks', () => {
  const at = async (aheadMs: number) => {
    const clock = { now: () => Date.now() + aheadMs };
    return (await examine(readConfig(env), { processes: 1, clock })).filter(({ check }) => check === 'clocks');
  };

  it('that differ from those of Redis and PostgreSQL are reported for each', async () => {
    for (const ahead of [3_600_000, -3_600_000]) {
      const found = await at(ahead);
      expect(found.map(({ state }) => state)).toEqual(['wrong', 'wrong']);
      expect(found.map((one) => one.found)).toEqual([
        expect.stringMatching(/^the clocks of this machine and Redis are 3(600|599)\.\d s apart/),
        expect.stringMatching(/^the clocks of this machine and PostgreSQL are 3(600|599)\.\d s apart/),
      ]);
    }
    const few = await at(3_500);
    expect(few.map(({ state }) => state)).toEqual(['warning', 'warning']);
    expect((await at(0)).map(({ state }) => state)).toEqual(['ok']);
  });
});
