// Before tests of the portal's pages: the portal is built where its sources are newer than its build.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

// A process of its own: it bundles for production, whatever the environment of the tests says.
const BUILD = fileURLToPath(new URL('../../portal/build.ts', import.meta.url));
const build = async () => {
  await promisify(execFile)(process.execPath, [BUILD]);
};

export default async function setup(project: TestProject): Promise<void> {
  await build();
  project.onTestsRerun(build);
}
