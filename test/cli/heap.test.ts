// The heap bounds of `portico serve`: the measured ones, or those that the operator sets.

import { fork, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Prints at exit how the process was started. */
const REPORT = `data:text/javascript,${encodeURIComponent(`
  import v8 from 'node:v8';
  process.on('exit', () => process.stdout.write(JSON.stringify({
    pid: process.pid, options: process.execArgv, words: process.argv.slice(2),
    limit: v8.getHeapStatistics().heap_size_limit / 1_048_576,
  })));`)}`;

interface Started {
  pid: number;
  options: string[];
  words: string[];
  /** MiB: the old generation and three semi-spaces. */
  limit: number;
}

interface Start {
  options?: string[];
  env?: Record<string, string>;
  /** Starts it with an IPC channel to its parent. */
  channel?: boolean;
}

/** Runs a command that ends soon, because its database does not exist. */
async function run(words: string[], { options = [], env = {}, channel = false }: Start = {}) {
  const execArgv = ['--import', REPORT, ...options];
  const how = { cwd: root, env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://127.0.0.1:1/none', ...env } };
  const child = channel
    ? fork('src/main.ts', words, { ...how, execArgv, silent: true })
    : spawn(process.execPath, [...execArgv, 'src/main.ts', ...words], how);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (more) => {
    errors += more;
  });
  await new Promise((end) => child.once('close', end));
  const started = JSON.parse(text.slice(text.lastIndexOf('{"pid"'))) as Started;
  const bounds = started.options.filter((option) => /space/.test(option));
  return { ...started, bounds, errors, samePid: started.pid === child.pid };
}

it('heap bounds are the same on any machine; the process keeps its id and its command line', async () => {
  const started = await run(['--json', 'serve', '--workers', '1'], { options: ['--no-warnings'] });
  expect(started).toMatchObject({ samePid: true, words: ['--json', 'serve', '--workers', '1'] });
  expect(started.options).toEqual(expect.arrayContaining(['--import', REPORT, '--no-warnings']));
  expect(started.bounds).toEqual(['--max-semi-space-size=32', '--max-old-space-size=1792']);
  expect(started.limit).toBe(1792 + 3 * 32);
});

it.each<[string, Start, string[], number]>([
  ['on the command line', { options: ['--max-semi-space-size=4'] }, ['--max-old-space-size=1792'], 1792 + 3 * 4],
  ['with underscores', { options: ['--max_old_space_size=300'] }, ['--max-semi-space-size=32'], 300 + 3 * 32],
  [
    'in NODE_OPTIONS',
    { env: { NODE_OPTIONS: '--max-old-space-size=300' } },
    ['--max-semi-space-size=32'],
    300 + 3 * 32,
  ],
])('heap bounds do not replace one that is set %s', async (_where, start, added, limit) => {
  const started = await run(['serve'], start);
  expect(started.bounds).toEqual([...(start.options ?? []), ...added]);
  expect(started.limit).toBe(limit);
});

it('heap bounds are not set in a process with an IPC channel, which would be lost', async () => {
  expect(await run(['serve'], { channel: true })).toMatchObject({ bounds: [], samePid: true });
});

it('heap bounds are set before the program is loaded, so that it is loaded once', async () => {
  const record = `data:text/javascript,${encodeURIComponent(`
    import { writeSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    const ours = ${JSON.stringify(pathToFileURL(root).href)};
    const load = (url, context, next) => {
      if (url.startsWith(ours) && !url.includes('/node_modules/')) writeSync(2, 'loaded ' + url.slice(ours.length) + '\\n');
      return next(url, context);
    };
    registerHooks({ load });`)}`;
  const { bounds, errors } = await run(['serve'], { options: ['--import', record] });
  expect(bounds).toHaveLength(2);
  const loaded = [...errors.matchAll(/^loaded (.*)$/gm)].map(([, name]) => name);
  const first = ['src/main.ts', 'src/database/private-directory.ts', 'src/process/heap.ts'];
  expect(loaded.slice(0, 6)).toEqual([...first, ...first]);
  expect(loaded).toContain('src/cli/program.ts');
});

it('heap bounds are not set for other commands', async () => {
  expect((await run(['config'])).bounds).toEqual([]);
});
