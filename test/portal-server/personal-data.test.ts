// The export of personal data: everything stored about the signed-in client, and nothing about anyone else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientExport } from '#gateway/personal-data/client-export.ts';
import { eraseClient } from '#gateway/personal-data/erase.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { changeGrant } from '#repositories/grants/grants.ts';
import { readReference } from '#repositories/reference.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { type Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOperator, makeOwner, signedIn } from './people.ts';

const PATH = '/portal/personal-data.ndjson';

let gateway: TestGateway;
let owner: User;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway();
  owner = await makeOwner(gateway.database);
  await makeItem(gateway.database, owner, { title: 'Own clock' });
  await makeGrant(gateway.database, await makeKey(gateway.database, await makeFirm(gateway.database)), owner);
  browser = await signedIn(gateway.url, owner);
});
afterAll(() => gateway.stop());

it('the export is one file with portfolio, consents and account, and contains no secret', async () => {
  const { status, headers, text } = await browser.get(PATH);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="portico-personal-data-[\d-]+\.ndjson"$/);
  expect(headers.get('cache-control')).toBe('no-store');
  const [head, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(head).toMatchObject({ format: 'portico-client-export/1', client: owner.id });
  expect(lines.at(-1)).toEqual({ kind: 'end', row: { lines: lines.length - 1 } });
  const kinds = lines.map(({ kind }) => kind);
  for (const kind of ['users', 'assets', 'registry_id', 'grant', 'grant_event', 'receipt', 'account', 'session'])
    expect(kinds).toContain(kind);
  expect(lines.find(({ kind }) => kind === 'assets').row.title).toBe('Own clock');
  const secrets = await gateway.database.query<{ secret: string }>({
    text: `select session_token as secret from portal_sessions union all
      select password_hash from portal_credentials where password_hash is not null
      union all select internal_notes from items`,
  });
  expect(secrets.length).toBeGreaterThan(2);
  for (const { secret } of secrets) expect(text).not.toContain(secret);
  // Clients do not get the names of operators.
  expect(text).not.toContain('operator:');
});

it('the export lists the archived months of the record, and is aborted if a month is archived meanwhile', async () => {
  const person = await readPerson(gateway.database, owner.id);
  if (person?.kind !== 'client') throw new Error('no client');
  const archive = (month: string) =>
    gateway.database.query({ text: 'insert into record_archive_months (month) values ($1)', values: [month] });
  const reference = await readReference(gateway.database);
  const source = { sql: gateway.database, reference: { current: () => reference }, issuer: null };
  const first = async () => JSON.parse((await browser.get(PATH)).text.split('\n')[0] ?? '').archived_months;
  expect(await first()).toEqual([]);
  await archive('2020-01-01');
  expect(await first()).toEqual(['2020-01']);
  const file = clientExport(source, person);
  await file.next();
  await archive('2020-02-01');
  await expect(Array.fromAsync(file)).rejects.toThrow('archived during the export');
  await gateway.database.query({ text: 'delete from record_archive_months' });
});

it('the export is that of the signed-in client, also if the query names another', async () => {
  const other = await signedIn(gateway.url, await makeOwner(gateway.database));
  const { status, text } = await other.get(`${PATH}?client=${owner.id}&client_id=${owner.id}`);
  expect(status).toBe(200);
  for (const own of [owner.id, owner.email, 'Own clock']) expect(text).not.toContain(own);
});

it('the export is refused without a session, and to members and operators', async () => {
  expect((await fetch(gateway.url + PATH)).status).toBe(401);
  const firm = await makeFirm(gateway.database);
  for (const person of [await makeMember(gateway.database, firm), await makeOperator(gateway.database)])
    expectRefusal(await (await signedIn(gateway.url, person)).get(PATH), 403, 'forbidden');
});

it('the export contains every item and every call', async () => {
  await gateway.database.query({
    text: `insert into items (id, registry_id, client_id, category, title)
      select 'itm_' || lpad(n::text, 26, '0'), 'PTC-WT-' || lpad(n::text, 26, '0'), $1, 'WT', 'Item ' || n
      from generate_series(1, 3000) n`,
    values: [owner.id],
  });
  await gateway.database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - n * interval '1 second', k.firm_id, k.id, $1, 'GET /api/v1/assets', 1, 200
      from generate_series(1, 2500) n, (select id, firm_id from api_keys limit 1) k`,
    values: [owner.id],
  });
  const { text } = await browser.get(PATH);
  const count = (kind: string) => text.split(`\n{"kind":"${kind}"`).length - 1;
  expect([count('assets'), count('call'), count('end')]).toEqual([3_001, 2_500, 1]);
  expect(new Set(text.match(/"itm_[^"]*"/g)).size).toBe(3_001);
});

it.each<[string, (grantId: string) => Promise<unknown>]>([
  ['an item is added', () => makeItem(gateway.database, owner)],
  [
    'a grant is changed',
    (id) => changeGrant(gateway.database, id, { expiresAt: null }, { kind: 'operator', id: 'test' }),
  ],
])('the export is aborted if %s while portfolio and consents are read, which must be consistent', async (_, change) => {
  const person = await readPerson(gateway.database, owner.id);
  if (person?.kind !== 'client') throw new Error('no client');
  const { id } = await makeGrant(
    gateway.database,
    await makeKey(gateway.database, await makeFirm(gateway.database)),
    owner,
  );
  const reference = await readReference(gateway.database);
  const source = { sql: gateway.database, reference: { current: () => reference }, issuer: null };
  const linesAfter = async (kind: string) => {
    const file = clientExport(source, person);
    for (let piece = ''; !piece.startsWith(`{"kind":"${kind}"`); ) piece = (await file.next()).value;
    await change(id);
    return (await Array.fromAsync(file)).at(-1);
  };
  await expect(linesAfter('users')).rejects.toThrow('changed during the export');
  expect(await linesAfter('account')).toMatch(/^{"kind":"end"/);
});

it('the export is aborted if the client is erased while it is written', async () => {
  const { id } = await makeOwner(gateway.database);
  const person = await readPerson(gateway.database, id);
  if (person?.kind !== 'client') throw new Error('no client');
  const reference = await readReference(gateway.database);
  const source = { sql: gateway.database, reference: { current: () => reference }, issuer: null };
  const file = clientExport(source, person);
  for (let piece = ''; !piece.startsWith('{"kind":"profile"'); ) piece = (await file.next()).value;
  const request = { id, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
  await eraseClient(gateway.database, request, { portalUrl: null, noticeDays: 0 });
  await expect(Array.fromAsync(file)).rejects.toThrow('was erased during the export');
});
