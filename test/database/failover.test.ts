// Failover to another primary: 503 until it is promoted, then its data, and never the data of its predecessor.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { openReads } from '#database/replicas.ts';
import { TIMELINE } from '#database/session.ts';
import { LOG_POSITION } from '#database/snapshot.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { runHere } from '#test/cli/portico.ts';
import { type Load, startLoad, withinLimit } from '#test/faults/load.ts';
import { expectDataOr503, makePortfolio, type Portfolio } from '#test/faults/portfolio.ts';
import { type ServeProcess, startServe } from '#test/faults/serve-process.ts';
import { withClient } from '#test/support/database-server.ts';
import { startGateway } from '#test/support/gateway.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { until } from '#test/support/ports.ts';
import { call, makeItem } from '#test/support/scenario.ts';
import { promote, type Service, startPostgres, startStandby } from '#test/support/services.ts';

const CONCURRENCY = 8;
/** A promotion may take half a minute. */
const PACE = { pauseMs: withinLimit(CONCURRENCY) };

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const owned = async (starting: Promise<Service>): Promise<Service> => {
  const service = await starting;
  cleanUp.push(() => service.stop());
  return service;
};

async function filled(url: string): Promise<Portfolio> {
  const portfolio = await makePortfolio(url);
  cleanUp.push(() => portfolio.database.close());
  return portfolio;
}

const run = (service: Service, text: string) => withClient(service.url, (client) => client.query(text));

/** Resolves once the standby has replayed all that `primary` has written so far. */
async function caughtUp(primary: Service, standby: Service): Promise<void> {
  const { rows } = await run(primary, 'select pg_current_wal_insert_lsn() as lsn');
  const text = `select pg_last_wal_replay_lsn() >= '${rows[0].lsn}' as reached`;
  // The replay may cancel the statement.
  const reached = () =>
    run(standby, text).then(
      (result) => result.rows[0].reached === true,
      () => false,
    );
  await until(reached, 60_000, () => new Error('the standby does not catch up'));
}

describe('DATABASE_URL with two hosts', () => {
  async function failover(): Promise<{
    primary: Service;
    standby: Service;
    portfolio: Portfolio;
    serve: ServeProcess;
    load: Load;
  }> {
    const primary = await owned(startMigratedPostgres());
    const portfolio = await filled(primary.url);
    const standby = await owned(startStandby(primary));
    await caughtUp(primary, standby);
    const url = `postgres://portico@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`;
    // With a journal, a promoted standby that lacks nothing is served without an operator's confirmation.
    const directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
    cleanUp.push(() => rm(directory, { recursive: true }));
    const serve = await startServe({ DATABASE_URL: url, REVOCATION_JOURNAL: join(directory, 'journal') });
    cleanUp.push(() => serve.end());
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, PACE);
    cleanUp.push(() => load.stop());
    return { primary, standby, portfolio, serve, load };
  }

  const ready = (serve: ServeProcess) =>
    until(
      async () => (await serve.readiness()).status === 200,
      60_000,
      () => new Error(`it is not ready:\n${serve.output}`),
    );

  /** The first reason may be a broken connection; the expected one follows once the hosts have been tried again. */
  const notReady = (serve: ServeProcess, reason: string) =>
    expect
      .poll(() => serve.readiness(), { timeout: 60_000 })
      .toMatchObject({ status: 503, body: { reason: expect.stringContaining(reason) } });

  /** Resolves after 40 more answers with this status. */
  function answered({ sent }: Load, status: number): Promise<void> {
    const count = sent.length;
    return until(
      async () => sent.slice(count).filter((one) => one.status === status).length > 40,
      60_000,
      () => new Error(`${sent.length - count} answers, none of them ${status}`),
    );
  }

  it('fails over to the standby, and answers 503 until it is promoted', async () => {
    const { primary, standby, serve, load } = await failover();
    const alone = await runHere({ DATABASE_URL: standby.url, PORT: '0', INTERNAL_PORT: '0' }, 'serve');
    expect(alone).toMatchObject({ code: 1, stderr: 'portico: cannot use the database: the server is a standby\n' });
    await answered(load, 200);
    await primary.kill();
    await notReady(serve, `127.0.0.1:${standby.port}: the server is a standby`);
    await answered(load, 503);
    await promote(standby);
    await ready(serve);
    await answered(load, 200);
    expect(Object.keys(expectDataOr503(await load.stop(), 60_000))).toEqual(['200', '503']);
  });

  it('never queries a replaced primary again, even after it returns', async () => {
    const { primary, standby, portfolio, serve, load } = await failover();
    await answered(load, 200);
    await primary.freeze();
    await promote(standby);
    await ready(serve);
    await answered(load, 200);
    expectDataOr503(await load.stop(), 60_000);
    await primary.thaw();
    const now = await openDatabase({ url: standby.url });
    cleanUp.push(() => now.close());
    const [grant] = await now.query<{ id: string }>({ text: 'select id from grants' });
    await revokeGrant(now, grant?.id ?? '', { kind: 'operator', id: 'test' });
    const after = startLoad(portfolio.wanted(serve.url), CONCURRENCY, PACE);
    cleanUp.push(() => after.stop());
    await answered(after, 403);
    // Neither host is usable: the new primary is down, and the old one has been replaced.
    await standby.kill();
    await notReady(serve, 'the server is on timeline 1, which 2 has replaced');
    await answered(after, 503);
    const statuses = new Set((await after.stop()).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([403, 503]);
  });

  it('discards a connection whose primary was replaced while it was being opened', async () => {
    const primary = await owned(startMigratedPostgres());
    const standby = await owned(startStandby(primary));
    await promote(standby);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: replaced, resolve: replace } = Promise.withResolvers<void>();
    let made = 0;
    const database = await openDatabase({
      url: `postgres://portico@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
      admit: async () => {
        if (made++ > 0) return;
        begin();
        await replaced;
      },
    });
    cleanUp.push(() => database.close());
    const timeline = () => database.query({ text: `select ${TIMELINE} as timeline` });
    const beforeIt = timeline();
    await begun;
    await primary.freeze();
    expect(await timeline()).toEqual([{ timeline: 2 }]);
    await primary.thaw();
    replace();
    expect(await beforeIt).toEqual([{ timeline: 2 }]);
  });
});

describe('a replica', () => {
  it('with rows that the new primary never had is not read', async () => {
    const primary = await owned(startMigratedPostgres());
    const { client, key, database } = await filled(primary.url);
    const [follower, heir] = [await owned(startStandby(primary)), await owned(startStandby(primary))];
    await caughtUp(primary, heir);
    await heir.kill();
    await makeItem(database, client, { title: 'lost' });
    // Enough that the new primary's log stays behind the replica's for long.
    await database.query({ text: 'create table filler as select generate_series(1, 300000)' });
    await caughtUp(primary, follower);
    await primary.kill();
    await heir.restart();
    await promote(heir);
    await run(heir, 'select confirm_place()');
    const gateway = await startGateway({ databaseUrl: heir.url, env: { DATABASE_REPLICA_URLS: follower.url } });
    cleanUp.push(() => gateway.stop());
    for (let size = 1; size <= 40; size++) {
      const path = `${gateway.url}/api/v1/assets?client_id=${client.id}&page_size=${60 + size}`;
      const { body } = await call(path, key.secret);
      expect(body.data.map(({ title }: { title: string }) => title)).not.toContain('lost');
      expect(body.data).toHaveLength(3);
    }
  });

  it('of another cluster is not read', async () => {
    const primary = await owned(startMigratedPostgres());
    const { client, key } = await filled(primary.url);
    const other = await owned(startPostgres());
    await filled(other.url);
    const standby = await owned(startStandby(other));
    await run(other, 'create table filler as select generate_series(1, 300000)');
    const gateway = await startGateway({ databaseUrl: primary.url, env: { DATABASE_REPLICA_URLS: standby.url } });
    cleanUp.push(() => gateway.stop());
    const { status, body } = await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    expect([status, body.data?.length]).toEqual([200, 3]);
  });

  it('is queried by readers only, and skipped for a while when it is behind', async () => {
    const primary = await owned(startMigratedPostgres());
    const { database } = await filled(primary.url);
    const standby = await owned(startStandby(primary));
    const reads = await openReads(database, [standby.url], 5);
    cleanUp.push(() => reads.close());
    const position = async () => {
      const [row] = await database.query<{ position: string }>({ text: `select ${LOG_POSITION} as position` });
      return row?.position ?? '';
    };
    const fromStandby = async () => {
      const [row] = await reads
        .at(await position())
        .query<{ standby: boolean }>({ text: 'select pg_is_in_recovery() as standby' });
      return row?.standby;
    };
    reads.at(await position());
    const connections = "select count(*)::int from pg_stat_activity where application_name = 'portico'";
    expect((await run(standby, connections)).rows[0].count).toBe(0);
    await expect.poll(fromStandby).toBe(true);
    await run(standby, 'select pg_wal_replay_pause()');
    await database.query({ text: 'create table more ()' });
    const behind = async () => {
      await reads.measure();
      const read = await fromStandby();
      return reads.states().map(({ name, usable }) => ({ read, name, usable }));
    };
    // A standby that was late, as on a busy machine, is unusable and not queried again for five seconds.
    const expected = [{ read: false, name: `127.0.0.1:${standby.port}`, usable: true }];
    await expect.poll(behind, { interval: 6_000 }).toEqual(expected);
    await run(standby, 'select pg_wal_replay_resume()');
    await expect.poll(fromStandby).toBe(true);
    // A promoted standby follows no primary any more.
    await promote(standby);
    expect(await fromStandby()).toBe(false);
    // It stays unusable while no reader queries it.
    for (let looks = 0; looks < 2; looks++) {
      await reads.measure();
      expect(reads.states()).toMatchObject([{ usable: false }]);
    }
  });
});
