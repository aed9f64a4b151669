// Commands load only the packages that they use, and few modules of the program itself; the rest is imported where it
// is used. Loading is most of the cost of a start: the first time, stripping the types of a module takes one to two
// milliseconds of CPU.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startChildGateway } from '#test/support/child-gateway.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import npm from '../../package.json' with { type: 'json' };
import { portico } from './portico.ts';

/** A URL, because NODE_OPTIONS is split at spaces, which a path may contain. */
const hook = new URL('./loaded-packages.ts', import.meta.url);

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createMigratedDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: inject('services').redisUrl };
});
afterAll(() => database?.drop());

const MAX_MODULES = 66;
const MAX_MODULES_OF_SERVER = 440;
/** Modules that only a server needs. */
const FOR_REQUESTS =
  /^(schema|rest-facade)\/|^src\/(app|listeners|portal|http|versions|observability|gateway\/(admission\/admission|execution|paging))\b|limiter-|resilient|local-limiter|redis-watch/;

const PROGRAM = ['commander', 'ulid'];
const DATABASE = ['lru-cache', 'pg'];

const SERVER = [
  ...[...PROGRAM, ...DATABASE, '@opentelemetry/api', '@pothos/core', '@pothos/plugin-scope-auth', 'currency-codes'],
  ...['dataloader', 'fastify', 'graphql', 'ioredis', 'pino', 'prom-client'],
];

interface Loaded {
  packages: string[];
  modules: string[];
}

const readLoaded = (file: string): Loaded => JSON.parse(readFileSync(file, 'utf8'));

const dependencies = (loaded: string[]) => loaded.filter((name) => Object.hasOwn(npm.dependencies, name)).sort();

it.each([
  [['key', 'list'], DATABASE],
  [['grant', 'list'], DATABASE],
  [
    ['service-token', 'list'],
    [...DATABASE, 'dataloader'],
  ],
  [['limits', 'shadow'], DATABASE],
  [['migrate'], DATABASE],
  [['limits'], [...DATABASE, 'ioredis']],
  [['doctor'], [...DATABASE, 'ioredis']],
  [['config', '--explain'], []],
  [['serve', '--help'], []],
])('portico %j loads only the packages that it uses', async (words, more) => {
  const file = join(inject('directory'), `loaded-${words.join('-')}.json`);
  const { stderr } = await portico({ ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file }, ...words);
  expect(stderr).not.toContain('    at ');
  const { packages: loaded, modules } = readLoaded(file);
  expect(dependencies(loaded)).toEqual([...PROGRAM, ...more].sort());
  // The largest part of the ORM, whichever module imports it.
  expect(loaded).not.toContain('kysely');
  // Commands with a database load about sixty. Migrations are not counted: only `migrate` needs them.
  expect(modules.filter((name) => !name.includes('/Migration')).length).toBeLessThanOrEqual(MAX_MODULES);
  expect(modules.filter((name) => FOR_REQUESTS.test(name))).toEqual([]);
});

it('a gateway starts without the reference, JSON Schema, the import and the demonstration data', async () => {
  const file = join(inject('directory'), 'loaded-serve.json');
  const gateway = await startChildGateway({ ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file });
  await gateway.stop();
  const { packages, modules } = readLoaded(file);
  expect(dependencies(packages)).toEqual(SERVER.sort());
  expect(packages).not.toContain('@fastify/ajv-compiler');
  expect(packages).not.toContain('@fastify/fast-json-stringify-compiler');
  expect(modules.filter((name) => /^src\/tools\/|^rest-facade\/(openapi|reference\/(?!assets))/.test(name))).toEqual(
    [],
  );
  // About 430.
  expect(modules.length).toBeLessThanOrEqual(MAX_MODULES_OF_SERVER);
});

it('the primary of workers loads none of the server', async () => {
  const file = join(inject('directory'), 'loaded-primary.json');
  const traced = { ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file };
  const gateway = await startChildGateway(traced, '--workers', '2');
  // The workers write the file when they exit, and the primary after them.
  await gateway.stop();
  const { packages, modules } = readLoaded(file);
  expect(modules).toContain('src/process/workers.ts');
  expect(modules.filter((name) => FOR_REQUESTS.test(name))).toEqual([]);
  expect(packages).not.toContain('fastify');
});
