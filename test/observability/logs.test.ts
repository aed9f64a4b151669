// Guarantee: a line of the log has the caller, the outcome and the stage times of a request, and no personal data.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkOf } from '#core/client-address.ts';
import { setShadow } from '#repositories/keys/limit-shadows.ts';
import { type ChildGateway, startChildGateway } from '#test/support/child-gateway.ts';
import { type Collector, startCollector } from '#test/support/collector.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import {
  CANARY,
  call,
  furnish,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
} from '#test/support/scenario.ts';
import { makeServiceToken } from '#test/support/tools.ts';

let scene: TestGateway;
let collector: Collector;
let child: ChildGateway;
let key: Key;
let clientId: string;
let item: Item;
let pageSize = 0;

beforeAll(async () => {
  scene = await startGateway();
  collector = await startCollector();
  child = await startChildGateway({
    ...{ DATABASE_URL: scene.databaseUrl, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const { database } = scene;
  key = await makeKey(database, await makeFirm(database));
  const client = await makeClient(database);
  clientId = client.id;
  await makeGrant(database, key, client);
  item = await makeItem(database, client);
  await furnish(database, client, item);
});
afterAll(async () => {
  await child.stop();
  await scene.stop();
  await collector.close();
});

const list = () => `${child.url}/api/v1/assets?client_id=${clientId}`;

/** The line of an answered request. */
async function lineOf({ headers }: { headers: Headers }) {
  const id = headers.get('x-request-id') ?? '';
  const find = () =>
    child
      .log()
      .split('\n')
      .find((line) => line.includes(`"requestId":"${id}"`) && line.endsWith('}'));
  await expect.poll(find).toBeDefined();
  return JSON.parse(find() ?? '');
}

it('a line has key, firm, tier, network, stage times, trace and both ids', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.77', 'X-Request-Id': 'theirs-4711' };
  const answer = await call(list(), key.secret, { headers });
  const line = await lineOf(answer);
  expect(line).toMatchObject({
    ...{ area: 'portfolio', endpoint: '/api/v1/assets', method: 'GET', status: 200, errorCode: null },
    ...{ keyId: key.id, firmId: key.firmId, tier: 'enterprise', network: '203.0.113.0/24', callersId: 'theirs-4711' },
  });
  expect(Object.keys(line.stages)).toEqual(['identify', 'limit', 'admit', 'execute', 'database', 'represent']);
  const { database, ...stages } = line.stages as Record<string, number>;
  const sum = Object.values(stages).reduce((total, one) => total + one, 0);
  // Each is rounded to the microsecond.
  expect(Math.abs(sum - line.duration)).toBeLessThan(10e-6);
  expect(database).toBeGreaterThan(0);
  await expect.poll(() => collector.spans().map(({ traceId }) => traceId)).toContain(line.traceId);
});

it('a line has the refusal that shadow mode prevented', async () => {
  const { database } = scene;
  const sandbox = await makeKey(database, await makeFirm(database), { environment: 'sandbox' });
  const why = { shadowed: true, reason: 'a trial', endsAt: null };
  await setShadow(database, { keyId: sandbox.id }, why, { kind: 'operator', id: 'test' });
  const ask = () => call(`${child.url}/api/v1/assets`, sandbox.secret);
  for (let count = 1; count < 100; count++) await ask();
  expect(await lineOf(await ask())).not.toHaveProperty('shadowRefusal');
  const line = await lineOf(await ask());
  expect(line).toMatchObject({ shadowRefusal: 'rate_limit_exceeded', errorCode: 'missing_parameter', status: 400 });
});

it('a line has no key and no tier for an invalid key', async () => {
  const line = await lineOf(await call(list(), `sk_live_${CANARY}`));
  expect(line).not.toHaveProperty('keyId');
  expect(line).not.toHaveProperty('tier');
  expect(line.network).toBe('127.0.0.0/24');
});

it.each(['with a space', 'a'.repeat(65), 'someone@example.com', '{"injected":true}', 'ü'])(
  'a line omits a malformed id of the caller: %s',
  async (theirs) => {
    const sent = Buffer.from(theirs).toString('latin1');
    expect(await lineOf(await call(list(), key.secret, { headers: { 'X-Request-Id': sent } }))).not.toHaveProperty(
      'callersId',
    );
  },
);

it('the log contains no data of clients, no input of callers and no secret', async () => {
  const planted = `planted@${CANARY}`;
  const headers = {
    ...{ 'X-Request-Id': planted, traceparent: planted, 'User-Agent': planted, Cookie: planted },
    'X-Forwarded-For': '203.0.113.78',
  };
  const answers = [
    await call(`${list()}&category=${planted}`, key.secret, { headers }),
    await call(`${child.url}/${planted}?email=${planted}`, planted, { headers, version: planted }),
    await call(`${child.url}/api/v1/assets/${item.registryId}?client_id=${clientId}`, key.secret, { headers }),
    await call(`${child.url}/portal/graphql`, null, {
      ...{ method: 'POST', body: JSON.stringify({ operation: planted }) },
      headers: { ...headers, 'Content-Type': 'application/json' },
    }),
    await call(`${child.internalUrl}/graphql`, planted, { headers, method: 'POST', body: `{"query":"${planted}"}` }),
  ];
  for (const answer of answers.slice(0, 4)) await lineOf(answer);
  const log = child.log();
  for (const secret of [planted, CANARY, key.secret, clientId, item.id, item.registryId, '203.0.113.78'])
    expect(log).not.toContain(secret);
  for (const data of ['Chronograph', 'Patek', 'Vault 4', 'Ada']) expect(log).not.toContain(data);
});

it('a network is a /24 of IPv4 or a /48 of IPv6', () => {
  expect(networkOf('203.0.113.77')).toBe('203.0.113.0/24');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48');
  expect(networkOf('::1')).toBe('0:0:0::/48');
  expect(networkOf('::ffff:203.0.113.77')).toBe('203.0.113.0/24');
});

it('responses have stage times outside production only', async () => {
  const timing = (await call(list(), key.secret)).headers.get('server-timing') ?? '';
  expect(timing).toMatch(/^identify;dur=[\d.]+, limit;dur=[\d.]+, admit;dur=[\d.]+, /);
  const production = await startGateway({ databaseUrl: scene.databaseUrl, env: { NODE_ENV: 'production' } });
  const silent = await call(`${production.url}/api/v1/assets?client_id=${clientId}`, key.secret);
  await production.stop();
  expect([silent.status, silent.headers.get('server-timing')]).toEqual([200, null]);
});

it.each([
  ['portfolio', askAsPartner],
  ['graphql', askAsTool],
])('a request of %s whose caller disconnects before the response is logged and counted', async (area, ask) => {
  const { url, ...request } = await ask();
  const lines = () => child.log().split(`"area":"${area}"`).slice(1);
  const counted = async () => {
    const labels = { area, status: '200' };
    return sampleOf(await scrape(child.internalUrl), 'portico_request_duration_seconds_count', labels);
  };
  const before = { lines: lines().length, counted: await counted() };
  const leaving = new AbortController();
  await scene.database.transaction(async (sql) => {
    await sql.query({ text: 'lock table items in access exclusive mode' });
    const leaver = fetch(url, { ...request, signal: leaving.signal });
    await untilBlocked(scene.database);
    leaving.abort();
    await expect(leaver).rejects.toThrow();
    // The gateway has noticed the disconnection before it answers this.
    await counted();
  });
  await expect.poll(() => lines().length).toBe(before.lines + 1);
  expect(lines().at(-1)).toMatch(/"status":200.*"network":"127\.0\.0\.0\/24"/);
  expect(await counted()).toBe(before.counted + 1);
});

async function askAsPartner() {
  // So that no response to it is cached.
  const url = `${list()}&page_size=${++pageSize}`;
  return { url, headers: { Authorization: `Bearer ${key.secret}`, 'X-Service-Version': '2026-01-15' } };
}

async function askAsTool() {
  const token = await makeServiceToken(scene.database, 'support');
  const query = `{ assets(clientId: "${clientId}") { nodes { title } } }`;
  return {
    ...{ url: `${child.internalUrl}/graphql`, method: 'POST', body: JSON.stringify({ query }) },
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Act-As-Key': key.id },
  };
}
