// Private PostgreSQL servers from the machine's own binaries.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findBinary, unprivilegedUser } from '#test/support/binaries.ts';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { freePort } from '#test/support/ports.ts';
import type { Service } from '#test/support/service.ts';

// Nothing here has to survive the machine, only the process: the kernel keeps what was written.
// Commits stay synchronous, so that what was acknowledged has been written when a test kills the server.
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' };

/** An empty server, or a hot standby of another one. */
export async function runPostgres(
  binaries: { initdb: string; postgres: string },
  standbyOf?: Service,
): Promise<Service> {
  const port = await freePort();
  const url = `postgres://portico@127.0.0.1:${port}/postgres`;
  const user = unprivilegedUser();
  const owned = new OwnedProcess(user);
  const data = join(owned.directory, 'data');
  const start = async () => {
    const settings = { ...SETTINGS, port: `${port}`, listen_addresses: '127.0.0.1' };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    owned.start(binaries.postgres, ['-D', data, '-k', owned.directory, ...flags]);
    await owned.started(() => accepts(url));
  };
  try {
    const [program, flags] =
      standbyOf === undefined
        ? [binaries.initdb, ['-U', 'portico', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']]
        : [findBinary('pg_basebackup') ?? 'pg_basebackup', ['-d', standbyOf.url, '-R', '-X', 'stream', '-c', 'fast']];
    await promisify(execFile)(program, ['-D', data, ...flags], { cwd: owned.directory, ...user });
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
