// Global set-up: starts the shared services, and stops and removes everything after the last test file.

import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { dropDatabasesOf } from '#test/support/database-server.ts';
import { findServices } from '#test/support/services.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A temporary directory, removed at the end of the run. */
    directory: string;
    /** The id of this run in names of databases. */
    run: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { services, stop } = await findServices();
  const directory = await mkdtemp(join(tmpdir(), 'portico-test-'));
  // PostgreSQL, which runs as another user, has a directory in it.
  await chmod(directory, 0o711);
  const run = randomBytes(5).toString('hex');
  project.provide('services', services);
  project.provide('directory', directory);
  project.provide('run', run);
  return async () => {
    await dropDatabasesOf(run, services.postgresUrl).finally(stop);
    await rm(directory, { recursive: true, force: true });
  };
}
