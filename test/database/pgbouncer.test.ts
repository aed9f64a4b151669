// PgBouncer between gateways and PostgreSQL: session pooling works; other modes are refused with advice.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { requireUsable } from '#database/migrate.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { startGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { type PgBouncer, pgbouncerVersion, startPgBouncer } from '#test/support/pgbouncer.ts';
import { makeItem } from '#test/support/scenario.ts';

let server: TestDatabase;
let pooler: PgBouncer | undefined;
beforeAll(async () => {
  server = await createMigratedDatabase();
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
});
afterAll(() => server.drop());

async function pooled(settings: Record<string, string>): Promise<string> {
  pooler = await startPgBouncer(server.url, settings);
  return pooler.url;
}

describe('in session mode', () => {
  it('migrations and requests work with fewer sessions than connections', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: '4' });
    expect(await runHere({ DATABASE_URL: url }, 'migrate')).toMatchObject({ code: 0 });
    const gateway = await startGateway({ databaseUrl: url, env: { DATABASE_CONNECTIONS: '10' } });
    try {
      const partner = await makePartner(gateway);
      await makeItem(gateway.database, partner.client);
      const paths = Array.from({ length: 40 }, (_, at) => `/assets?page_size=${1 + at}`);
      const answers = await Promise.all(paths.map((path) => partner.get(path)));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    } finally {
      await gateway.stop();
    }
  });

  it('a burst of statements waits for free sessions', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: '4' });
    const database = await openDatabase({ url, connections: 10 });
    try {
      await database.query({ text: 'select 1' });
      // All statements find the same connection idle.
      const numbers = Array.from({ length: 40 }, (_, number) => number);
      const read = (number: number) => database.query({ text: 'select $1::integer as number', values: [number] });
      expect((await Promise.all(numbers.map(read))).flat()).toEqual(numbers.map((number) => ({ number })));
    } finally {
      await database.close();
    }
  });

  it('a statement beside a long one gets a session of its own', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: '4' });
    const database = await openDatabase({ url, connections: 10 });
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    try {
      await database.query({ text: 'select 1' });
      // Both find the same connection idle; the first one takes it.
      const lasting = database.connection(() => over);
      expect(await database.query({ text: 'select 2 as number' })).toEqual([{ number: 2 }]);
      end();
      await lasting;
    } finally {
      end();
      await database.close();
    }
  });

  it('a command that gets no session says what may be the reason', async () => {
    const url = await pooled({ pool_mode: 'session', default_pool_size: '1' });
    const holding = await openDatabase({ url });
    try {
      await holding.query({ text: 'select 1' });
      const { code, stderr } = await runHere({ DATABASE_URL: url }, 'limits', 'shadow');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('a pooler may have no session left'),
      });
    } finally {
      await holding.close();
    }
  });

  it('a change to transaction pooling is detected, and sessions from before it are not reused', async () => {
    const url = await pooled({ pool_mode: 'session' });
    const database = await openDatabase({ url, connections: 4 });
    // `jit` is off only in sessions that the product has set up. The statements are slow, so that four need four
    // connections.
    const settings = () =>
      Promise.all(
        Array.from({ length: 4 }, () =>
          database.query({ text: "select current_setting('jit') as jit from pg_sleep(0.2)" }),
        ),
      );
    const usable = () =>
      requireUsable(database).then(
        () => 'usable',
        (error: Error) => error.message,
      );
    try {
      await settings();
      expect(await usable()).toBe('usable');
      await pooler?.set('pool_mode', 'transaction');
      await expect.poll(usable, { timeout: 60_000 }).toContain('for PgBouncer set pool_mode = session');
      await pooler?.set('pool_mode', 'session');
      await expect.poll(usable, { timeout: 60_000 }).toBe('usable');
      expect(await settings()).toEqual(Array(4).fill([{ jit: 'off' }]));
    } finally {
      await database.close();
    }
  });

  it('a session that was not reset after its previous client is not used', async () => {
    const url = await pooled({ pool_mode: 'session', server_reset_query: '' });
    const first = await openDatabase({ url });
    await first.query({ text: 'select 1' });
    await first.close();
    const second = await openDatabase({ url });
    await expect(second.query({ text: 'select 1' })).rejects.toThrow('server_reset_query = DISCARD ALL');
    await second.close();
  });
});

const SHARING: [string, Record<string, string>][] = [
  ['transaction', {}],
  ['transaction', { server_round_robin: '1', min_pool_size: '3' }],
  ['statement', {}],
];
// PgBouncer has this setting since 1.21; its default has changed since.
if (pgbouncerVersion() >= 121)
  for (const count of ['0', '100']) SHARING.push(['transaction', { max_prepared_statements: count }]);

it('two sessions used in turn are detected by the first connection', async () => {
  const url = await pooled({ pool_mode: 'transaction', server_round_robin: '1', default_pool_size: '2' });
  const text = 'select pg_backend_pid() as pid, pg_sleep(0.5)';
  const pidOf = () => withClient(url, async (client) => (await client.query(text)).rows[0].pid);
  // Repeats until two concurrent statements ran in two sessions, which the pool then has.
  await expect.poll(async () => new Set(await Promise.all([pidOf(), pidOf()])).size).toBe(2);
  const database = await openDatabase({ url });
  await expect(database.query({ text: 'select 1' })).rejects.toThrow('pool_mode = session');
  await database.close();
});

describe.each(SHARING)('in %s mode %j', (mode, settings) => {
  it.each(['serve', 'migrate'])('%s refuses to start and names the mode to set', async (command) => {
    const url = await pooled({ pool_mode: mode, ...settings });
    const { code, stderr } = await runHere({ DATABASE_URL: url, PORT: '0', INTERNAL_PORT: '0' }, command);
    expect(stderr).toContain('cannot use the database: ');
    expect(stderr).toContain('for PgBouncer set pool_mode = session');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  });

  it('commands with one connection refuse, too', async () => {
    const url = await pooled({ pool_mode: mode, ...settings });
    const { code, stderr } = await runHere({ DATABASE_URL: url, DATABASE_CONNECTIONS: '1' }, 'limits', 'shadow');
    expect(stderr).toContain('for PgBouncer set pool_mode = session');
    expect(code).toBe(1);
  });
});
