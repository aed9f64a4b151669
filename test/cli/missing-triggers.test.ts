// Guarantee: commands change nothing in a database that lacks a trigger, where changes go unnoticed, except by
// revoking.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';

let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
let directory: string;
const ids = { firm: '', client: '', key: '', grant: '', plants: '', service: '' };

const run = (...words: string[]) => runHere({ DATABASE_URL: database.url }, ...words);

async function make(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run('--json', ...words);
  expect([words, code, stderr]).toEqual([words, 0, '']);
  return JSON.parse(stdout).id;
}

beforeAll(async () => {
  database = await createMigratedDatabase();
  directory = mkdtempSync(join(tmpdir(), 'portico-triggers-'));
  writeFileSync(join(directory, 'firms.ndjson'), `${JSON.stringify({ id: newId('firm'), name: 'Imported' })}\n`);
  ids.firm = await make('firm', 'create', '--name', 'Firm', '--plan', 'enterprise');
  const client = ['--role', 'client', '--environment', 'sandbox', '--currency', 'USD'];
  ids.client = await make('user', 'create', '--email', 'c@example.com', '--name', 'C', ...client);
  const key = ['--firm', ids.firm, '--name', 'Key', '--environment', 'sandbox', '--scopes', 'all'];
  ids.key = await make('key', 'create', ...key);
  ids.grant = await make('grant', 'create', '--key', ids.key, '--client', ids.client, '--scopes', 'all');
  ids.plants = await make('plant-token', 'create', '--account', 'garden');
  ids.service = await make('service-token', 'create', '--role', 'ops');
  await withClient(database.url, (sql) => sql.query('drop trigger items_updated on items'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await database?.drop();
});

it('commands that write are refused and change nothing', async () => {
  const commands = [
    ['firm', 'create', '--name', 'Other'],
    ['firm', 'limit', '--firm', ids.firm, '--per-minute', '5'],
    ['key', 'create', '--firm', ids.firm, '--name', 'K', '--environment', 'sandbox', '--scopes', 'all'],
    ['key', 'rotate', ids.key],
    ['key', 'tier', ids.key, 'elevated'],
    ['grant', 'update', ids.grant, '--scopes', 'registry'],
    ['service-token', 'create', '--role', 'ops'],
    ['import', directory],
    ['generate', '--clients', '1', '--items', '1', '--seed', '1'],
    ['client', 'erase', ids.client, '--reason', 'asked', '--confirm', ids.client],
    ['restore', '--confirm'],
  ];
  const state = () =>
    withClient(database.url, async (sql) => {
      const counts = ['firms', 'users', 'api_keys', 'grants', 'service_tokens', 'items', 'changes', 'deployment'];
      const tables = counts.map((table) => `(select json_agg(t order by t::text) from ${table} t) as ${table}`);
      return (await sql.query(`select ${tables.join(', ')}`)).rows;
    });
  const before = await state();
  for (const words of commands) {
    const { code, stderr } = await run(...words);
    expect([words, code]).toEqual([words, 1]);
    expect(stderr).toContain('the database lacks triggers, without which changes go unnoticed: items.items_updated');
  }
  expect(await state()).toEqual(before);
});

it('commands that only read still work', async () => {
  for (const words of [['key', 'list'], ['grant', 'list'], ['access', 'list', '--client', ids.client], ['restore']])
    expect([words, (await run(...words)).code]).toEqual([words, 0]);
});

it('revocations succeed and warn that triggers are missing', async () => {
  for (const [kind, id] of [
    ['grant', ids.grant],
    ['key', ids.key],
    ['plant-token', ids.plants],
    ['service-token', ids.service],
  ] as const) {
    const { code, stdout, stderr } = await run('--json', kind, 'revoke', id);
    expect([kind, code, JSON.parse(stdout).status]).toEqual([kind, 0, 'revoked']);
    expect(stderr).toContain('revoked, but the database lacks triggers');
  }
});

it('a revocation that fails is not reported as done', async () => {
  const { code, stderr } = await run('key', 'revoke', newId('key'));
  expect(code).toBe(1);
  expect(stderr).not.toContain('revoked, but');
});
