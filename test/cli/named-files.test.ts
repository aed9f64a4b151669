// Files named on the command line: one that cannot be used gives exit code 1 and one line with its name.

import { lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeClient } from '#test/support/scenario.ts';

let gateway: TestGateway;
let directory: string;
beforeAll(async () => {
  gateway = await startGateway();
  directory = mkdtempSync(join(tmpdir(), 'portico-files-'));
  writeFileSync(join(directory, 'no-json'), 'root:x:0:0');
  writeFileSync(join(directory, 'keys'), '{"keys":[]}');
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(directory, { recursive: true });
});

describe.each([
  ['ledger', 'verify'],
  ['client', 'certificate'],
  ['receipt', 'verify'],
])('%s %s', (...command) => {
  it.each([
    ['absent', 'keys', 'absent'],
    ['no-json', 'keys', 'no-json'],
    ['keys', 'absent', 'absent'],
    ['keys', 'no-json', 'no-json'],
  ])('of the file %s with the keys in %s fails with one line', async (file, keys, atFault) => {
    const words = [...command, join(directory, file), '--keys', join(directory, keys)];
    const { code, stdout, stderr } = await runHere({}, ...words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(`portico: ${join(directory, atFault)}`)]);
  });
});

it('ledger verify reads the keys of an empty log, and says that it has nothing to save', async () => {
  const target = await createMigratedDatabase();
  try {
    const env = { DATABASE_URL: target.url };
    const file = join(directory, 'checkpoint');
    const { code, stderr } = await runHere(env, 'ledger', 'verify', '--save', file);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `the log is still empty: there is no checkpoint to save in ${file}\n`,
    });
    expect(readdirSync(directory)).not.toContain('checkpoint');
    const absent = join(directory, 'absent');
    const unread = await runHere(env, 'ledger', 'verify', '--keys', absent);
    expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining(`portico: ${absent} cannot be read`) });
  } finally {
    await target.drop();
  }
});

it('client export --json prints the name of its file', async () => {
  const { id } = await makeClient(gateway.database);
  const file = join(directory, 'export.ndjson');
  const env = { DATABASE_URL: gateway.databaseUrl };
  const { code, stdout, stderr } = await runHere(env, 'client', 'export', id, '--out', file, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ id, file });
});

it('client export leaves no part of a file that cannot be written to its end', async () => {
  const { id } = await makeClient(gateway.database);
  const file = join(directory, 'full.ndjson');
  // A disk that is full from the first byte.
  symlinkSync('/dev/full', `${file}.part`);
  const env = { DATABASE_URL: gateway.databaseUrl };
  const { code, stderr } = await runHere(env, 'client', 'export', id, '--out', file);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^portico: \S+full\.ndjson cannot be written: ENOSPC.*\n$/),
  });
  expect(readdirSync(directory)).not.toContain('full.ndjson.part');
});

it('client export does not replace what is not a file', async () => {
  const { id } = await makeClient(gateway.database);
  const link = join(directory, 'device');
  symlinkSync('/dev/null', link);
  const env = { DATABASE_URL: gateway.databaseUrl };
  for (const out of [link, directory]) {
    const { code, stderr } = await runHere(env, 'client', 'export', id, '--out', out);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `portico: ${out} cannot be written: it is not a regular file\n`,
    });
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

it('an erasure whose certificate cannot be written reports that the client was erased, and where it is', async () => {
  const { id } = await makeClient(gateway.database);
  const env = { DATABASE_URL: gateway.databaseUrl };
  const file = join(directory, 'absent', 'certificate');
  const words = ['--reason', 'Asked for it', '--confirm', id, '--certificate', file, '--json'];
  const { code, stdout, stderr } = await runHere(env, 'client', 'erase', id, ...words);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ id, erased: true });
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(`^portico: ${file} cannot be written: .*"client certificate ${id}" prints it$`),
  ]);
  expect(await runHere(env, 'client', 'certificate', id)).toMatchObject({ code: 0, stderr: '' });
});

it.each(['client', 'user'])('%s erase without --confirm does not offer to erase the erased again', async (kind) => {
  const { database, databaseUrl } = gateway;
  const operator = { role: 'ops', email: 'ops@example.com', name: 'An Operator' } as const;
  const { id } = await (kind === 'client' ? makeClient(database) : createUser(database, operator));
  const words = [kind, 'erase', id, '--reason', 'Asked for it'];
  const env = { DATABASE_URL: databaseUrl };
  expect((await runHere(env, ...words)).stdout).toContain(`Repeat with --confirm ${id}`);
  await runHere(env, ...words, '--confirm', id);
  const { code, stdout } = await runHere(env, ...words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(`^${id} was erased at \\S+\\.\n`) });
  expect(stdout).not.toContain('--confirm');
});

it('client release refuses a user who does not exist', async () => {
  const env = { DATABASE_URL: gateway.databaseUrl };
  const { id } = await makeClient(gateway.database);
  expect(JSON.parse((await runHere(env, 'client', 'release', id, '--json')).stdout)).toEqual({ id, released: 0 });
  const { code, stdout, stderr } = await runHere(env, 'client', 'release', 'usr_nobody', '--json');
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'portico: there is no user usr_nobody\n' });
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'resource_not_found', message: 'there is no user usr_nobody' },
  });
});

it.each([
  ['client', 'show'],
  ['client', 'certificate'],
  ['user', 'end-sessions'],
  ['user', 'remove-member'],
])('%s %s of a user who does not exist fails as for a key or firm', async (...command) => {
  const env = { DATABASE_URL: gateway.databaseUrl };
  const { code, stdout } = await runHere(env, ...command, 'usr_nobody', '--json');
  const message = expect.stringMatching(/^there is no .*usr_nobody$/);
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: 'resource_not_found', message } }]);
});
