// In a restored, moved or promoted database nothing that depends on transaction ids is trusted: partners synchronise in
// full once, old cursors are refused, and lost revocations apply again. Uses real servers, base backups and dumps.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { openEmbedded } from '#database/embedded.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { forgetChanges } from '#repositories/maintenance.ts';
import { readPlace } from '#repositories/restores.ts';
import { runHere } from '#test/cli/portico.ts';
import { findBinary } from '#test/support/binaries.ts';
import { withClient } from '#test/support/database-server.ts';
import { embeddedDirectory } from '#test/support/engines.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { pathFor } from '#test/support/partner.ts';
import { until } from '#test/support/ports.ts';
import { takeBaseBackup } from '#test/support/postgres-server.ts';
import {
  call,
  type Item,
  type Key,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
  type Response,
} from '#test/support/scenario.ts';
import { promote, type Service, startPostgres, startStandby } from '#test/support/services.ts';
import { PartnerCopy, walk } from '../guarantees/partner-copy.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { launchServe, type ServeProcess, startServe } from './serve-process.ts';

const LONG_AGO = '2020-01-01T00:00:00Z';
const ITEMS = 40;

let directory: string;
/** The original's WAL archive, with which a backup can be recovered to any point. */
let archive: string;
let original: Service;
let portfolio: Portfolio;
let items: Item[];
const opened: { stop(): Promise<void> }[] = [];
/** Servers that several tests use. */
const copies: Service[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-restore-'));
  // The servers run as another user, who needs access.
  chmodSync(directory, 0o777);
  archive = join(directory, 'archive');
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  original = await startMigratedPostgres({
    settings: { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, wal_level: 'replica' },
  });
  portfolio = await makePortfolio(original.url);
  items = [...portfolio.items];
  while (items.length < ITEMS) items.push(await makeItem(portfolio.database, portfolio.client));
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.stop();
});
afterAll(async () => {
  await portfolio?.database.close();
  for (const copy of copies) await copy.stop();
  await original?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function startServer(options: Parameters<typeof startPostgres>[0] = {}): Promise<Service> {
  const server = await startPostgres(options);
  opened.push(server);
  return server;
}

async function gatewayAt({ url }: Service): Promise<TestGateway> {
  const gateway = await startGateway({ databaseUrl: url });
  opened.push(gateway);
  return gateway;
}

let backups = 0;
async function backUp(server: Service): Promise<string> {
  backups += 1;
  const to = join(directory, `backup-${backups}`);
  await takeBaseBackup(server, to);
  return to;
}

/** The original as of this restore point. Its data can be kept in a directory. */
const recover = (from: string, point: string, keptIn?: string): Promise<Service> =>
  startServer({
    ...{ from: { directory: from, recover: true }, keptIn },
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: point,
      recovery_target_action: 'promote',
      // No connections before recovery is complete.
      hot_standby: 'off',
    },
  });

/** Creates a restore point, and archives the WAL up to it. */
async function restorePoint(name: string): Promise<void> {
  await portfolio.database.query({ text: 'select pg_create_restore_point($1)', values: [name] });
  await portfolio.database.query({ text: 'select pg_switch_wal()' });
}

const run = promisify(execFile);

async function takeDump(server: Service): Promise<string> {
  const dump = join(directory, `dump-${server.port}`);
  await run(findBinary('pg_dump') ?? 'pg_dump', ['-Fc', '-d', server.url, '-f', dump]);
  return dump;
}

const restoreDump = (dump: string, server: Service, ...options: string[]) =>
  run(findBinary('pg_restore') ?? 'pg_restore', ['-d', server.url, ...options, dump]);

async function dumpInto(server: Service, ...options: string[]): Promise<void> {
  await restoreDump(await takeDump(original), server, ...options);
}

/** Confirms the restored database, as an operator does. */
const confirm = ({ url }: Service) => runHere({ DATABASE_URL: url }, 'restore', '--confirm');

async function onServer<Result>({ url }: Service, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Consumes transaction ids. */
async function consumeXids(server: Service, transactions: number): Promise<void> {
  const text = `do $$ begin for n in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop; end $$`;
  await onServer(server, (database) => database.query({ text }));
}

const nextXid = (server: Service) =>
  onServer(server, async (database) => {
    const [row] = await database.query<{ next: number }>({
      text: 'select pg_snapshot_xmax(pg_current_snapshot())::text::int as next',
    });
    return row?.next ?? 0;
  });

const get = ({ url }: TestGateway, path: string): Promise<Response> =>
  call(url + pathFor(portfolio.client.id, path), portfolio.key.secret);

const retitle = (sql: Pick<Database, 'query'>, { id }: Item) =>
  sql.query({ text: 'update items set title = gen_random_uuid()::text where id = $1', values: [id] });

const presentAsOf = async (gateway: TestGateway) =>
  (await get(gateway, '/assets?page_size=1')).body.sync.as_of as string;

const fullSince = async (gateway: TestGateway, since: string) =>
  (await get(gateway, `/assets?updated_since=${since}`)).body.sync.full as boolean;

describe('a dump restored into another cluster with lower transaction ids', () => {
  let copy: Service;
  let cursor: string;
  let since: string;
  const delta = () => `/assets?updated_since=${since}&page_size=2`;

  it('refuses cursors of walks that began in the old cluster', async () => {
    const before = await gatewayAt(original);
    since = await presentAsOf(before);
    await consumeXids(original, 3_000);
    for (const item of items) await retitle(portfolio.database, item);
    const { body } = await get(before, delta());
    expect(body.sync.full).toBe(false);
    cursor = body.pagination.next_cursor;
    expect((await get(before, `${delta()}&cursor=${cursor}`)).status).toBe(200);

    copy = await startPostgres();
    copies.push(copy);
    await dumpInto(copy);
    expect(await nextXid(copy)).toBeLessThan(await nextXid(original));
    await confirm(copy);
    const after = await gatewayAt(copy);
    const refused = await get(after, `${delta()}&cursor=${cursor}`);
    expect([refused.status, refused.body.error?.param]).toEqual([400, 'cursor']);
  });

  it('makes partners synchronise in full once', async () => {
    const after = await gatewayAt(copy);
    const { body } = await get(after, delta());
    expect(body.sync.full).toBe(true);
    expect(await fullSince(after, body.sync.as_of)).toBe(false);
  });

  it('continues walks that began in it, also after upkeep', async () => {
    const after = await gatewayAt(copy);
    await onServer(copy, (database) =>
      database.transaction(async (sql) => {
        // As upkeep does after two days.
        await sql.query({ text: "delete from changes where at < now() + interval '1 hour'" });
        await sql.query({ text: "delete from item_changes where at < now() + interval '1 hour'" });
      }),
    );
    await onServer(copy, (database) => forgetChanges(database, 91));
    const { body } = await get(after, `/assets?updated_since=${LONG_AGO}&page_size=2`);
    const next = await get(
      after,
      `/assets?updated_since=${LONG_AGO}&page_size=2&cursor=${body.pagination.next_cursor}`,
    );
    expect(next.status).toBe(200);
  });
});

describe('a dump restored into another cluster', () => {
  it('does not report rows of the old cluster as changes once its transaction ids reach theirs', async () => {
    for (const item of items) await retitle(portfolio.database, item);
    const copy = await startServer();
    await dumpInto(copy);
    const [oldest] = await onServer(copy, (database) =>
      database.query<{ xid: number }>({ text: 'select min(xid::text::int) as xid from item_changes' }),
    );
    await confirm(copy);
    const gateway = await gatewayAt(copy);
    // A walk that begins before the ids of the old rows and continues beyond them.
    await consumeXids(copy, (oldest?.xid ?? 0) - (await nextXid(copy)) - 10);
    const pages: Response[] = [await get(gateway, `/assets?updated_since=${LONG_AGO}&page_size=5`)];
    await consumeXids(copy, (await nextXid(original)) - (await nextXid(copy)) + 10);
    for (;;) {
      const next = pages.at(-1)?.body.pagination.next_cursor;
      if (next === null) break;
      pages.push(await get(gateway, `/assets?updated_since=${LONG_AGO}&page_size=5&cursor=${next}`));
      expect(pages.at(-1)?.status).toBe(200);
    }
    const shown = pages.flatMap(({ body }) => body.data.map((asset: { registry_id: string }) => asset.registry_id));
    expect(shown.sort()).toEqual(items.map(({ registryId }) => registryId).sort());
  });

  it('cannot be confirmed until the section of the dump with the triggers is restored, too', async () => {
    const copy = await startServer();
    await dumpInto(copy, '--section=pre-data', '--section=data');
    const journal = await RevocationJournal.open(join(directory, 'journal'));
    await journal.begin((await onServer(copy, readPlace)).deploymentId);
    const act = { table_name: 'grants', row_id: 'grt_1', changed: null, terms: {} };
    await journal.append([{ id: randomUUID(), seq: 1_000, at: new Date().toISOString(), ...act }]);
    for (const words of [['migrate'], ['restore', '--confirm'], ['restore', '--journal', journal.path]]) {
      const refused = await runHere({ DATABASE_URL: copy.url }, ...words);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /^portico: the database lacks triggers, without which changes go unnoticed: .*\n$/,
      );
    }
    await dumpInto(copy, '--section=post-data');
    expect(await confirm(copy)).toMatchObject({ code: 0, stderr: '' });
    expect((await get(await gatewayAt(copy), '/assets')).status).toBe(200);
  });
});

it('a dump restored over the database that it was taken from is not served until an operator confirms it', async () => {
  const server = await startServer();
  await dumpInto(server);
  await confirm(server);
  const dump = await takeDump(server);
  const env = { DATABASE_URL: server.url };
  expect((await runHere(env, 'key', 'revoke', portfolio.key.id)).code).toBe(0);
  const running = await startServe(env);
  opened.push({ stop: () => running.end() });
  // On as many connections, none of which may be used afterwards.
  const reasons = async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => running.readiness()));
    return new Set(answers.map(({ body }) => body.reason));
  };
  expect(await reasons()).toEqual(new Set([undefined]));
  await restoreDump(dump, server, '--clean', '--if-exists');
  const reason = expect.stringContaining('restored, moved or promoted');
  await expect.poll(reasons).toEqual(new Set([reason]));
  await expect
    .poll(async () => (await fetch(`${running.internalUrl}/metrics`)).text())
    .toContain('portico_database_unconfirmed 1');
  const refused = await runHere(env, 'serve');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('restored, moved or promoted');
  await confirm(server);
  expect((await get(await gatewayAt(server), '/assets')).status).toBe(200);
});

describe.each([
  ['recovered to a point in time', true],
  ['started from a base backup without recovery', false],
])('a server %s', (_, toPoint) => {
  it('makes partners synchronise in full once, and refuses cursors of lost transactions', async () => {
    const before = await gatewayAt(original);
    const copy = new PartnerCopy(before.url, portfolio.key, portfolio.client.id, 7);
    const backup = await backUp(original);
    const point = `point_${toPoint}`;
    await restorePoint(point);
    // Changes that the restore loses and the partner has.
    for (const item of items) await retitle(portfolio.database, item);
    const extra = await makeItem(portfolio.database, portfolio.client);
    await copy.sync();
    const since = await presentAsOf(before);
    for (const item of items) await retitle(portfolio.database, item);
    const delta = `/assets?updated_since=${since}&page_size=3`;
    const { body: first } = await get(before, delta);
    expect([copy.assets.size, first.sync.full]).toEqual([ITEMS + 1, false]);
    await portfolio.database.query({ text: 'delete from items where id = $1', values: [extra.id] });

    const restored = toPoint
      ? await recover(backup, point)
      : await startServer({ from: { directory: backup, recover: false } });
    await confirm(restored);
    const after = await gatewayAt(restored);
    const cursor = first.pagination.next_cursor;
    // New transactions get the ids of the lost ones.
    await consumeXids(restored, 500);
    const refused = await get(after, `${delta}&cursor=${cursor}`);
    expect([refused.status, refused.body.error?.param]).toEqual([400, 'cursor']);
    const { body } = await get(after, `/assets?updated_since=${since}`);
    expect(body.sync.full).toBe(true);
    expect(await fullSince(after, body.sync.as_of)).toBe(false);
    const { assets } = await walk(after.url, portfolio.key, portfolio.client.id, `updated_since=${since}&page_size=9`);
    expect(assets).toHaveLength(ITEMS);
  });
});

/** With a plain client, since Portico's connections refuse a standby. */
const onStandby = ({ url }: Service, text: string) =>
  withClient(url, async (client) => (await client.query(text)).rows);

it('a promoted standby makes partners synchronise in full once', async () => {
  const before = await gatewayAt(original);
  const standby = await startStandby(original);
  opened.push(standby);
  const since = await presentAsOf(before);
  const { body: first } = await get(before, `/assets?updated_since=${LONG_AGO}&page_size=3`);
  await promote(standby);
  await confirm(standby);
  const after = await gatewayAt(standby);
  const next = `/assets?updated_since=${LONG_AGO}&page_size=3&cursor=${first.pagination.next_cursor}`;
  expect((await get(after, next)).status).toBe(400);
  expect(await fullSince(after, since)).toBe(true);
  expect(await fullSince(after, await presentAsOf(after))).toBe(false);
});

/** The procedure of docs/restoring.md. */
describe('revocations since the backup', () => {
  interface Access {
    key: Key;
    /** Status of a request for the portfolio's client with the key. */
    status(url: string): Promise<number>;
  }

  async function access(): Promise<Access> {
    const key = await makeKey(portfolio.database, await makeFirm(portfolio.database));
    await makeGrant(portfolio.database, key, portfolio.client);
    const path = pathFor(portfolio.client.id, '/assets?page_size=1');
    return { key, status: async (url) => (await call(url + path, key.secret)).status };
  }

  let journal: string;
  let unrevoked: Access;
  let byCommand: Access;
  let byHand: Access;
  /** The data of the original as of before the revocations, for each test to copy. */
  let recovered: string;
  let env: Record<string, string>;
  const lines = () => (existsSync(journal) ? readFileSync(journal, 'utf8') : '');

  async function serve(settings: Record<string, string>): Promise<ServeProcess> {
    const process = await launchServe(settings);
    opened.push({ stop: () => process.end() });
    return process;
  }

  async function command(settings: Record<string, string>, ...words: string[]) {
    const { code, stdout, stderr } = await runHere(settings, ...words, '--json');
    return { code, stderr, value: stdout === '' ? null : JSON.parse(stdout) };
  }

  beforeAll(async () => {
    journal = join(directory, 'revocations');
    env = { DATABASE_URL: original.url, REVOCATION_JOURNAL: journal };
    [unrevoked, byCommand, byHand] = [await access(), await access(), await access()];
    const running = await serve(env);
    await running.ready();
    const backup = await backUp(original);
    await restorePoint('drill');
    expect((await command(env, 'key', 'revoke', byCommand.key.id)).code).toBe(0);
    expect(lines()).toContain(byCommand.key.id);
    // By hand in the database; a gateway detects it within seconds.
    await portfolio.database.query({
      text: "update api_keys set revoked_at = now(), revoked_by = 'operator:hand' where id = $1",
      values: [byHand.key.id],
    });
    await until(
      async () => lines().includes(byHand.key.id),
      60_000,
      () => new Error('the gateway did not journal the revocation'),
    );
    recovered = join(directory, 'recovered');
    await recover(backup, 'drill', recovered);
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  const restored = () => startServer({ from: { directory: recovered, recover: false } });
  const statuses = async (url: string) => [
    await unrevoked.status(url),
    await byCommand.status(url),
    await byHand.status(url),
  ];

  it('are undone in a restored database, which is not served until an operator confirms it', async () => {
    const { url } = await restored();
    const refused = await runHere({ DATABASE_URL: url }, 'serve');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('restored, moved or promoted');
    const { value } = await command({ DATABASE_URL: url }, 'restore');
    expect(value.confirmed).toBe(false);
    const active = value.keys.map(({ id }: { id: string }) => id);
    for (const { key } of [unrevoked, byCommand, byHand]) expect(active).toContain(key.id);
    expect((await command({ DATABASE_URL: url }, 'key', 'revoke', byCommand.key.id)).code).toBe(0);
    expect((await command({ DATABASE_URL: url }, 'restore', '--confirm')).value.confirmed).toBe(true);
    const running = await serve({ DATABASE_URL: url });
    await running.ready();
    expect(await statuses(running.url)).toEqual([200, 401, 200]);
  });

  it('apply again once the journal has been applied, which can be repeated', async () => {
    const { url } = await restored();
    const apply = () => command({ DATABASE_URL: url }, 'restore', '--journal', journal);
    expect((await apply()).value).toEqual({ applied: 2, confirmed: true });
    expect((await apply()).value).toEqual({ applied: 0, confirmed: true });
    const running = await serve({ DATABASE_URL: url });
    await running.ready();
    expect(await statuses(running.url)).toEqual([200, 401, 401]);
  });

  it('apply again without an operator if serve has the journal', async () => {
    const running = await serve({ ...env, DATABASE_URL: (await restored()).url });
    await running.ready();
    expect(await statuses(running.url)).toEqual([200, 401, 401]);
  });

  it('are taken neither from the journal of another deployment nor from a new one', async () => {
    const { url } = await restored();
    const foreign = join(directory, 'foreign');
    writeFileSync(foreign, `{"deployment":"00000000-0000-4000-8000-000000000000"}\n`);
    const { code, stderr } = await command({ DATABASE_URL: url }, 'restore', '--journal', foreign);
    expect([code, stderr]).toEqual([1, expect.stringContaining("another deployment's")]);
    const fresh = await runHere({ DATABASE_URL: url, REVOCATION_JOURNAL: join(directory, 'fresh') }, 'serve');
    expect(fresh.code).toBe(1);
  });

  describe('after a standby takes over under a running gateway', () => {
    /** An address that forwards connections to the present primary. */
    async function behindOneAddress(settings: Record<string, string>) {
      let target = original;
      const sockets = new Set<Socket>();
      const name = createServer((incoming) => {
        const outgoing = connect(target.port, '127.0.0.1');
        for (const [from, to] of [
          [incoming, outgoing],
          [outgoing, incoming],
        ] as const) {
          sockets.add(from);
          from.on('error', () => {}).on('close', () => to.destroy());
          from.pipe(to);
        }
      }).listen(0, '127.0.0.1');
      await once(name, 'listening');
      opened.push({
        stop: async () => {
          for (const socket of sockets) socket.destroy();
          name.close();
        },
      });
      const url = new URL(original.url);
      url.port = String((name.address() as AddressInfo).port);
      const running = await serve({ ...settings, DATABASE_URL: url.href });
      await running.ready();
      const standby = await startStandby(original);
      opened.push(standby);
      return {
        running,
        standby,
        /** Forwards the address to the standby. */
        takeOver() {
          target = standby;
          for (const socket of sockets) socket.destroy();
        },
      };
    }

    it('apply without an operator if the standby has all of them', async () => {
      const { running, standby, takeOver } = await behindOneAddress(env);
      expect(await unrevoked.status(running.url)).toBe(200);
      await promote(standby);
      takeOver();
      await expect.poll(() => unrevoked.status(running.url)).toBe(200);
      expect(await statuses(running.url)).toEqual([200, 401, 401]);
    });

    it('apply before the standby is served if it lacks some of them', async () => {
      const late = await access();
      const { running, standby, takeOver } = await behindOneAddress(env);
      // Disconnects the standby, which gets nothing that follows.
      await onStandby(standby, "alter system set primary_conninfo = ''");
      await onStandby(standby, 'select pg_reload_conf()');
      await expect.poll(() => onStandby(standby, 'select pid from pg_stat_wal_receiver')).toEqual([]);
      expect((await command(env, 'key', 'revoke', late.key.id)).code).toBe(0);
      await promote(standby);
      const revoked = { text: 'select revoked_at from api_keys where id = $1', values: [late.key.id] };
      expect(await onServer(standby, (database) => database.query(revoked))).toEqual([{ revoked_at: null }]);
      const seen: number[] = [];
      takeOver();
      await expect
        .poll(async () => {
          seen.push(await late.status(running.url));
          return unrevoked.status(running.url);
        })
        .toBe(200);
      expect(await late.status(running.url)).toBe(401);
      expect(seen).not.toContain(200);
      expect(running.output).toContain('1 revocation(s) that the database had lost were repeated');
    });

    it('need an operator without a journal: requests get 503 until the standby is confirmed', async () => {
      const { running, standby, takeOver } = await behindOneAddress({});
      await promote(standby);
      takeOver();
      await expect.poll(async () => (await running.readiness()).status).toBe(503);
      expect(await unrevoked.status(running.url)).toBe(503);
      await confirm(standby);
      await expect.poll(() => unrevoked.status(running.url)).toBe(200);
    });
  });
});

it('an embedded database restored from a copy of its directory repeats the revocations of its journal', async () => {
  const [copied, journal] = [join(directory, 'copied'), join(directory, 'embedded-journal')];
  const env = { DATA_DIR: await embeddedDirectory(), REVOCATION_JOURNAL: journal, LOG_LEVEL: 'error' };
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await runHere(env, ...words, '--json');
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const engine = await openEmbedded(env.DATA_DIR);
  const database = await openDatabase({ url: engine.url, prepare: false });
  const key = await makeKey(database, await makeFirm(database));
  await database.close();
  await engine.close();
  cpSync(env.DATA_DIR, copied, { recursive: true });
  const running = await launchServe(env);
  opened.push({ stop: () => running.end() });
  await running.ready();
  // The command connects to the database that the running server serves.
  await json('key', 'revoke', key.id);
  expect(readFileSync(env.REVOCATION_JOURNAL, 'utf8')).toContain(key.id);
  await running.end();
  rmSync(env.DATA_DIR, { recursive: true });
  cpSync(copied, env.DATA_DIR, { recursive: true });
  expect((await json('restore')).keys).toHaveLength(1);
  const again = await launchServe(env);
  opened.push({ stop: () => again.end() });
  await again.ready();
  expect(again.output).toContain('1 revocation(s) that the database had lost were repeated');
  expect((await json('restore')).keys).toEqual([]);
});
