// Bench, Directus: a ready-made API over the same tables. An administrator's token replaces keys and grants, the client
// is a filter of the query, and its own limiter is in Redis (a fixed window by address). It lacks scopes, the grant,
// completeness, collections, share links, the sync horizon, tags, and the format of money.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DIRECTUS_TOKEN } from '../dialects/directus.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-bench-directus-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
process.once('SIGTERM', () => process.exit());
process.chdir(directory);

Object.assign(process.env, {
  ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: process.env.DATABASE_URL, DB_POOL__MAX: '10' },
  ...{ SECRET: DIRECTUS_TOKEN, KEY: 'bench', HOST: '127.0.0.1' },
  ...{ ADMIN_EMAIL: 'bench@example.com', ADMIN_PASSWORD: DIRECTUS_TOKEN, ADMIN_TOKEN: DIRECTUS_TOKEN },
  ...{ REDIS: process.env.REDIS_URL, RATE_LIMITER_ENABLED: 'true', RATE_LIMITER_STORE: 'redis' },
  ...{ RATE_LIMITER_POINTS: '10000000', RATE_LIMITER_DURATION: '60' },
  ...{ LOG_LEVEL: 'error', TELEMETRY: 'false', CACHE_ENABLED: 'false', NODE_ENV: 'production' },
});

const program = fileURLToPath(new URL('../directus/node_modules/directus/cli.js', import.meta.url));
const hook = fileURLToPath(new URL('./without-isolated-vm.ts', import.meta.url));
execFileSync(process.execPath, ['--import', hook, program, 'bootstrap'], { stdio: 'ignore' });
await import(hook);
process.argv = [process.argv[0] as string, program, 'start'];
await import(pathToFileURL(program).href);
