// Test support: PgBouncer in front of a PostgreSQL server, from the binary of this machine.

import { execFileSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary, unprivilegedUser } from '#test/support/binaries.ts';
import { withClient } from '#test/support/database-server.ts';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { freePort } from '#test/support/ports.ts';

export interface PgBouncer {
  /** The URL of the database through the pooler. */
  url: string;
  /** Changes a setting and reconnects, so that new sessions have it. */
  set(name: string, value: string): Promise<void>;
  stop(): Promise<void>;
}

/** The version as a number, such as 118 for 1.18. */
export function pgbouncerVersion(): number {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync(binary(), ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) * 100 + Number(minor);
}

/** `settings` go into the section [pgbouncer]. */
export async function startPgBouncer(databaseUrl: string, settings: Record<string, string>): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(databaseUrl);
  const port = await freePort();
  const user = unprivilegedUser();
  const owned = new OwnedProcess(user);
  const path = (name: string) => join(owned.directory, name);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: `${port}`,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path('users'),
    admin_users: username,
    ignore_startup_parameters: 'extra_float_digits,options',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(path('users'), `"${username}" ""\n`);
  writeFileSync(
    path('ini'),
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  if (user) for (const name of ['users', 'ini']) chownSync(path(name), user.uid, user.gid);
  const url = new URL(databaseUrl);
  url.port = `${port}`;
  owned.start(binary(), [path('ini')]);
  const answers = () =>
    withClient(url.href, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
  await owned.started(answers);
  return {
    url: url.href,
    set: (name, value) =>
      withClient(new URL('/pgbouncer', url).href, async (client) => {
        await client.query(`set ${name} = '${value}'`);
        await client.query('reconnect');
      }),
    async stop() {
      // SIGINT would wait for its clients.
      await owned.kill();
      await owned.stop();
    },
  };
}

function binary(): string {
  const found = findBinary('pgbouncer');
  if (found === undefined) throw new Error('The tests need PgBouncer and found none: install pgbouncer in PATH.');
  return found;
}
