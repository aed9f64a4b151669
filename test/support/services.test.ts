// Private servers and child processes of tests: their life, and their end if a start or the test process fails.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { launchServe } from '#test/faults/serve-process.ts';
import { createDatabase } from '#test/support/database.ts';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { answers, until } from '#test/support/ports.ts';
import { startPostgres } from '#test/support/services.ts';
import { untilStarted } from '#test/support/started.ts';

async function ask(url: string, statement: string, patienceMs = 60_000): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end().catch(() => {});
  }
}

it('createDatabase makes an empty database, and drop removes it', async () => {
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
    await expect(ask(postgres.url, 'select 1', 500)).rejects.toThrow();
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

it.each(['startRedis', 'startPostgres'])('a server of %s does not outlive a killed test process', async (start) => {
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
    60_000,
    () => new Error('it is still there'),
  );
});

describe('nothing is left of a failed start', () => {
  const never = async () => false;

  it('of a server: no process and no directory', async () => {
    const owned = new OwnedProcess();
    owned.start('sleep', ['1000']);
    const { pid } = owned;
    await expect(owned.started(never, 100)).rejects.toThrow('did not start');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(existsSync(owned.directory)).toBe(false);
  });

  it('of a server whose program does not exist, which is reported at once', async () => {
    const owned = new OwnedProcess();
    owned.start('no-such-program', []);
    await expect(owned.started(never)).rejects.toThrow('ENOENT');
    expect(existsSync(owned.directory)).toBe(false);
  });

  it('of a gateway', async () => {
    // Accepts connections and never answers, so that the gateway waits for it.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const serve = await launchServe({ DATABASE_URL: `postgres://portico@127.0.0.1:${port}/none` });
    await expect(serve.ready(100)).rejects.toThrow('did not start');
    expect(serve.running).toBe(false);
    silent.close();
  });

  it('of a child process, whose output is in the error', async () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await expect(untilStarted(child, never, () => 'silence', 100)).rejects.toThrow('silence');
    expect(child.signalCode).toBe('SIGKILL');
  });
});
