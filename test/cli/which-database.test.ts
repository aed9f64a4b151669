// Commands that operators run beside gateways say which database they act on, and confirm none that does not exist.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '#test/support/database.ts';
import { embeddedDirectory } from '#test/support/engines.ts';
import { runHere } from './portico.ts';

it('restore without DATABASE_URL creates no embedded database', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-none-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const options of [['--confirm'], [], ['--journal', join(directory, 'journal')]]) {
    const env = { DATA_DIR: join(directory, 'data'), REVOCATION_JOURNAL: join(directory, 'journal') };
    const { code, stdout, stderr } = await runHere(env, 'restore', ...options);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('DATABASE_URL is not set');
    expect(readdirSync(directory)).toEqual([]);
  }
});

it.each(['key', 'grant', 'plant-token', 'service-token'])(
  '%s revoke without DATABASE_URL creates no embedded database',
  async (kind) => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-none-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { code, stderr } = await runHere({ DATA_DIR: join(directory, 'data') }, kind, 'revoke', 'an-id');
    expect([code, stderr]).toEqual([1, expect.stringContaining('DATABASE_URL is not set')]);
    expect(readdirSync(directory)).toEqual([]);
  },
);

it('migrate and restore name the database, without its secret', async () => {
  const created = await createMigratedDatabase();
  onTestFinished(() => created.drop());
  const { host, pathname } = new URL(created.url);
  const name = `the database ${pathname.slice(1)} at ${host}`;
  for (const words of [['migrate'], ['restore'], ['restore', '--confirm']]) {
    const url = new URL(created.url);
    if (url.password === '') url.password = 'hidden-secret';
    const { code, stdout } = await runHere({ DATABASE_URL: url.href }, ...words);
    expect(code).toBe(0);
    expect(stdout.toLowerCase()).toContain(name.toLowerCase());
    expect(stdout).not.toContain(url.password);
  }
});

it('migrate names the embedded database', async () => {
  const directory = await embeddedDirectory();
  const { code, stdout } = await runHere({ DATA_DIR: directory }, 'migrate');
  expect([code, stdout]).toEqual([0, `Up to date: the embedded database in ${directory}\n`]);
});
