// Test support: private PostgreSQL servers from the binaries of this machine.

import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findBinary, unprivilegedUser } from '#test/support/binaries.ts';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { freePort } from '#test/support/ports.ts';
import type { Service } from '#test/support/service.ts';

// Data must survive the end of the process, but not of the machine: what was written stays in the kernel's cache.
// Commits are synchronous, so that acknowledged data have been written when a test kills the server.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  // Files in the data directory: a killed server would leave shared memory of other kinds behind.
  dynamic_shared_memory_type: 'mmap',
};

export interface PostgresOptions {
  /** Follows this server as a hot standby. */
  standbyOf?: Service;
  /** Starts from a copy of this directory, such as a base backup; `recover`: recovers to the target in the settings. */
  from?: { directory: string; recover: boolean };
  /** A directory for the data: those in it are reused, and they are kept when the server stops. */
  keptIn?: string | undefined;
  settings?: Record<string, string>;
}

/** An empty server, a hot standby, or a restored one. */
export async function runPostgres(
  binaries: { initdb: string; postgres: string },
  { standbyOf, from, keptIn, settings: more = {} }: PostgresOptions = {},
): Promise<Service> {
  const port = await freePort();
  const url = `postgres://portico@127.0.0.1:${port}/postgres`;
  const user = unprivilegedUser();
  const owned = new OwnedProcess(user);
  const data = keptIn ?? join(owned.directory, 'data');
  const start = async () => {
    const settings = { ...SETTINGS, listen_addresses: '127.0.0.1', ...more, port: `${port}` };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    owned.start(binaries.postgres, ['-D', data, '-k', owned.directory, ...flags]);
    await owned.started(() => accepts(url));
  };
  try {
    const run = (program: string, ...flags: string[]) =>
      promisify(execFile)(program, flags, { cwd: owned.directory, ...user });
    if (from !== undefined) {
      await run('cp', '-a', from.directory, data);
      if (from.recover) await run('touch', join(data, 'recovery.signal'));
    } else if (standbyOf !== undefined) await takeBaseBackup(standbyOf, data, '-R');
    else if (!existsSync(join(data, 'PG_VERSION'))) {
      mkdirSync(data, { recursive: true });
      if (user !== undefined) chownSync(data, user.uid, user.gid);
      await run(binaries.initdb, '-D', data, '-U', 'portico', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
    }
    await start();
  } catch (error) {
    await owned.stop();
    throw error;
  }
  return {
    url,
    port,
    get pid() {
      return owned.pid;
    },
    stop: () => owned.stop(),
    kill: () => owned.kill(),
    freeze: async () => owned.signal('SIGSTOP', true),
    thaw: async () => owned.signal('SIGCONT', true),
    restart: async () => {
      await owned.kill();
      await start();
    },
  };
}

/** Takes a base backup, including the write-ahead log that makes it consistent. */
export async function takeBaseBackup(server: Service, directory: string, ...flags: string[]): Promise<void> {
  const program = findBinary('pg_basebackup') ?? 'pg_basebackup';
  const words = ['-d', server.url, '-D', directory, '-X', 'stream', '-c', 'fast', ...flags];
  await promisify(execFile)(program, words, { cwd: tmpdir(), ...unprivilegedUser() });
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
