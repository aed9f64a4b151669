// Reads from replicas: never of a state before the one on which the request was admitted.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { openReads } from '#database/replicas.ts';
import { LOG_POSITION } from '#database/snapshot.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { withClient } from '#test/support/database-server.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { startPgBouncer } from '#test/support/pgbouncer.ts';
import {
  call,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
} from '#test/support/scenario.ts';
import type { Service } from '#test/support/service.ts';
import { startStandby } from '#test/support/services.ts';

let primary: Service;
let standby: Service;
let gateway: TestGateway;

beforeAll(async () => {
  primary = await startMigratedPostgres();
  const setUp = await openDatabase({ url: primary.url });
  await migrate(setUp, 'PTC');
  await setUp.close();
  standby = await startStandby(primary);
  const options: GatewayOptions = {
    databaseUrl: primary.url,
    env: { DATABASE_REPLICA_URLS: standby.url, RESPONSE_CACHE_MB: '0' },
  };
  gateway = await startGateway(options);
});
afterAll(async () => {
  await gateway?.stop();
  await standby?.stop();
  await primary?.stop();
});

async function portfolio(): Promise<{
  key: Key;
  list: string;
  clientId: string;
  grantId: string;
  add: () => Promise<Item>;
}> {
  const { database, url } = gateway;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  const client = await makeClient(database);
  const { id: grantId } = await makeGrant(database, key, client);
  const list = `${url}/api/v1/assets?client_id=${client.id}&page_size=100`;
  return { key, list, clientId: client.id, grantId, add: () => makeItem(database, client) };
}

const REPLICA = { from: 'replica' };

/** Whether the last statement of a connection to the standby read items, and began after `since`. */
async function standbyWasRead(since: Date): Promise<boolean> {
  const text = `select 1 from pg_stat_activity
    where pid <> pg_backend_pid() and query like '%from items i%' and query_start > $1`;
  const { rows } = await withClient(standby.url, (client) => client.query(text, [since]));
  return rows.length > 0;
}

describe('a gateway with a replica', () => {
  it('shows every item from its commit on', async () => {
    const { key, list, add } = await portfolio();
    for (let count = 1; count <= 40; count++) {
      await add();
      const { body } = await call(list, key.secret);
      expect(body.data).toHaveLength(count);
    }
  });

  it('reads from the replica when it has caught up', async () => {
    const { key, list, add } = await portfolio();
    await add();
    const { status } = await call(list, key.secret);
    expect(status).toBe(200);
    // The replica must first receive what the request wrote.
    const readThere = async () => {
      const since = new Date();
      return (await call(list, key.secret)).status === 200 && standbyWasRead(since);
    };
    await expect.poll(readThere, { timeout: 60_000, interval: 700 }).toBe(true);
    const read = async () => sampleOf(await scrape(gateway.internalUrl), 'portico_portfolio_reads_total', REPLICA);
    expect(await read()).toBeGreaterThan(0);
  });

  it('exposes the lag of the replica', async () => {
    const replica = { replica: new URL(standby.url).host };
    const metrics = () => scrape(gateway.internalUrl);
    const lag = new RegExp(`^portico_replica_lag_seconds\\{replica="${replica.replica}"\\} \\d`, 'm');
    await expect.poll(metrics).toMatch(lag);
    await expect.poll(async () => sampleOf(await metrics(), 'portico_replica_usable', replica)).toBe(1);
    expect(sampleOf(await metrics(), 'portico_database_pool_size', { database: replica.replica })).toBe(10);
  });

  it('stops using a replica while its pooler shares sessions', async () => {
    const pooler = await startPgBouncer(standby.url, { pool_mode: 'session' });
    const database = await openDatabase({ url: primary.url });
    const reads = await openReads(database, [pooler.url], 2);
    const usable = async () => {
      await reads.measure();
      return reads.states()[0]?.usable;
    };
    try {
      await expect.poll(usable, { timeout: 60_000 }).toBe(true);
      await pooler.set('pool_mode', 'transaction');
      await expect.poll(usable, { timeout: 60_000 }).toBe(false);
      await pooler.set('pool_mode', 'session');
      await expect.poll(usable, { timeout: 60_000 }).toBe(true);
    } finally {
      await reads.close();
      await database.close();
      await pooler.stop();
    }
  });

  it('answers from the primary while the replica is down or behind', async () => {
    const { key, list, add } = await portfolio();
    await standby.kill();
    await add();
    expect((await call(list, key.secret)).body.data).toHaveLength(1);
    await standby.restart();
    await add();
    expect((await call(list, key.secret)).body.data).toHaveLength(2);
  });

  it('refuses requests from the revocation of a grant on', async () => {
    const { key, list, grantId } = await portfolio();
    expect((await call(list, key.secret)).status).toBe(200);
    await revokeGrant(gateway.database, grantId, { kind: 'operator', id: 'test' });
    expect((await call(list, key.secret)).body.error.code).toBe('grant_revoked');
  });
});

describe('reads at a position', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ url: primary.url });
    await database.query({ text: 'create table counted (n integer)' });
  });
  afterAll(() => database.close());

  const position = async () =>
    (await database.query<{ position: string }>({ text: `select ${LOG_POSITION} as position` }))[0]?.position ?? '';
  const run = (service: Service, text: string) => withClient(service.url, (client) => client.query(text));

  it('are executed by a server that has reached it, if several servers share one address', async () => {
    const other = await startStandby(primary);
    const seen = { ahead: 0, behind: 0 };
    const [ahead, behind] = [Number(new URL(standby.url).port), Number(new URL(other.url).port)];
    // Distributes connections over the servers in turn.
    const balancer = balance([ahead, behind]);
    await once(balancer.listen(0, '127.0.0.1'), 'listening');
    const url = `postgres://portico@127.0.0.1:${(balancer.address() as AddressInfo).port}/postgres`;
    const reads = await openReads(database, [url], 2);
    try {
      const ask = async (count: number) => {
        const at = await position();
        const asked = Array.from({ length: 24 }, () =>
          reads.at(at).query<{ count: string; port: number }>({
            text: 'select count(*), current_setting($1)::int as port from counted',
            values: ['port'],
          }),
        );
        for (const [row] of await Promise.all(asked)) {
          expect(Number(row?.count)).toBe(count);
          if (row?.port === ahead) seen.ahead += 1;
          if (row?.port === behind) seen.behind += 1;
        }
      };
      // Until both connections are open, one to each server, with more statements than connections.
      await expect
        .poll(() => ask(0).then(() => Math.min(seen.ahead, seen.behind)), { timeout: 60_000 })
        .toBeGreaterThan(0);
      await run(other, 'select pg_wal_replay_pause()');
      seen.ahead = 0;
      seen.behind = 0;
      for (let count = 1; count <= 4; count++) {
        await database.query({ text: 'insert into counted values (1)' });
        await ask(count);
        // A server that was behind is not used for a second.
        await expect
          .poll(() => ask(count).then(() => seen.ahead), { timeout: 60_000, interval: 300 })
          .toBeGreaterThan(count);
      }
      expect(seen.behind).toBe(0);
    } finally {
      await reads.close();
      balancer.close();
      await other.stop();
    }
  });

  it('are executed by the primary if the clock of the replica has not reached it', async () => {
    const reads = await openReads(database, [standby.url], 2);
    try {
      const [lsn, instant, ...history] = (await position()).split(' ');
      const at = (seconds: number) => reads.at([lsn, Number(instant) + seconds, ...history].join(' '));
      await at(3_600).query({ text: 'select 1' });
      expect(reads.counts()).toEqual({ primary: 1, replica: 0 });
      await expect
        .poll(
          () =>
            at(0)
              .query({ text: 'select 1' })
              .then(() => reads.counts().replica),
          { timeout: 60_000 },
        )
        .toBe(1);
    } finally {
      await reads.close();
    }
  });
});

function balance(ports: readonly number[]): Server {
  let turn = 0;
  return createServer((near) => {
    const far = connect(ports[turn++ % ports.length] ?? 0, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from
        .on('error', () => {})
        .on('close', () => to.destroy())
        .pipe(to);
  });
}
