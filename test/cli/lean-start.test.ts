// Commands start lean: of the packages that the program has, each loads those that it works with. What is not here is
// loaded where it is used, and most of what a start costs is what it loads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import npm from '../../package.json' with { type: 'json' };
import { portico } from './portico.ts';

const hook = fileURLToPath(new URL('./loaded-packages.ts', import.meta.url));

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createMigratedDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: inject('services').redisUrl };
});
afterAll(() => database?.drop());

const PROGRAM = ['commander', 'ulid'];
const DATABASE = ['lru-cache', 'pg'];

it.each([
  [['key', 'list'], DATABASE],
  [['grant', 'list'], DATABASE],
  [
    ['service-token', 'list'],
    [...DATABASE, 'dataloader'],
  ],
  [
    ['limits', 'shadow'],
    [...DATABASE, 'dataloader'],
  ],
  [['migrate'], DATABASE],
  [['limits'], [...DATABASE, 'dataloader', 'ioredis']],
  [['doctor'], [...DATABASE, 'ioredis']],
  [['config', '--explain'], []],
  [['serve', '--help'], []],
])('portico %j', async (words, more) => {
  const file = join(inject('directory'), `loaded-${words.join('-')}.json`);
  const { stderr } = await portico({ ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_PACKAGES: file }, ...words);
  expect(stderr).not.toContain('    at ');
  const loaded: string[] = JSON.parse(readFileSync(file, 'utf8'));
  const ours = loaded.filter((name) => Object.hasOwn(npm.dependencies, name));
  expect(ours.sort()).toEqual([...PROGRAM, ...more].sort());
  // Whatever brings it: the largest part of the ORM.
  expect(loaded).not.toContain('kysely');
});
