// Bench: the PostgreSQL and the Redis of a run, which are removed with it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from '../test/support/binaries.ts';
import { OwnedProcess } from '../test/support/owned-process.ts';
import { answers, freePort } from '../test/support/ports.ts';
import { runPostgres } from '../test/support/postgres-server.ts';
import { runRedis } from '../test/support/redis-server.ts';
import type { Service } from '../test/support/service.ts';

/** One core is reserved for the gateway; everything else shares the other. */
export const GATEWAY_CORE = 0;
export const SERVERS_CORE = 1;

export type Server = Pick<Service, 'url' | 'pid' | 'stop'>;

// Durability is not needed. No vacuum and no checkpoint during a slice, since both occur at random.
const POSTGRES_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1d',
  max_wal_size: '64GB',
  shared_buffers: '1GB',
  max_connections: '400',
  // The server's own default on Linux, which the support of the tests replaces.
  dynamic_shared_memory_type: 'posix',
};

/** `keepIn`: a directory whose data are reused and retained. */
export async function startPostgres(keepIn: string | undefined): Promise<Server & { fresh: boolean }> {
  const binaries = { initdb: required('initdb'), postgres: required('postgres') };
  const keptIn = keepIn === undefined ? undefined : resolve(keepIn, 'postgres');
  const fresh = keptIn === undefined || !existsSync(join(keptIn, 'PG_VERSION'));
  return { ...(await runPostgres(binaries, { keptIn, settings: POSTGRES_SETTINGS })), fresh };
}

export const startRedis = (): Promise<Server> => runRedis(required('redis-server'));

/** Receives traces and discards them. */
export async function startCollector(): Promise<Server> {
  const port = await freePort();
  const owned = new OwnedProcess();
  owned.start(process.execPath, [fileURLToPath(new URL('collector.ts', import.meta.url)), `${port}`]);
  await owned.started(() => answers(port));
  return { url: `http://127.0.0.1:${port}`, pid: owned.pid, stop: () => owned.stop() };
}

/** Pins a process, its threads and its present children to one core; later children inherit it. */
export function pin(pid: number, core: number): void {
  for (const each of [pid, ...childrenOf(pid)])
    execFileSync('taskset', ['-a', '-c', '-p', `${core}`, `${each}`], { stdio: 'ignore' });
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function required(program: string): string {
  const path = findBinary(program);
  if (path === undefined) throw new Error(`The bench needs ${program}: install PostgreSQL 15 or later and Redis 7.`);
  return path;
}
