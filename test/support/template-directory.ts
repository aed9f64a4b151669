// Test support: directories that a run makes once, for tests to copy.

import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { migrationsFingerprint } from './database.ts';
import { withClient } from './database-server.ts';

/** Made by the first test process that needs it, while others wait, and again if migrations have changed since. */
export async function templateDirectory(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(inject('directory'), `${name}-${migrationsFingerprint()}`);
  if (existsSync(path)) return path;
  await withClient(inject('services').postgresUrl, async (client) => {
    // The lock ends with the connection.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [path]);
    if (existsSync(path)) return;
    const draft = `${path}-draft`;
    await rm(draft, { recursive: true, force: true });
    await make(draft);
    await rename(draft, path);
  });
  return path;
}
