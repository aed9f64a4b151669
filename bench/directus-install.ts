// Bench: Directus is some 700 MB, so it is installed only when asked for.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { note } from './progress.ts';

const FOLDER = join(import.meta.dirname, 'directus');
const PATIENCE_MS = 600_000;

export const isDirectusInstalled = (): boolean => existsSync(join(FOLDER, 'node_modules/directus/cli.js'));

/** Tries for ten minutes; a machine where it does not install measures without it. */
export async function installDirectus(): Promise<void> {
  if (isDirectusInstalled()) return;
  note('installing Directus');
  // No scripts: its native modules bring what they need, or the bench does without (contestants/without-isolated-vm.ts).
  const args = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--loglevel=error'];
  await promisify(execFile)('npm', args, { timeout: PATIENCE_MS }).catch((error: unknown) =>
    note(`Directus does not install here: ${String(error).split('\n', 1)[0]}`),
  );
}
