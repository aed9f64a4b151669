// Guarantee: a command executes no compiled modules that another user of the machine could have written.
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

let temporary: string;
let cache: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'portico-compile-cache-'));
  cache = join(temporary, `portico-cache-${process.getuid?.()}`);
});
afterEach(() => rm(temporary, { recursive: true }));

/** `env` is the whole environment apart from PATH and TMPDIR. */
async function printVersion(env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', '--version'], {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: temporary, ...env },
  });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
}

it('compiled modules are kept in a directory of the user alone', async () => {
  for (let run = 0; run < 2; run++) {
    await printVersion();
    expect(await readdir(temporary)).toEqual([cache.slice(temporary.length + 1)]);
    expect((await lstat(cache)).mode & 0o777).toBe(0o700);
    expect(await readdir(cache)).toHaveLength(1);
  }
});

it('a directory that others may write to is not used', async () => {
  await mkdir(cache);
  await chmod(cache, 0o777);
  await printVersion();
  expect(await readdir(temporary)).toHaveLength(1);
  expect(await readdir(cache)).toEqual([]);
});

it.runIf(process.getuid?.() === 0)('a directory of another user is not used', async () => {
  await mkdir(cache, { mode: 0o700 });
  await chown(cache, 65_534, 65_534);
  await printVersion();
  expect(await readdir(temporary)).toHaveLength(1);
  expect(await readdir(cache)).toEqual([]);
});

it('a link to another directory is not followed', async () => {
  const target = join(temporary, 'target');
  await mkdir(target, { mode: 0o700 });
  await symlink(target, cache);
  await printVersion();
  expect(await readdir(temporary)).toHaveLength(2);
  expect(await readdir(target)).toEqual([]);
});

it('a directory that the operator names is used', async () => {
  const named = join(temporary, 'named');
  await printVersion({ NODE_COMPILE_CACHE: named });
  expect(await readdir(temporary)).toEqual(['named']);
  expect(await readdir(named)).toHaveLength(1);
});
