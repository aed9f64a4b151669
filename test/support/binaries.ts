// The programs of the servers on this machine, and the user that runs them.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { User } from '#test/support/owned-process.ts';

const POSTGRES_ROOT = '/usr/lib/postgresql';

/**
 * The path of the program: from PATH, /usr/sbin, or the newest PostgreSQL of Debian, whose programs are not in PATH.
 */
export function findBinary(name: string): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter);
  return [...path, '/usr/sbin', ...postgresFolders()].map((folder) => join(folder, name)).find(isExecutable);
}

function postgresFolders(): string[] {
  try {
    const versions = readdirSync(POSTGRES_ROOT).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(POSTGRES_ROOT, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The user for PostgreSQL, which refuses to run as root; undefined: the current user. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // No such user here.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as');
}

function idOf(flag: string, name: string): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
