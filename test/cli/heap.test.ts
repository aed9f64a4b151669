// `portico serve`: the bounds of its heap are the measured ones, or those that were asked for.

import { fork, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Tells at the process's end how it was started. */
const TELL = `data:text/javascript,${encodeURIComponent(`
  import v8 from 'node:v8';
  process.on('exit', () => process.stdout.write(JSON.stringify({
    pid: process.pid, options: process.execArgv, words: process.argv.slice(2),
    limit: v8.getHeapStatistics().heap_size_limit / 1_048_576,
  })));`)}`;

interface Told {
  pid: number;
  options: string[];
  words: string[];
  /** MiB: the old generation and three semi-spaces. */
  limit: number;
}

interface Start {
  options?: string[];
  env?: Record<string, string>;
  /** Whether the parent has a channel to it. */
  channel?: boolean;
}

/** Runs a command that soon ends: its database is not there. */
async function run(words: string[], { options = [], env = {}, channel = false }: Start = {}) {
  const execArgv = ['--import', TELL, ...options];
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
  const told = JSON.parse(text.slice(text.lastIndexOf('{"pid"'))) as Told;
  const bounds = told.options.filter((option) => /space/.test(option));
  return { ...told, bounds, errors, samePid: told.pid === child.pid };
}

it('are the same on any machine, under the same process id and with all that was on the line', async () => {
  const told = await run(['--json', 'serve', '--workers', '1'], { options: ['--no-warnings'] });
  expect(told).toMatchObject({ samePid: true, words: ['--json', 'serve', '--workers', '1'] });
  expect(told.options).toEqual(expect.arrayContaining(['--import', TELL, '--no-warnings']));
  expect(told.bounds).toEqual(['--max-semi-space-size=32', '--max-old-space-size=1792']);
  expect(told.limit).toBe(1792 + 3 * 32);
});

it.each<[string, Start, string[], number]>([
  ['on the command line', { options: ['--max-semi-space-size=4'] }, ['--max-old-space-size=1792'], 1792 + 3 * 4],
  ['otherwise written', { options: ['--max_old_space_size=300'] }, ['--max-semi-space-size=32'], 300 + 3 * 32],
  [
    'in NODE_OPTIONS',
    { env: { NODE_OPTIONS: '--max-old-space-size=300' } },
    ['--max-semi-space-size=32'],
    300 + 3 * 32,
  ],
])('do not replace one that was chosen %s', async (_where, start, added, limit) => {
  const told = await run(['serve'], start);
  expect(told.bounds).toEqual([...(start.options ?? []), ...added]);
  expect(told.limit).toBe(limit);
});

it('are left alone where a parent has a channel to the process, which would be lost', async () => {
  expect(await run(['serve'], { channel: true })).toMatchObject({ bounds: [], samePid: true });
});

it('are in force before the program is loaded, which would be loaded twice', async () => {
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
  expect(loaded.slice(0, 4)).toEqual(['src/main.ts', 'src/process/heap.ts', 'src/main.ts', 'src/process/heap.ts']);
  expect(loaded).toContain('src/cli/program.ts');
});

it('are nothing that other commands wait for', async () => {
  expect((await run(['config'])).bounds).toEqual([]);
});
