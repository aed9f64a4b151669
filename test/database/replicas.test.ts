// Reads from replicas: never behind what the request was admitted on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { withClient } from '#test/support/database-server.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
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
import { startPostgres, startStandby } from '#test/support/services.ts';

let primary: Service;
let standby: Service;
let gateway: TestGateway;

beforeAll(async () => {
  primary = await startPostgres();
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

/** Whether a connection of the gateway last read items on the standby. */
async function standbyWasRead(): Promise<boolean> {
  const { rows } = await withClient(standby.url, (client) =>
    client.query("select 1 from pg_stat_activity where pid <> pg_backend_pid() and query like '%from items i%'"),
  );
  return rows.length > 0;
}

describe('a gateway with a replica', () => {
  it('shows every item from the moment it was committed', async () => {
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
    // What the request itself wrote has to arrive there first.
    const readThere = async () => (await call(list, key.secret)).status === 200 && standbyWasRead();
    await expect.poll(readThere, { timeout: 60_000, interval: 700 }).toBe(true);
    const read = async () => sampleOf(await scrape(gateway.internalUrl), 'portico_portfolio_reads_total', REPLICA);
    expect(await read()).toBeGreaterThan(0);
  });

  it('says how far the replica is behind', async () => {
    const replica = { replica: new URL(standby.url).host };
    const look = () => scrape(gateway.internalUrl);
    await expect.poll(look).toContain('portico_replica_lag_seconds{');
    expect(sampleOf(await look(), 'portico_replica_lag_seconds', replica)).toBeGreaterThanOrEqual(0);
    await expect.poll(async () => sampleOf(await look(), 'portico_replica_usable', replica)).toBe(1);
    expect(sampleOf(await look(), 'portico_database_pool_size', { database: replica.replica })).toBe(10);
  });

  it('answers from the primary while the replica is behind or away', async () => {
    const { key, list, add } = await portfolio();
    await standby.kill();
    await add();
    expect((await call(list, key.secret)).body.data).toHaveLength(1);
    await standby.restart();
    await add();
    expect((await call(list, key.secret)).body.data).toHaveLength(2);
  });

  it('refuses at once what the primary has revoked', async () => {
    const { key, list, grantId } = await portfolio();
    expect((await call(list, key.secret)).status).toBe(200);
    await revokeGrant(gateway.database, grantId, { kind: 'operator', id: 'test' });
    expect((await call(list, key.secret)).body.error.code).toBe('grant_revoked');
  });
});
