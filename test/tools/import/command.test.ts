// The command `portico import`: its output, waiting for another import, interruption and memory.

import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portico, runHere } from '#test/cli/portico.ts';
import { terminal } from '#test/cli/terminal.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { waitsFor } from '#test/support/locks.ts';
import { asset, client, type Directory, firm, idOf, ONE_OF_EACH, writeDirectory } from './scene.ts';

let target: TestDatabase;
beforeAll(async () => {
  target = await createMigratedDatabase();
});
afterAll(() => target.drop());

async function runImport(files: Directory, ...words: string[]) {
  const directory = await writeDirectory(files);
  try {
    return await runHere({ DATABASE_URL: target.url }, 'import', directory, ...words);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('portico import', () => {
  it('prints faults as one JSON value and exits with 1', async () => {
    const { code, stdout, stderr } = await runImport({ assets: [{ ...asset, titel: 'x' }] }, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      faults: [
        { file: 'assets.ndjson', line: 1, field: 'titel', reason: 'is not a known field' },
        { file: 'assets.ndjson', line: 1, field: 'client_id', reason: `there is no client ${client.id}` },
      ],
      may_be_more: false,
    });
    expect(stderr).toContain('nothing was written');
  });

  it('says with --json, too, that only the first hundred faults are listed', async () => {
    const { stdout, stderr } = await runImport({ assets: Array.from({ length: 101 }, () => ({})) }, '--json');
    const { faults, may_be_more } = JSON.parse(stdout);
    expect({ count: faults.length, may_be_more }).toEqual({ count: 100, may_be_more: true });
    expect(stderr).toContain('100 fault(s) (the first 100), nothing was written');
  });

  it('prints faults as text on standard error without --json', async () => {
    const { code, stdout, stderr } = await runImport({ firms: [{ ...firm, tier: 'gold' }] });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('firms.ndjson:1: tier: must be one of standard, elevated, enterprise');
  });

  it('prints the counts of every kind', async () => {
    const { code, stdout } = await runImport(ONE_OF_EACH, '--json');
    expect(code).toBe(0);
    const one = { inserted: 1, updated: 0, unchanged: 0, deleted: 0, skipped: 0 };
    const kinds = ['firms', 'users', 'collections', 'assets', 'valuations', 'documents'];
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(kinds.map((kind) => [kind, one])));
  });

  it('reports that it waits for another import', async () => {
    await withClient(target.url, async (other) => {
      await other.query(`begin; select pg_advisory_xact_lock(hashtextextended('portico import', 0))`);
      const waiting = runImport(ONE_OF_EACH);
      await expect.poll(async () => (await other.query(waitsFor('advisory'))).rows).toEqual([{ waits: 1 }]);
      await other.query('rollback');
      const { code, stderr } = await waiting;
      expect(code).toBe(0);
      expect(stderr).toMatch(/^Another import is at work, or an erasure: this one waits for it\.\nReading/);
    });
  });

  it.each([
    ['/nowhere/at/all', 'there is no directory /nowhere/at/all'],
    ['/dev/null', '/dev/null is neither a directory nor a file'],
  ])('reports in one line why it cannot load %s', async (path, reason) => {
    const { code, stderr } = await runHere({ DATABASE_URL: target.url }, 'import', path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `portico: ${reason}\n` });
  });

  it('reports in one line that a file cannot be read, and why', async () => {
    const directory = await writeDirectory({});
    const path = join(directory, 'users.ndjson');
    // A regular file whose first page no process has: it cannot be read as root either.
    await symlink('/proc/self/mem', path);
    const { code, stderr } = await runHere({ DATABASE_URL: target.url }, 'import', directory);
    await rm(directory, { recursive: true });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(new RegExp(`^portico: cannot read ${path}: EIO`));
    expect(stderr).not.toContain('    at ');
  });
});

it('Ctrl-C ends an import while its progress is shown; nothing is written, no terminal mode stays set', async () => {
  const newcomer = { ...client, id: idOf('usr', 7), email: 'cut-off@example.com' };
  const directory = await writeDirectory({ users: [newcomer] });
  try {
    await withClient(target.url, async (other) => {
      // The import waits for this lock while it checks references.
      await other.query('begin; lock table users in access exclusive mode');
      const screen = terminal({ DATABASE_URL: target.url }, 'import', directory);
      await expect.poll(screen.shown).toContain('Checking references');
      screen.press('\x03');
      await screen.ended;
      expect(screen.shown()).toContain('exit code 130');
      // A mode such as a hidden cursor would stay set.
      expect(screen.shown()).not.toContain('\x1b[?');
      await other.query('rollback');
      const { rowCount } = await other.query('select from users where id = $1', [newcomer.id]);
      expect(rowCount).toBe(0);
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('at a terminal, the progress of an import ends where a fault ended it, and completes without one', async () => {
  const importing = async (files: Directory) => {
    const directory = await writeDirectory(files);
    const screen = terminal({ DATABASE_URL: target.url }, 'import', directory);
    await screen.ended;
    await rm(directory, { recursive: true });
    return screen.shown();
  };
  const faulty = await importing({
    assets: [...Array.from({ length: 100 }, () => ({})), { notes: 'x'.repeat(500_000) }],
  });
  expect(faulty).toContain('Reading assets.ndjson');
  expect(faulty).not.toContain('100%');
  const nothingToWrite = await importing({ collections: [{ id: idOf('col', 9), deleted_at: '2026-01-15T10:00:00Z' }] });
  expect(nothingToWrite).toMatch(/Checking references.* 100% (\d+) of \1,/);
});

const ROWS = 60_000;
const description = 'A watch. '.repeat(60);

it(`loads ${ROWS} assets in bounded memory, with a heap that could not hold them`, async () => {
  const assets = Array.from({ length: ROWS }, (_, index) => ({ ...asset, id: idOf('itm', 100 + index), description }));
  const text = assets.map((row) => `${JSON.stringify(row)}\n`).join('');
  const directory = await writeDirectory({ users: [client], assets: text });
  try {
    const env = { DATABASE_URL: target.url, NODE_OPTIONS: `--max-old-space-size=112 --import ${REPORT_PEAK}` };
    const { code, stdout, stderr } = await portico(env, 'import', directory, '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).assets).toMatchObject({ inserted: ROWS });
    expect(Number(/peak (\d+) kB/.exec(stderr)?.[1])).toBeLessThan(512 * 1024);
  } finally {
    await rm(directory, { recursive: true });
  }
});

const REPORT_PEAK = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS,"kB"))',
)}`;
