// The portal's endpoint executes the operations of its manifest for signed-in accounts, and nothing else.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { migrate, readMissingTriggers } from '#database/migrate.ts';
import { loadOperations } from '#portal/operations.ts';
import { listKeys } from '#repositories/keys/key-queries.ts';
import type { User } from '#repositories/users.ts';
import { sharedSchemas } from '#schema/index.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { CANARY, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { startPostgres } from '#test/support/services.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOperator, makeOwner, PASSWORD, signedIn } from './people.ts';

const MANIFEST = new URL('../../portal/operations.json', import.meta.url);
const operations: Record<string, string> = JSON.parse(readFileSync(MANIFEST, 'utf8'));

let gateway: TestGateway;
let owner: User;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  owner = await makeOwner(gateway.database);
  browser = await signedIn(gateway.url, owner);
});
afterAll(() => gateway.stop());

it('answers with the result of the operation, which must not be stored', async () => {
  const { status, headers, body } = await browser.operation('Viewer');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['data']);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toMatch(/^req_/);
});

it.each(Object.keys(operations))('%s is valid in the schema', (operation) => {
  expect(loadOperations(sharedSchemas())(operation)).toMatchObject({ name: operation });
});

it.each(Object.keys(operations))('%s is refused without a session', async (operation) => {
  expectRefusal(await new Browser(gateway.url).operation(operation), 401, 'not_signed_in');
});

it('answers 503 while a trigger of the revocation journal is missing', async () => {
  const { database } = gateway;
  await database.query({ text: 'drop trigger grants_access_changed on grants' });
  expectRefusal(await browser.operation('Viewer'), 503, 'service_unavailable');
  const [missing] = await readMissingTriggers(database);
  await database.query({ text: missing?.definition ?? '' });
  await database.query({ text: 'alter table grants enable always trigger grants_access_changed' });
  expect((await browser.operation('Viewer')).status).toBe(200);
});

describe('a request outside the manifest', () => {
  it.each([
    ['an unknown name', { operation: 'Everything' }],
    ['a property of every object', { operation: 'constructor' }],
    ['a name in another case', { operation: 'viewer' }],
    ['a document in place of a name', { operation: 'query Viewer { body: viewer { email } }' }],
    ['a document without a name', { query: '{ viewer { email } }' }],
    ['a list of names', { operation: ['Viewer'] }],
    ['no name', {}],
  ])('is refused: %s', async (_what, body) => {
    expectRefusal(await browser.post('/portal/graphql', body), 400, 'unknown_operation');
  });

  it('with a name and a document executes the named operation', async () => {
    const body = { operation: 'Viewer', query: '{ viewer { nothing } }', extensions: {} };
    expect((await browser.post('/portal/graphql', body)).status).toBe(200);
  });

  it('is refused: a batch, a query string, other methods', async () => {
    expectRefusal(await browser.post('/portal/graphql', [{ operation: 'Viewer' }]), 400, 'invalid_body');
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const got = await browser.send('/portal/graphql?query={viewer{email}}', { method });
      expect({ status: got.status, allow: got.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    }
  });
});

describe('variables', () => {
  it.each([
    ['a list', []],
    ['null', null],
    ['a text', 'x'],
  ])('must be an object: %s is refused', async (_what, variables) => {
    expectRefusal(await browser.post('/portal/graphql', { operation: 'Viewer', variables }), 400, 'invalid_parameter');
  });

  it('that do not fit the operation are refused with 400', async () => {
    const member = await makeMember(gateway.database, await makeFirm(gateway.database));
    const one = await signedIn(gateway.url, member);
    for (const variables of [{}, { id: 1.5 }, { id: { a: 1 } }, { id: ['x', 'y'] }])
      expectRefusal(await one.operation('FirmKey', variables), 400, 'invalid_parameter');
  });

  it('may take half a megabyte, because filters can name items', async () => {
    const filler = (size: number) => ({ operation: 'Viewer', variables: { filler: 'x'.repeat(size) } });
    expect((await browser.post('/portal/graphql', filler(400_000))).status).toBe(200);
    expectRefusal(await browser.post('/portal/graphql', filler(600_000)), 413, 'payload_too_large');
  });
});

describe('access by role', () => {
  it('only members read keys, those of their own firm, and only operators read limits', async () => {
    const [firm, other] = [await makeFirm(gateway.database), await makeFirm(gateway.database)];
    const key = await makeKey(gateway.database, firm);
    const [member, stranger] = [await makeMember(gateway.database, firm), await makeMember(gateway.database, other)];
    const as = (user: User) => signedIn(gateway.url, user);
    const own = await (await as(member)).operation('FirmKeys');
    expect(own.body.data.map(({ id }: { id: string }) => id)).toEqual([key.id]);
    expect((await (await as(stranger)).operation('FirmKeys')).body.data).toEqual([]);
    expectRefusal(await (await as(stranger)).operation('FirmKey', { id: key.id }), 404, 'resource_not_found');
    for (const user of [owner, await makeOperator(gateway.database)])
      expectRefusal(await (await as(user)).operation('FirmKeys'), 403, 'forbidden');
    for (const user of [owner, member]) expectRefusal(await (await as(user)).operation('Limits'), 403, 'forbidden');
  });
});

it('no response to a client contains a private field or a key', async () => {
  const firm = await makeFirm(gateway.database);
  const key = await makeKey(gateway.database, firm);
  await makeGrant(gateway.database, key, owner);
  await makeItem(gateway.database, owner);
  const answers = await Promise.all(Object.keys(operations).map((operation) => browser.operation(operation)));
  const all = answers.map(({ text }) => text).join('\n');
  expect(all).not.toContain(CANARY);
  expect(all).not.toContain(key.secret);
  for (const { status } of answers) expect(status).toBeLessThan(500);
});

it('metrics count requests by operation, and have no label for unknown names', async () => {
  await browser.operation('Viewer');
  await browser.operation('MadeUpByTheCaller');
  const metrics = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  expect(metrics).toMatch(
    /portico_request_duration_seconds_count\{area="portal",endpoint="Viewer",method="POST",status="200",tier="none"\} \d/,
  );
  expect(metrics).toMatch(/portico_refusals_total\{area="portal",code="unknown_operation",tier="none"\} \d/);
  expect(metrics).not.toContain('MadeUp');
});

it('answers 503 with Retry-After while the database is unreachable', async () => {
  const postgres = await startPostgres();
  try {
    const database = await openDatabase({ url: postgres.url });
    await migrate(database, 'PTC');
    const user = await makeOwner(database);
    await database.close();
    const lonely = await startGateway({ databaseUrl: postgres.url });
    try {
      const one = await signedIn(lonely.url, user);
      await postgres.kill();
      for (const got of [
        await one.operation('Viewer'),
        await one.get('/portal/auth/me'),
        await new Browser(lonely.url).post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD }),
      ]) {
        expectRefusal(got, 503, 'service_unavailable');
        expect(got.headers.get('retry-after')).toBe('1');
      }
    } finally {
      await lonely.stop();
    }
  } finally {
    await postgres.stop();
  }
});

describe('a request whose body arrives after its head', () => {
  /** Sends the head, waits for `meanwhile`, then sends the body. */
  async function slow(from: Browser, meanwhile: () => unknown, headers: Record<string, string> = {}): Promise<number> {
    const body = Buffer.from(JSON.stringify({ operation: 'Viewer', variables: {} }));
    const sent = request(`${gateway.url}/portal/graphql`, {
      method: 'POST',
      headers: {
        ...{ Cookie: from.cookies(), Origin: new URL(gateway.url).origin, 'Content-Type': 'application/json' },
        ...{ 'Content-Length': body.length, ...headers },
      },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write(body.subarray(0, 5));
    // After this answer, the head has arrived.
    await from.get('/portal/auth/me');
    await meanwhile();
    sent.end(body.subarray(5));
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode ?? 0;
  }

  it('is authenticated when its body has arrived', async () => {
    const leaving = await signedIn(gateway.url, owner);
    expect(await slow(leaving, () => {})).toBe(200);
    const cookies = leaving.twin();
    expect(await slow(cookies, () => leaving.post('/portal/auth/sign-out'))).toBe(401);
  });

  it('has arrived when its body is complete', async () => {
    const until = Date.now() + 1_000;
    const wait = () => new Promise((wake) => setTimeout(wake, Math.max(0, until + 100 - Date.now())));
    expect(await slow(browser, wait, { 'X-Portico-Until': `${until}` })).toBe(408);
  });
});

describe('a request with X-Portico-Until', () => {
  const step = (of: Browser, operation: string, variables: object, at: string) =>
    of.post('/portal/graphql', { operation, variables }, { headers: { 'X-Portico-Until': at } });
  const until = (at: string) => step(browser, 'RevokeGrant', { id: grantId }, at);
  let grantId: string;
  beforeAll(async () => {
    const { database } = gateway;
    grantId = (await makeGrant(database, await makeKey(database, await makeFirm(database)), owner)).id;
  });

  it('is refused without effect after that time, or if the value is not a time', async () => {
    for (const at of [String(Date.now() - 1), 'soon', '']) expectRefusal(await until(at), 408, 'request_timeout');
    expect((await browser.operation('ClientGrantDetail', { id: grantId })).body.data.status).toBe('active');
  });

  it('is abandoned without effect when it has taken too long', async () => {
    const { database } = gateway;
    const firm = await makeFirm(database);
    const [member, key] = [new Browser(gateway.url), await makeKey(database, firm)];
    await member.signIn((await makeMember(database, firm)).email, PASSWORD);
    const { begun } = await database.transaction(async (sql) => {
      await sql.query({ text: 'select from api_keys where id = $1 for update', values: [key.id] });
      const begun = step(member, 'RotateKey', { id: key.id }, String(Date.now() + 60_000));
      await untilBlocked(database);
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
      return { begun };
    });
    expectRefusal(await begun, 503, 'service_unavailable');
    vi.restoreAllMocks();
    expect(await listKeys(database, { firmId: firm.id })).toHaveLength(1);
  });

  it('is executed before that time', async () => {
    expect((await until(String(Date.now() + 60_000))).status).toBe(200);
    expect((await browser.operation('ClientGrantDetail', { id: grantId })).body.data.status).toBe('revoked');
  });
});
