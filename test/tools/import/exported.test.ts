// The export of a client is complete, contains nothing that is withheld, and can be imported again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packNumbers } from '#core/disclosure.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { tierOf } from '#database/entities/tier.ts';
import { createOrm } from '#database/orm.ts';
import { readKeySet, verifyReceipt } from '#gateway/consent/receipt-signature.ts';
import { runHere } from '#test/cli/portico.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { type Planted, plantClient } from '#test/support/planted.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { type Key, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';

const PORTFOLIO = ['users', 'collections', 'assets', 'valuations', 'documents'];

let directory: string;
let here: TestDatabase;
let there: TestDatabase;
let database: Database;
let planted: Planted;
let key: Key;
let other: { id: string; title: string };

type Line = { kind: string; row: Record<string, unknown> };

async function exported(of: TestDatabase, id: string): Promise<{ text: string; lines: Line[]; path: string }> {
  const path = join(directory, `${newId('request')}.ndjson`);
  const { code, stderr } = await runHere({ DATABASE_URL: of.url }, 'client', 'export', id, '--out', path);
  expect(code, stderr).toBe(0);
  const text = readFileSync(path, 'utf8');
  const [, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { text, lines, path };
}

const rowsOf = (lines: Line[], ...kinds: string[]) => lines.filter(({ kind }) => kinds.includes(kind));

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-export-'));
  here = await createMigratedDatabase();
  there = await createMigratedDatabase();
  database = await openDatabase({ url: here.url });
  key = await makeKey(database, await makeFirm(database));
  planted = await plantClient(database, [key, await makeKey(database, await makeFirm(database))]);
  const { client, items } = planted;
  const numbers = await database.query<{ number: number }>({
    text: 'select number from items where id = any($1)',
    values: [items.slice(0, 2).map(({ id }) => id)],
  });
  await saveCalls(database, [
    {
      ...{
        requestId: newId('request'),
        at: new Date().toISOString(),
        endpoint: 'GET /api/v1/assets',
        registryId: null,
      },
      ...{ status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, scopes: ALL_SCOPES, clientId: client.id },
      disclosure: {
        ...{ items: packNumbers(numbers.map(({ number }) => number)), removed: null, scopes: 3, includes: 1 },
      },
      version: '2025-01-01',
    },
  ]);
  const another = await makeClient(database);
  other = { id: another.id, title: 'Of somebody else' };
  await makeItem(database, another, { title: other.title });
});
afterAll(async () => {
  await database.close();
  await Promise.all([here.drop(), there.drop()]);
  rmSync(directory, { recursive: true, force: true });
});

/** Private text columns in which nothing is planted, and why. The pattern matches ids and codes. */
const UNPLANTED: Record<string, string> = {
  'firm_refusals.path': 'what a firm called',
  'grants.filter': 'ids and codes',
  'items.verification': 'codes and instants',
  'plants.name': 'area B',
  'plants.tag': 'area B',
  'portal_credentials.oauth_access': 'the database takes none',
  'portal_credentials.oauth_identity': 'the database takes none',
  'portal_credentials.oauth_refresh': 'the database takes none',
  'portal_verifications.held_value': 'the id of an account',
  'revocations.terms': 'ids and codes',
  'signing_keys.private_key': "the deployment's",
};
const IDS_AND_CODES = /[._]ids?$|(category|currency|subject)$|\.(type|source)$/;

it('every private text column has a planted text, so that a new column is not forgotten', async () => {
  const texts = await database.query<{ table: string; column: string }>({
    text: `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb')`,
  });
  const isText = new Set(texts.map(({ table, column }) => `${table}.${column}`));
  const columns = [...createOrm().getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    props
      .filter(({ comment }) => tierOf(comment) === 'P0' || tierOf(comment) === 'P1')
      .map(({ fieldNames }) => [tableName, fieldNames[0] ?? ''] as const)
      .filter((names) => isText.has(names.join('.')) && !IDS_AND_CODES.test(names.join('.'))),
  );
  const run = planted.readable[0]?.split('-').at(-1) ?? '';
  const without: string[] = [];
  for (const [table, column] of columns) {
    const text = `select 1 from ${table} where strpos(${column}::text, $1) > 0 limit 1`;
    if ((await database.query({ text, values: [run] })).length === 0) without.push(`${table}.${column}`);
  }
  expect(without.sort()).toEqual(Object.keys(UNPLANTED));
});

describe('portico client export', () => {
  it('has everything stored about the client, nothing that is withheld, and nothing about others', async () => {
    const { text } = await exported(here, planted.client.id);
    expect(planted.readable.filter((one) => !text.includes(one))).toEqual([]);
    expect(planted.internal.filter((one) => text.includes(one))).toEqual([]);
    for (const one of [other.id, other.title]) expect(text).not.toContain(one);
  });

  it('names its format, what is withheld and the number of its lines, and is readable by its owner only', async () => {
    const { text, lines, path } = await exported(here, planted.client.id);
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
      format: 'portico-client-export/1',
      client: planted.client.id,
      withheld: { assets: ['internal_notes', 'share_links.token'], valuations: [], documents: ['file_path'] },
    });
    expect(lines.at(-1)).toEqual({ kind: 'end', row: { lines: lines.length - 1 } });
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('names the items of each response, and has a verifiable receipt for each step', async () => {
    const { lines } = await exported(here, planted.client.id);
    const [call] = rowsOf(lines, 'call');
    const carried = planted.items.slice(0, 2).map(({ registryId }) => registryId);
    expect(new Set(call?.row.items as string[] | undefined)).toEqual(new Set(carried));
    expect(call?.row).toMatchObject({ status: 200, firm_id: key.firmId, contents: 'items' });
    expect(
      rowsOf(lines, 'grant')
        .map(({ row }) => row.status)
        .sort(),
    ).toEqual(['active', 'pending']);
    const receipts = rowsOf(lines, 'receipt');
    expect(receipts.length).toBe(rowsOf(lines, 'grant_event').length);
    const keys = await readKeySet(database);
    for (const { row } of receipts)
      expect((await verifyReceipt(JSON.stringify(row), keys)).pii_principal_id).toBe(planted.client.id);
  });

  it('fails for a user who does not exist', async () => {
    const { code, stdout, stderr } = await runHere({ DATABASE_URL: here.url }, 'client', 'export', newId('user'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('there is no client');
  });

  it('leaves no file behind if it fails', async () => {
    const out = join(directory, 'nothing.ndjson');
    const { code } = await runHere({ DATABASE_URL: here.url }, 'client', 'export', newId('user'), '--out', out);
    expect(code).toBe(1);
    expect(() => statSync(out)).toThrow();
    expect(() => statSync(`${out}.part`)).toThrow();
  });
});

it('an interrupted export leaves no file behind', async () => {
  const out = join(directory, 'ended.ndjson');
  await withClient(here.url, async (client) => {
    await client.query('begin; lock table items in access exclusive mode');
    const child = spawn(process.execPath, ['src/main.ts', 'client', 'export', planted.client.id, '--out', out], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: { ...CHILD_ENVIRONMENT, DATABASE_URL: here.url },
      stdio: 'ignore',
    });
    await expect.poll(() => statSync(`${out}.part`, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0);
    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await client.query('rollback');
  });
  for (const file of [out, `${out}.part`]) expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

describe('portico import of an export', () => {
  it('restores the portfolio in another database, whose export has the same rows', async () => {
    const { lines, path } = await exported(here, planted.client.id);
    const { code, stderr } = await runHere({ DATABASE_URL: there.url }, 'import', path);
    expect(code, stderr).toBe(0);
    const again = await exported(there, planted.client.id);
    expect(rowsOf(again.lines, ...PORTFOLIO)).toEqual(rowsOf(lines, ...PORTFOLIO));
    expect(rowsOf(lines, 'assets').length).toBe(planted.items.length);
    // Only clients give access, and the access record cannot be imported.
    expect(rowsOf(again.lines, 'grant', 'call', 'account')).toEqual([]);
  });

  it('changes nothing if the client still exists, withheld fields included', async () => {
    const { path } = await exported(here, planted.client.id);
    const tables = ['users', 'collections', 'items', 'item_collections', 'share_links', 'valuations', 'documents'];
    const state = () =>
      Promise.all(tables.map((table) => database.query({ text: `select * from ${table} t order by t::text` })));
    const before = await state();
    const { code, stdout, stderr } = await runHere({ DATABASE_URL: here.url }, 'import', path, '--json');
    expect(code, stderr).toBe(0);
    expect(await state()).toEqual(before);
    for (const counts of Object.values(JSON.parse(stdout))) expect(counts).toMatchObject({ inserted: 0, updated: 0 });
  });

  it('is refused if the file is truncated, wrong or of another kind', async () => {
    const { text } = await exported(here, planted.client.id);
    const load = async (content: string) => {
      const path = join(directory, 'changed.ndjson');
      writeFileSync(path, content);
      return runHere({ DATABASE_URL: there.url }, 'import', path);
    };
    const lines = text.trimEnd().split('\n');
    expect((await load(`${lines.slice(0, -1).join('\n')}\n`)).stderr).toContain('the file was cut off');
    for (const altered of [lines.toSpliced(-2, 1), lines.toSpliced(-2, 0, '{"kind":"note","row":{}}')])
      expect((await load(altered.join('\n'))).stderr).toContain(
        `changed.ndjson:${altered.length}: does not give the number of lines before it, ${altered.length - 2}`,
      );
    const wrong = await load(text.replace('"role":"client"', '"role":"chief"'));
    expect(wrong.stderr).toContain('changed.ndjson:2: role: must be one of client, firm_member');
    expect((await load('{"id":"x"}\n')).stderr).toContain('neither a directory nor the export of a client');
    expect((await load(`\n${lines.slice(1).join('\n')}\n`)).stderr).toContain('neither a directory nor');
    const stranger = { id: newId('collection'), client_id: newId('user'), name: 'House' };
    const referring = `{"kind":"collections","row":${JSON.stringify(stranger)}}`;
    const ofTwo = '{"kind":"end","row":{"lines":2}}';
    const several = await load([lines[0], referring, '{"kind":"firms","row":{}}', ofTwo].join('\n'));
    expect(several.stderr.match(/changed\.ndjson:\d+: \w+/g)).toEqual([
      ...['changed.ndjson:2: client_id', 'changed.ndjson:3: id', 'changed.ndjson:3: name'],
    ]);
    const [head, first, end] = [lines[0], lines[1], lines.at(-1)];
    const deep = `{"kind":"assets","row":{"category_fields":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const { stderr } = await load(
      [head, deep, '{"kind":"assets"}', '{"kind":"assets","row":[]}', end, first].join('\n'),
    );
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringContaining('changed.ndjson:2: category_fields: must be an object'),
        expect.stringContaining('changed.ndjson:3: row: must be an object'),
        expect.stringContaining('changed.ndjson:4: row: must be an object'),
        expect.stringContaining('changed.ndjson:6: comes after the line of kind "end"'),
      ]),
    );
  });
});
