// Before all test files: the services they share; after them: the end of what was started and made.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { dropDatabasesOf } from '#test/support/database-server.ts';
import { findServices } from '#test/support/services.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of this run: whatever is in it goes with it. */
    directory: string;
    /** Names this run in names of databases. */
    run: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { services, stop } = await findServices();
  const directory = await mkdtemp(join(tmpdir(), 'portico-test-'));
  const run = randomBytes(5).toString('hex');
  project.provide('services', services);
  project.provide('directory', directory);
  project.provide('run', run);
  return async () => {
    await dropDatabasesOf(run, services.postgresUrl).finally(stop);
    await rm(directory, { recursive: true, force: true });
  };
}
