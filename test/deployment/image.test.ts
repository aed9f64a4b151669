// The image of the Dockerfile, built and run: its files, user, writable paths, health check and stop.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { type ContainerEngine, findContainerEngine } from '#test/support/container-engine.ts';
import { createDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort, until } from '#test/support/ports.ts';

const TAG = `localhost/portico-test:${randomBytes(4).toString('hex')}`;
const USER = 10_001;
/** As in docker-compose.yml and the manifests, but on the host's network, to reach the servers of the tests. */
const HARDENED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--network=host'];

let engine: ContainerEngine;
let database: TestDatabase;
const started: string[] = [];

beforeAll(async () => {
  database = await createDatabase();
  engine = await findContainerEngine();
  process.stderr.write(`the image is built by ${engine.description}\n`);
  await engine.build(TAG);
}, 1_800_000);
afterEach(async () => {
  for (const id of started.splice(0)) await engine.run('rm', '--force', '--volumes', id);
});
afterAll(async () => {
  await engine.run('rmi', '--force', TAG);
  await database.drop();
});

/** Starts a container in the background; returns its id. */
async function start(env: Record<string, string>, ...words: string[]): Promise<string> {
  const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const id = await engine.run('run', '--detach', ...HARDENED, ...engine.runOptions, ...settings, TAG, ...words);
  started.push(id);
  return id;
}

/** Runs a program of the base image to its end; returns its output. */
const inside = (program: string, ...words: string[]) =>
  engine.run('run', '--rm', ...HARDENED, ...engine.runOptions, '--entrypoint', program, TAG, ...words);

/** The command of the health check. */
async function healthCheck(id: string): Promise<string[]> {
  const health = await engine.run('inspect', '--format', '{{json .Config.Healthcheck}}', id);
  const [kind, ...command] = (JSON.parse(health) as { Test: string[] }).Test;
  expect(kind).toBe('CMD');
  return command;
}

const exitCode = async (id: string) => Number(await engine.run('wait', id));
const logOf = (id: string) => engine.run('logs', id);

async function ready(id: string, internalPort: number): Promise<void> {
  const answered = () =>
    fetch(`http://127.0.0.1:${internalPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(answered, 120_000, () => new Error('it does not become ready')).catch(async (error: Error) => {
    throw new Error(`${error.message}:\n${await logOf(id)}`);
  });
}

it('contains no development packages, no tests, and nothing that its user can change', async () => {
  const packages = (await inside('ls', '/app/node_modules')).split('\n');
  expect(packages).toEqual(expect.arrayContaining(['fastify', 'graphql', 'node', 'pg']));
  for (const name of ['vitest', 'typescript', 'vite', 'react', '@biomejs', '@portico', 'dclint'])
    expect(packages).not.toContain(name);
  expect((await inside('ls', '-A', '/app')).split('\n').sort()).toEqual(
    ['LICENSE', 'node_modules', 'package.json', 'portal', 'rest-facade', 'schema', 'src'].sort(),
  );
  expect((await inside('ls', '-A', '/app/portal')).split('\n').sort()).toEqual(['dist', 'operations.json']);
  const writable = await inside('find', '/app', '/data', '!', '-type', 'l', '-writable');
  expect(writable).toBe('/data');
});

it('migrates, serves as process 1 of an unprivileged user, is healthy, and ends with 0 on SIGTERM', async () => {
  const env = { DATABASE_URL: database.url, REDIS_URL: inject('services').redisUrl };
  const migration = await start(env, 'migrate');
  expect(await exitCode(migration), await logOf(migration)).toBe(0);

  const ports = { PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` };
  const id = await start({ ...env, ...ports });
  await ready(id, Number(ports.INTERNAL_PORT));
  const pid = await engine.run('inspect', '--format', '{{.State.Pid}}', id);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  expect(status).toMatch(/^NSpid:\s.*\b1$/m);
  expect(status).toMatch(new RegExp(`^Uid:\\s+${USER}\\s+${USER}\\s`, 'm'));
  expect(status).toMatch(/^CapEff:\s+0+$/m);
  const page = await fetch(`http://127.0.0.1:${ports.PORT}/portal/`);
  expect({ status: page.status, text: await page.text() }).toMatchObject({
    status: 200,
    text: expect.stringContaining('<div id="root"'),
  });
  // GraphiQL is not served in production.
  const graphiql = await fetch(`http://127.0.0.1:${ports.INTERNAL_PORT}/graphql`, { headers: { Accept: 'text/html' } });
  expect(await graphiql.text()).not.toContain('<!doctype html>');
  await engine.run('exec', id, ...(await healthCheck(id)));
  await engine.run('kill', '--signal', 'TERM', id);
  expect(await exitCode(id), await logOf(id)).toBe(0);
});

it('the health check fails without a server', async () => {
  const id = await engine.run('create', ...HARDENED, ...engine.runOptions, TAG);
  started.push(id);
  const [program = '', ...words] = await healthCheck(id);
  const closedPort = ['--env', `INTERNAL_PORT=${await freePort()}`];
  await expect(
    engine.run('run', '--rm', ...HARDENED, ...engine.runOptions, ...closedPort, '--entrypoint', program, TAG, ...words),
  ).rejects.toMatchObject({ code: 1 });
});

it('the request that `serve --demo` prints works, without any setting', async () => {
  const ports = { PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` };
  const id = await start(ports, 'serve', '--demo');
  await ready(id, Number(ports.INTERNAL_PORT));
  let log = '';
  const printed = async () => {
    log = await logOf(id);
    return log.includes('curl');
  };
  await until(printed, 120_000, () => new Error(`it prints nothing to try:\n${log}`));
  const [, key = ''] = /Authorization: Bearer (sk_test_\w+)/.exec(log) ?? [];
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/api\/v1\/assets\?client_id=usr_\w+/.exec(log) ?? [];
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}`, 'X-Service-Version': '2026-01-15' } });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 200,
    body: { data: expect.any(Array) },
  });
});

it('SIGTERM during start-up ends process 1', async () => {
  // Accepts connections and never answers, so that the gateway waits for it.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const connected = once(silent, 'connection');
  const id = await start({ DATABASE_URL: `postgres://portico@127.0.0.1:${port}/none` });
  await connected;
  await engine.run('kill', '--signal', 'TERM', id);
  expect(await exitCode(id)).toBe(143);
  silent.close();
});
