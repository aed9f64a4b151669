// Set-up of the tests of the portal's pages: builds the portal if its sources are newer than its build.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

// In a process of its own, because it bundles for production, not in the environment of the tests.
const BUILD = fileURLToPath(new URL('../../portal/build.ts', import.meta.url));
const build = async () => {
  await promisify(execFile)(process.execPath, [BUILD]);
};

export default async function setup(project: TestProject): Promise<void> {
  await build();
  project.onTestsRerun(build);
}
