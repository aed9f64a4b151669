// Bench: what the contestants need besides the product's own packages.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { note } from './progress.ts';
import { GATEWAY_CORE } from './servers.ts';

const PEERS = import.meta.dirname;
const DIRECTUS = join(PEERS, 'directus');
const PATIENCE_MS = 600_000;

export const isDirectusInstalled = (): boolean => existsSync(join(DIRECTUS, 'node_modules/directus/cli.js'));

/** Everything but Directus. Takes a moment where it is there already. Throws with npm's words where it fails. */
export async function installPeers(): Promise<void> {
  note('installing the contestants');
  await npm('install', '--no-save', '--prefix', PEERS);
}

/**
 * Directus is some 700 MB, so it is installed only when asked for.
 * Tries for ten minutes; a machine where it does not install measures without it.
 */
export async function installDirectus(): Promise<void> {
  if (isDirectusInstalled()) return;
  note('installing Directus');
  // No scripts: its native modules bring what they need, or the bench does without (contestants/without-isolated-vm.ts).
  await npm('ci', '--prefix', DIRECTUS, '--ignore-scripts').catch((error: unknown) =>
    note(`Directus does not install here: ${String(error).split('\n', 1)[0]}`),
  );
}

/** On the core of the gateways, because data may be loading on the other. */
function npm(...args: string[]) {
  const command = ['-c', `${GATEWAY_CORE}`, 'npm', ...args, '--loglevel=error'];
  return promisify(execFile)('taskset', command, { timeout: PATIENCE_MS });
}
