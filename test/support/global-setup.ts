// Before all test files: the services they share; after them: the end of what was started.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findServices } from '#test/support/services.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { services, stop } = await findServices();
  const directory = await mkdtemp(join(tmpdir(), 'portico-test-'));
  project.provide('services', services);
  project.provide('directory', directory);
  return async () => {
    await stop();
    await rm(directory, { recursive: true, force: true });
  };
}
