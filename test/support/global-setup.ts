// Before all test files: the services they share; after them: the end of what was started.

import type { TestProject } from 'vitest/node';
import { findServices } from '#test/support/services.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { services, stop } = await findServices();
  project.provide('services', services);
  return stop;
}
