// Bench: installs what the contestants need in addition to the product's packages.
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

/**
 * Installs everything except Directus; takes a moment if it is installed already. Throws with npm's output if it fails.
 */
export async function installPeers(): Promise<void> {
  note('installing the contestants');
  await npm('install', '--no-save', '--prefix', PEERS);
}

/**
 * Directus is some 700 MB, so it is installed only on request. Gives up after ten minutes; a machine where it does not
 * install measures without it.
 */
export async function installDirectus(): Promise<void> {
  if (isDirectusInstalled()) return;
  note('installing Directus');
  // Without scripts: its native modules are prebuilt, or the bench does without them
  // (contestants/without-isolated-vm.ts).
  await npm('ci', '--prefix', DIRECTUS, '--ignore-scripts').catch((error: unknown) =>
    note(`Directus does not install here: ${String(error).split('\n', 1)[0]}`),
  );
}

/** On the gateways' core, because data may be loading on the other. */
function npm(...args: string[]) {
  const command = ['-c', `${GATEWAY_CORE}`, 'npm', ...args, '--loglevel=error'];
  return promisify(execFile)('taskset', command, { timeout: PATIENCE_MS });
}
