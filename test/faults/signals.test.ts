// However the gateway is started, its heap is bounded, and SIGTERM and Ctrl-C end it gracefully: no process and no lock or
// socket file is left.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { embeddedDirectory } from '#test/support/engines.ts';
import { waitsFor } from '#test/support/locks.ts';
import { freePort, until } from '#test/support/ports.ts';
import { isRunning, untilStarted } from '#test/support/started.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let created: TestDatabase;
let directory: string;
let started: ChildProcess | undefined;

beforeAll(async () => {
  created = await createMigratedDatabase();
  directory = await embeddedDirectory();
  // As `npm link` would make it.
  symlinkSync(join(root, 'src/main.ts'), join(directory, 'portico'));
});
afterEach(() => {
  for (const { pid } of family()) process.kill(pid, 'SIGKILL');
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await created.drop();
});

/** The processes of the started group, including its leader. */
function family(): { pid: number; args: string }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n');
  return rows.flatMap((row) => {
    const [pid, group, stat = '', ...args] = row.trim().split(/\s+/);
    return Number(group) === started?.pid && !stat.startsWith('Z') ? [{ pid: Number(pid), args: args.join(' ') }] : [];
  });
}

/** The gateway's own processes; npm's command lines contain the same words. */
const servers = () => family().filter(({ args }) => /^\S*\/node .* serve\b/.test(args));
const BOUNDS = / --max-semi-space-size=\d+ --max-old-space-size=\d+ /;

/** Starts the command as leader of a new process group, as a shell or a service manager does, and waits until it is ready. */
async function start(command: string[], env: Record<string, string>): Promise<() => string> {
  const { child, output, internalPort } = await launch(command, env);
  const ready = () =>
    fetch(`http://127.0.0.1:${internalPort}/readyz`, { signal: AbortSignal.timeout(30_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await untilStarted(child, ready, output);
  return output;
}

async function launch(command: string[], env: Record<string, string>) {
  const [program = '', ...words] = command;
  const ports = { PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` };
  const child = spawn(program, words, {
    cwd: root,
    // npm itself puts the directory of the right Node first; other commands find Node through PATH.
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return { child, output: () => output, internalPort: ports.INTERNAL_PORT };
}

/** Exit code of the started process; fails with its output and the remaining processes if it does not end. */
async function exitCode(output: () => string): Promise<number | null> {
  const child = started as ChildProcess;
  await until(
    async () => !isRunning(child),
    120_000,
    () => new Error(`it did not end: ${JSON.stringify(family())}\n${output()}`),
  );
  return child.exitCode;
}

/** Files that only exist while a process serves the directory: the socket, and the journal of the lock. */
const marks = () => readdirSync(directory).filter((name) => /PGSQL|owner\.lock-/.test(name));

const NODE = ['node', 'src/main.ts', 'serve'];
const EMBEDDED: [string, string[]][] = [
  ['npm start', ['npm', 'start']],
  ['node src/main.ts', NODE],
];
const WORKERS: [string, string[]][] = [
  ['npm run portico --workers 2', ['npm', 'run', '-s', 'portico', '--', 'serve', '--workers', '2']],
  ['the program itself --workers 2', ['PORTICO', 'serve', '--workers', '2']],
  ['node src/main.ts --workers 2', [...NODE, '--workers', '2']],
];
const located = (words: string[]) => words.map((word) => (word === 'PORTICO' ? join(directory, 'portico') : word));

describe.each([
  ['SIGTERM to its first process', () => started?.kill('SIGTERM')],
  ['Ctrl-C, a SIGINT to all of its processes', () => process.kill(-(started?.pid ?? 0), 'SIGINT')],
])('%s', (_name, signal) => {
  it.each(EMBEDDED)('ends %s', async (_way, words) => {
    const output = await start(words, { DATA_DIR: directory });
    expect(marks()).not.toEqual([]);
    expect(servers()).toEqual([expect.objectContaining({ args: expect.stringMatching(BOUNDS) })]);
    const code = exitCode(output);
    signal();
    expect(await code, output()).toBe(0);
    expect(family()).toEqual([]);
    expect(marks(), output()).toEqual([]);
  });

  it.each(WORKERS)('ends %s', async (_way, words) => {
    const output = await start(located(words), { DATABASE_URL: created.url, REDIS_URL: inject('services').redisUrl });
    // One ready worker is enough for /readyz; the other may still be starting.
    await expect.poll(() => servers().length).toBe(3);
    for (const { args } of servers()) expect(args).toMatch(BOUNDS);
    const code = exitCode(output);
    signal();
    expect(await code, output()).toBe(0);
    expect(family()).toEqual([]);
  });
});

it('a signal that arrives just before the server listens is not lost', async () => {
  const script = `import { exitOnSignal, stopSignal } from '#src/cli/stop-signals.ts';
    exitOnSignal();
    process.kill(process.pid, 'SIGINT');
    const lost = setTimeout(() => process.exit(1), 30_000);
    await stopSignal();
    clearTimeout(lost);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

it('SIGHUP, as sent when a terminal closes, ends a gateway without workers gracefully', async () => {
  const output = await start(['node', 'src/main.ts', 'serve'], { DATA_DIR: directory });
  const code = exitCode(output);
  process.kill(-(started?.pid ?? 0), 'SIGHUP');
  expect(await code, output()).toBe(0);
  expect(marks()).toEqual([]);
});

it.each([
  ['a gateway', []],
  ['workers', ['--workers', '2']],
])('SIGTERM to %s does not wait until the demonstration is loaded', async (_name, words) => {
  const empty = await createMigratedDatabase();
  const database = await openDatabase({ url: empty.url });
  try {
    await database.transaction(async (sql) => {
      // Readers do not wait for this lock.
      await sql.query({ text: 'lock table collections in share mode' });
      const env = { DATABASE_URL: empty.url, REDIS_URL: inject('services').redisUrl };
      const output = await start(['node', 'src/main.ts', 'serve', '--demo', ...words], env);
      await expect.poll(() => database.query({ text: waitsFor({ table: 'collections' }) })).toEqual([{ waits: 1 }]);
      const code = exitCode(output);
      started?.kill('SIGTERM');
      expect(await code, output()).toBe(0);
      expect(output()).not.toContain('stop timed out');
      expect(family()).toEqual([]);
    });
  } finally {
    await database.close();
    await empty.drop();
  }
});

it('SIGTERM while workers start leaves no worker behind', async () => {
  const { child } = await launch(['npm', 'run', '-s', 'portico', '--', 'serve', '--workers', '2'], {
    DATABASE_URL: created.url,
    REDIS_URL: inject('services').redisUrl,
  });
  const worker = () => family().some(({ args }) => args.endsWith('serve --worker'));
  await expect.poll(worker).toBe(true);
  child.kill('SIGTERM');
  await expect.poll(family).toEqual([]);
});
