// Commands start lean: of the packages that the program has, each loads those that it works with, and few modules of the program
// itself. What is not here is loaded where it is used. Most of what a start costs is what it loads: the first time, types
// are taken out of each module of ours, which costs one to two milliseconds of CPU.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startChildGateway } from '#test/support/child-gateway.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import npm from '../../package.json' with { type: 'json' };
import { portico } from './portico.ts';

/** As a URL: options of Node are separated by spaces, and so may be the names of folders. */
const hook = new URL('./loaded-packages.ts', import.meta.url);

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createMigratedDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: inject('services').redisUrl };
});
afterAll(() => database?.drop());

const MAX_MODULES = 60;
/** What only a server needs. */
const FOR_REQUESTS =
  /^(schema|rest-facade)\/|^src\/(app|listeners|portal|http|versions|observability|gateway\/(admission\/admission|execution|paging))\b|limiter-|resilient|local-limiter|redis-watch/;

const PROGRAM = ['commander', 'ulid'];
const DATABASE = ['lru-cache', 'pg'];

interface Loaded {
  packages: string[];
  modules: string[];
}

const readLoaded = (file: string): Loaded => JSON.parse(readFileSync(file, 'utf8'));

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
])('portico %j', async (words, more) => {
  const file = join(inject('directory'), `loaded-${words.join('-')}.json`);
  const { stderr } = await portico({ ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file }, ...words);
  expect(stderr).not.toContain('    at ');
  const { packages: loaded, modules } = readLoaded(file);
  const ours = loaded.filter((name) => Object.hasOwn(npm.dependencies, name));
  expect(ours.sort()).toEqual([...PROGRAM, ...more].sort());
  // Whatever brings it: the largest part of the ORM.
  expect(loaded).not.toContain('kysely');
  // Those with a database load some fifty; migrations are counted apart, because each is a module that `migrate` alone needs.
  expect(modules.filter((name) => !name.includes('/Migration')).length).toBeLessThanOrEqual(MAX_MODULES);
  expect(modules.filter((name) => FOR_REQUESTS.test(name))).toEqual([]);
});

it('a gateway starts without what writes YAML or compiles schemas of routes, the import and the demonstration', async () => {
  const file = join(inject('directory'), 'loaded-serve.json');
  const gateway = await startChildGateway({ ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file });
  await gateway.stop();
  const { packages, modules } = readLoaded(file);
  expect(packages).toContain('fastify');
  expect(packages).not.toContain('yaml');
  expect(packages).not.toContain('@fastify/ajv-compiler');
  expect(packages).not.toContain('@fastify/fast-json-stringify-compiler');
  expect(modules.filter((name) => name.startsWith('src/tools/'))).toEqual([]);
});
