// The export of the access record: complete, and in formats that spreadsheets and programs read unchanged.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCheckpoint } from '#core/ledger/note.ts';
import { SCOPES } from '#core/scopes.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { csvLine } from '#portal/csv.ts';
import type { User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/ports.ts';
import { call, type Key, makeFirm, makeGrant, makeItem, makeKey, VERSION } from '#test/support/scenario.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOwner, PASSWORD, signedIn } from './people.ts';

let gateway: TestGateway;
let directory: string;
let owner: User;
let browser: Browser;
let key: Key;
let registryId: string;

const HEADINGS =
  'at,firm,key,environment,endpoint,registry_id,item,scopes,outcome,status,error_code,error,request_id,firm_id,key_id,tool_role,tool_id,contents,items,removed_items,disclosed_scopes,includes,version,checkpoint';

beforeAll(async () => {
  gateway = await startGateway();
  directory = mkdtempSync(join(tmpdir(), 'portico-export-'));
  owner = await makeOwner(gateway.database);
  const firm = await makeFirm(gateway.database, { name: '=HYPERLINK("http://evil.example","Firm, & Sons")' });
  key = await makeKey(gateway.database, firm);
  await makeGrant(gateway.database, key, owner);
  ({ registryId } = await makeItem(gateway.database, owner, { title: 'A "clock",\r\nin two lines' }));
  browser = await signedIn(gateway.url, owner);
  const read = (path: string) => call(`${gateway.url}/api/v1${path}?client_id=${owner.id}`, key.secret);
  await read('/portfolio/summary');
  await read(`/assets/${registryId}`);
  await read('/assets/PTC-WT-01GVJZ4C3074HAXXMA4T1DWJ7R');
  await until(
    async () => (await records()).length === 3,
    60_000,
    () => new Error('the calls were not recorded'),
  );
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const records = () =>
  gateway.database.query({ text: 'select 1 from recorded_calls where client_id = $1', values: [owner.id] });

/** The cells of a file in the format of RFC 4180. */
function readCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

it('CSV has a header line, quotes values where needed, and has no cell that is a formula', async () => {
  const { status, headers, text } = await browser.get('/portal/access-record.csv');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="portico-access-record-[\d-]+\.csv"$/);
  expect(headers.get('cache-control')).toBe('no-store');
  const [headings = [], ...rows] = readCsv(text);
  expect(headings.join(',')).toBe(HEADINGS);
  expect(rows).toHaveLength(3);
  const column = (name: string) => rows.map((row) => row[headings.indexOf(name)]);
  expect(column('firm')).toEqual(Array(3).fill('\'=HYPERLINK("http://evil.example","Firm, & Sons")'));
  expect(column('item')).toEqual(['', 'A "clock",\r\nin two lines', '']);
  expect(column('status')).toEqual(['404', '200', '200']);
  expect(column('error_code')).toEqual(['asset_not_found', '', '']);
  expect(column('contents')).toEqual(['nothing', 'items', 'totals']);
  expect(column('items')).toEqual(['', registryId, '']);
  expect(column('version')).toEqual(Array(3).fill(VERSION));
});

it('CSV begins with a byte order mark, by which spreadsheets recognise UTF-8', async () => {
  const response = await fetch(`${gateway.url}/portal/access-record.csv`, { headers: { Cookie: browser.cookies() } });
  expect([...(await response.bytes()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});

it('NDJSON has one row per line, with the items of each response', async () => {
  const { headers, text } = await browser.get('/portal/access-record.ndjson');
  expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ items }) => items)).toEqual([null, [registryId], []]);
  expect(lines[1]).toMatchObject({ removed_items: [], disclosed_scopes: [...SCOPES], includes: [] });
  expect(lines[2].disclosed_scopes).toEqual(['registry', 'valuation', 'documentation']);
});

it('JSON is an array of the same rows', async () => {
  const { headers, body } = await browser.get('/portal/access-record.json');
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body).toHaveLength(3);
  expect(Object.keys(body[0]).join(',')).toBe(HEADINGS);
  expect(body[1]).toMatchObject({ registry_id: registryId, outcome: 'allowed', status: 200, key_id: key.id });
  expect(body[1].scopes).toContain('registry');
});

it('the export takes the filters of the page, and refuses other parameters', async () => {
  const rows = async (query: string) => (await browser.get(`/portal/access-record.json?${query}`)).body;
  expect(await rows('outcome=refused')).toHaveLength(1);
  // The call that named it, and the totals that counted it.
  expect(await rows(`registry_id=${registryId}`)).toHaveLength(2);
  expect(await rows('until=2020-01-01T00:00:00Z')).toEqual([]);
  expect((await browser.get('/portal/access-record.csv?until=2020-01-01T00:00:00Z')).text).toBe(`${HEADINGS}\r\n`);
  expectRefusal(await browser.get('/portal/access-record.csv?colour=red'), 400, 'unknown_parameter');
  expectRefusal(await browser.get('/portal/access-record.csv?since=yesterday'), 400, 'invalid_parameter');
  expectRefusal(await browser.get('/portal/access-record.csv?outcome=x&outcome=y'), 400, 'invalid_parameter');
});

it('the first row has the newest checkpoint, which ledger verify reads in each format', async () => {
  const seen = async (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return runHere({ DATABASE_URL: gateway.databaseUrl }, 'ledger', 'verify', '--seen', file);
  };
  const newest = await appended(gateway.database).then(() => createLedger(gateway.database).checkpoint());
  const { body } = await browser.get('/portal/access-record.json');
  expect(body.map((row: { checkpoint: string | null }) => row.checkpoint).slice(0, 3)).toEqual([newest, null, null]);
  const [headings = [], ...rows] = readCsv((await browser.get('/portal/access-record.csv')).text);
  expect(rows.slice(0, 2).map((row) => row[headings.length - 1])).toEqual([expect.stringContaining('\n\n— '), '']);
  const list = ['access', 'list', '--client', owner.id, '--json', '--limit', '2'];
  const listed = (await runHere({ DATABASE_URL: gateway.databaseUrl }, ...list)).stdout;
  expect(JSON.parse(listed).map((row: { checkpoint: string | null }) => row.checkpoint)).toEqual([newest, null]);
  for (const form of ['csv', 'json', 'ndjson']) {
    const { text } = await browser.get(`/portal/access-record.${form}`);
    expect([form, await seen(`record.${form}`, text)]).toEqual([form, expect.objectContaining({ code: 0 })]);
    const larger = text.replace(/(portico-[0-9a-f]{16}(?:\n|\\n))\d+/, '$1999999');
    expect(larger).not.toBe(text);
    const shorter = await seen(`larger.${form}`, larger);
    expect([form, shorter.code, shorter.stderr]).toEqual([form, 1, expect.stringContaining('The log had 999999')]);
  }
  expect(await seen('list.json', listed)).toMatchObject({ code: 0 });
  // A root that begins with a sign would be a formula.
  const { origin } = readCheckpoint(newest ?? '');
  const signed = `${origin}\n1\n+${'A'.repeat(42)}=\n\n— ${origin} ${'A'.repeat(92)}\n`;
  expect(csvLine(['x', signed])).toContain("\n'+A");
  expect((await seen('sign.csv', csvLine(['x', signed]))).stderr).toContain("The log's first 1 entries are not those");
});

it('the export contains every call of a long record', async () => {
  await gateway.database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - n * interval '1 second', $1, $2, $3, 'GET /api/v1/assets', 1, 200
      from generate_series(1, 25000) n`,
    values: [key.firmId, key.id, owner.id],
  });
  const { body } = await browser.get('/portal/access-record.json');
  expect(body).toHaveLength(25_003);
  expect(new Set(body.map((row: { request_id: string }) => row.request_id)).size).toBe(25_003);
  expect(readCsv((await browser.get('/portal/access-record.csv')).text)).toHaveLength(25_004);
});

it("the export contains the client's own calls only, and is refused without a session and to members", async () => {
  expectRefusal(await new Browser(gateway.url).get('/portal/access-record.csv'), 401, 'not_signed_in');
  const other = await makeOwner(gateway.database);
  const member = await makeMember(gateway.database, await makeFirm(gateway.database));
  const one = await signedIn(gateway.url, other);
  expect((await one.get('/portal/access-record.json')).body).toEqual([]);
  expect((await one.get(`/portal/access-record.json?key_id=${key.id}`)).body).toEqual([]);
  await one.signIn(member.email, PASSWORD);
  expectRefusal(await one.get('/portal/access-record.json'), 403, 'forbidden');
});
