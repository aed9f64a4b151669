import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createDatabase } from '#test/support/database.ts';
import { answers, until } from '#test/support/ports.ts';
import { startPostgres } from '#test/support/services.ts';

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 500, query_timeout: 500 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end().catch(() => {});
  }
}

it('a database of its own is empty, and gone afterwards', async () => {
  const database = await createDatabase();
  const empty = "select count(*)::int from pg_tables where schemaname = 'public'";
  expect(await ask(database.url, empty)).toEqual([0]);
  await database.drop();
  await expect(ask(database.url, 'select 1')).rejects.toThrow('does not exist');
});

it('a private PostgreSQL can be frozen, killed and restarted with its data', async () => {
  const postgres = await startPostgres();
  try {
    await ask(postgres.url, 'create table kept as select 7 as seven');
    await postgres.freeze();
    await expect(ask(postgres.url, 'select 1')).rejects.toThrow();
    await postgres.thaw();
    expect(await ask(postgres.url, 'select 1')).toEqual([1]);
    await postgres.kill();
    await expect(ask(postgres.url, 'select 1')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await postgres.restart();
    expect(await ask(postgres.url, 'select seven from kept')).toEqual([7]);
  } finally {
    await postgres.stop();
  }
  expect(await answers(postgres.port)).toBe(false);
});

it.each(['startRedis', 'startPostgres'])(
  'what %s started does not outlive a test process that is killed',
  async (start) => {
    const code = `
    const services = await import('#test/support/services.ts');
    const service = await services.${start}();
    console.log(service.port);
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const port = Number(line);
    expect(await answers(port)).toBe(true);
    child.kill('SIGKILL');
    await until(
      async () => !(await answers(port)),
      5_000,
      () => new Error('it is still there'),
    );
  },
);
