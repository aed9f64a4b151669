// Bench: the PostgreSQL and the Redis of a run, which are removed with it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findBinary, unprivilegedUser } from '../test/support/binaries.ts';
import { OwnedProcess } from '../test/support/owned-process.ts';
import { answers, freePort } from '../test/support/ports.ts';

/** One core is reserved for the gateway; everything else shares the other. */
export const GATEWAY_CORE = 0;
export const SERVERS_CORE = 1;

export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

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
};

/** `keepIn`: a directory whose data are reused and retained. */
export async function startPostgres(keepIn: string | undefined): Promise<Server & { fresh: boolean }> {
  const [initdb, postgres] = [required('initdb'), required('postgres')];
  const port = await freePort();
  const url = `postgres://portico@127.0.0.1:${port}/postgres`;
  const user = unprivilegedUser();
  const owned = new OwnedProcess(user);
  const data = keepIn === undefined ? join(owned.directory, 'data') : join(keepIn, 'postgres');
  const fresh = !exists(join(data, 'PG_VERSION'));
  const settings = { ...POSTGRES_SETTINGS, port: `${port}`, listen_addresses: '127.0.0.1' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  try {
    if (fresh) {
      mkdirSync(data, { recursive: true });
      if (user !== undefined) execFileSync('chown', [`${user.uid}:${user.gid}`, data]);
      const options = ['-U', 'portico', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
      await promisify(execFile)(initdb, ['-D', data, ...options], { cwd: owned.directory, ...user });
    }
    owned.start(postgres, ['-D', data, '-k', owned.directory, ...flags]);
    await owned.started(() => accepts(url));
  } catch (error) {
    await owned.stop();
    throw error;
  }
  return { url, pid: owned.pid, fresh, stop: () => owned.stop() };
}

export async function startRedis(): Promise<Server> {
  const binary = required('redis-server');
  const port = await freePort();
  const owned = new OwnedProcess();
  try {
    owned.start(binary, ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
    await owned.started(() => answers(port, 'PING\r\n', '+PONG'));
  } catch (error) {
    await owned.stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, pid: owned.pid, stop: () => owned.stop() };
}

/** Receives traces and discards them. */
export async function startCollector(): Promise<Server> {
  const port = await freePort();
  const owned = new OwnedProcess();
  try {
    owned.start(process.execPath, [fileURLToPath(new URL('collector.ts', import.meta.url)), `${port}`]);
    await owned.started(() => answers(port));
  } catch (error) {
    await owned.stop();
    throw error;
  }
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

function exists(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
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
