// Connections to PostgreSQL: a gateway uses those that it can get, and answers 503 if none can serve requests.
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { urlOf, withClient } from '#test/support/database-server.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makeItem } from '#test/support/scenario.ts';

let server: TestDatabase;
/** The URL with a role of its own, which is not a superuser. */
let url: string;
let role: string;
let name: string;
let gateway: TestGateway;
let partner: Partner;

const admin = (work: (client: Client) => Promise<unknown>) => withClient(urlOf(server.url, 'postgres'), work);
const run = (...statements: string[]) =>
  admin(async (client) => {
    for (const statement of statements) await client.query(statement);
  });
const dropConnections = () => run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);

beforeEach(async () => {
  server = await createMigratedDatabase();
  role = `portico_test_${randomBytes(6).toString('hex')}`;
  name = new URL(server.url).pathname.slice(1);
  const granted = new URL(server.url);
  granted.username = role;
  granted.password = 'secret-word';
  url = granted.href;
  await run(`create role ${role} login password 'secret-word'`);
  await withClient(server.url, async (client) => {
    for (const what of ['tables', 'sequences', 'functions'])
      await client.query(`grant all on all ${what} in schema public to ${role}`);
  });
  gateway = await startGateway({ databaseUrl: url });
  partner = await makePartner(gateway);
  await makeItem(gateway.database, partner.client);
});
afterEach(async () => {
  await gateway?.stop();
  await server.drop();
  await run(`drop role if exists ${role}`);
});

/** Different requests, so that each reads from the database. */
const several = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => partner.get(`/assets?page_size=${1 + (at % 100)}`)));

const readiness = async () => {
  const response = await fetch(`${gateway.internalUrl}/readyz`);
  return { status: response.status, body: (await response.json()) as object };
};

const connected = async (): Promise<number> => {
  let count = 0;
  await admin(async (client) => {
    const { rows } = await client.query('select count(*)::int from pg_stat_activity where usename = $1', [role]);
    count = rows[0].count;
  });
  return count;
};

it('a gateway serves with fewer connections than configured, and opens more once its role may have them', async () => {
  await run(`alter role ${role} connection limit 2`);
  await dropConnections();
  // The gateway may have opened new ones already.
  await expect.poll(connected).toBeLessThanOrEqual(2);
  // More than the connections of the pool, and few enough that two serve them in time on a busy machine.
  for (let round = 0; round < 3; round++)
    expect((await several(20)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await connected()).toBeLessThanOrEqual(2);
  await run(`alter role ${role} connection limit 10`);
  const grown = async () => {
    const statements = Array.from({ length: 20 }, () => gateway.database.query({ text: 'select pg_sleep(0.1)' }));
    await Promise.all(statements);
    return connected();
  };
  await expect.poll(grown).toBeGreaterThan(2);
});

describe('a gateway answers 503', () => {
  const cases: [string, (on: boolean) => string[], RegExp][] = [
    ['while its database does not exist (3D000)', (on) => [renamed(on)], /database ".*" does not exist/],
    [
      'while its database accepts no connections (55000)',
      (on) => [`alter database ${name} allow_connections ${!on}`],
      /not currently accepting/,
    ],
    [
      'while its role may not log in (28000)',
      (on) => [`alter role ${role} ${on ? 'no' : ''}login`],
      /not permitted to log in/,
    ],
    [
      'while its database is read-only',
      (on) => [`alter database ${name} ${on ? 'set default_transaction_read_only = on' : 'reset all'}`],
      /the server is read-only/,
    ],
    [
      'while its role may have no connection (53300)',
      (on) => [`alter role ${role} connection limit ${on ? 0 : -1}`],
      /too many connections for role/,
    ],
  ];
  const renamed = (on: boolean) => `alter database ${on ? name : `${name}_x`} rename to ${on ? `${name}_x` : name}`;

  it.each(cases)('%s, is not ready, and recovers by itself', async (_, statements, reason) => {
    const statuses = async () => {
      const answers = await several(5);
      for (const { status, headers, body } of answers)
        if (status !== 200)
          expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
      return answers.map(({ status }) => status);
    };
    await expect.poll(readiness).toEqual({ status: 200, body: { status: 'ready' } });
    // A database can be renamed only without connections.
    const turn = (on: boolean) => async () => {
      await dropConnections();
      return run(...statements(on)).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(turn(true)).toBe(true);
    await dropConnections();
    await expect.poll(statuses).toEqual(Array(5).fill(503));
    await expect.poll(readiness).toEqual({
      status: 503,
      body: { status: 'unavailable', away: ['postgresql'], reason: expect.stringMatching(reason) },
    });
    await expect.poll(turn(false)).toBe(true);
    await expect.poll(statuses).toEqual(Array(5).fill(200));
    await expect.poll(readiness).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('while the schema is altered, and is not ready while migrations are missing', async () => {
    const change = (statement: string) => withClient(server.url, (client) => client.query(statement));
    // The gateway calls changed_since only for callers whose admission it has cached.
    expect((await partner.get('/assets?page_size=6')).status).toBe(200);
    await change('alter function changed_since rename to changed_sometime');
    const { status, body } = await partner.get('/assets?page_size=7');
    expect([status, body.error?.code]).toEqual([503, 'service_unavailable']);
    await change('alter function changed_sometime rename to changed_since');
    await change(`create table kept as select * from mikro_orm_migrations; delete from mikro_orm_migrations`);
    const reason = expect.stringMatching(/lacks \d+ migration/);
    await expect.poll(readiness).toMatchObject({ status: 503, body: { reason } });
  });

  it('when its sessions become read-only', async () => {
    let size = 8;
    // A reload would do so in every session. This changes the session used last, which the next request uses unless it
    // is busy.
    const statusWhenReadOnly = async () => {
      await gateway.database.connection((sql) => sql.query({ text: 'set default_transaction_read_only = on' }));
      size += 1;
      return (await partner.get(`/assets?page_size=${size}`)).status;
    };
    await expect.poll(statusWhenReadOnly).toBe(503);
  });
});

it('serve refuses to start on a read-only database and says why', async () => {
  await run(`alter database ${name} set default_transaction_read_only = on`);
  const { code, stderr } = await runHere({ DATABASE_URL: url, PORT: '0', INTERNAL_PORT: '0' }, 'serve');
  expect(stderr).toContain('cannot use the database: the server is read-only');
  expect(code).toBe(1);
});
