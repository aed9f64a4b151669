// Start-up: concurrent migrations, a database that is not ready, wrong settings, ports in use.

import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { migrations } from '#database/migrations/index.ts';
import { portico } from '#test/cli/portico.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort } from '#test/support/ports.ts';
import { launchServe, type ServeProcess } from './serve-process.ts';

const CONCURRENCY = 4;
const NO_STACK = /^\s+at /m;

let created: TestDatabase;
const running: ServeProcess[] = [];

beforeAll(async () => {
  created = await createDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((serve) => serve.end()));
});
afterAll(() => created.drop());

async function applied(): Promise<string[]> {
  const database = await openDatabase({ url: created.url });
  const rows = await database.query<{ name: string }>({ text: 'select name from mikro_orm_migrations order by id' });
  await database.close();
  return rows.map(({ name }) => name);
}

describe('with a database that is not up to date', () => {
  it('serve exits and names the command to run', async () => {
    const { code, stderr } = await portico({ DATABASE_URL: created.url }, 'serve');
    expect(code).toBe(1);
    expect(stderr).toMatch(/lacks \d+ migration\(s\); run: portico migrate/);
    expect(stderr).not.toMatch(NO_STACK);
  });

  it('concurrent migrate commands apply each migration once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENCY }, () => portico({ DATABASE_URL: created.url }, 'migrate', '--json')),
    );
    expect(outcomes.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(Array(CONCURRENCY).fill(0));
    const lists = outcomes.map(({ stdout }) => JSON.parse(stdout).applied as string[]);
    expect(lists.filter((list) => list.length > 0)).toHaveLength(1);
    expect(await applied()).toEqual(migrations.map((migration) => migration.name));
  });
});

describe('serve that cannot start', () => {
  it('lists all wrong settings, one a line, and exits with 2', async () => {
    const wrong = { PORT: 'x', INTERNAL_PORT: '70000', LOG_LEVEL: 'loud', PLATFORM_PREFIX: 'a', REDIS_URL: 'http://x' };
    const { code, stderr, stdout } = await portico(
      { ...wrong, DATABASE_URL: 'mysql://x', TRUST_PROXY: 'proxy' },
      'serve',
    );
    expect(code).toBe(2);
    expect(stdout).toBe('');
    for (const name of [...Object.keys(wrong), 'DATABASE_URL', 'TRUST_PROXY'])
      expect(stderr).toMatch(new RegExp(`- ${name}: `));
    expect(stderr).not.toMatch(NO_STACK);
  });

  it.each(['PORT', 'INTERNAL_PORT'])('names the port if %s is in use, and exits with 1', async (name) => {
    const port = await freePort();
    const holder = createServer().listen(port, '127.0.0.1');
    const serve = await launchServe({ DATABASE_URL: created.url, [name]: String(port) });
    running.push(serve);
    expect(await serve.exited).toBe(1);
    holder.close();
    expect(serve.output).toContain(String(port));
    expect(serve.output).toMatch(/in use/);
    expect(serve.output).not.toMatch(NO_STACK);
  });

  it('names HOST if it cannot be resolved, and exits with 2', async () => {
    const { code, stderr } = await portico({ DATABASE_URL: created.url, HOST: 'nowhere.invalid' }, 'serve');
    expect(code).toBe(2);
    expect(stderr).toMatch(/- HOST: nowhere\.invalid cannot be resolved/);
    expect(stderr).not.toMatch(NO_STACK);
  });

  it('reports an unreachable database without its password, and exits with 1', async () => {
    const url = `postgres://nobody:secret-word@127.0.0.1:${await freePort()}/none`;
    const { code, stderr } = await portico({ DATABASE_URL: url }, 'serve');
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot use the database: .*ECONNREFUSED/);
    expect(stderr).not.toMatch(NO_STACK);
    expect(stderr).not.toContain('secret-word');
  });
});

describe('if the demo data cannot be loaded', () => {
  let target: TestDatabase;

  beforeAll(async () => {
    target = await createMigratedDatabase();
    const database = await openDatabase({ url: target.url });
    await database.query({ text: 'alter table items add constraint no_more check (false) not valid' });
    await database.close();
  });
  afterAll(() => target.drop());

  it.each([
    ['a single process', []],
    ['serve with workers', ['--workers', '2']],
  ])('%s reports it, stops gracefully and exits with 1', async (_name, words) => {
    const env = { DATABASE_URL: target.url, REDIS_URL: inject('services').redisUrl, LOG_LEVEL: 'info' };
    const serve = await launchServe(env, '--demo', ...words);
    running.push(serve);
    expect(await serve.exited, serve.output).toBe(1);
    expect(serve.output).toContain('loading the demonstration data');
    expect(serve.output).toContain('no_more');
    expect(serve.output).toContain('"msg":"stopped"');
  });
});
