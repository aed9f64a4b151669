// Guarantee: a trace shows where a request's time went, by stage and statement, has no personal data, is not controlled
// by callers, and costs requests nothing while the collector is down.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { requestUuid } from '#core/ids.ts';
import { AUTH_PATH } from '#portal/auth/auth-paths.ts';
import { startChildGateway } from '#test/support/child-gateway.ts';
import { type CollectedSpan, type Collector, startCollector } from '#test/support/collector.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '#test/support/gateway.ts';
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
import { graphql, makeServiceToken } from '#test/support/tools.ts';

let collector: Collector;
let gateway: TestGateway;
let key: Key;
let clientId: string;
let item: Item;

const withTraces = (url: string, env: Record<string, string> = {}): GatewayOptions => ({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, REDIS_URL: inject('services').redisUrl, ...env },
});

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway(withTraces(collector.url));
  const { database } = gateway;
  key = await makeKey(database, await makeFirm(database));
  const client = await makeClient(database);
  clientId = client.id;
  await makeGrant(database, key, client);
  item = await makeItem(database, client);
  await furnish(database, client, item);
});
afterAll(async () => {
  await gateway.stop();
  await collector.close();
});

const list = (base = gateway.url, more = '') => `${base}/api/v1/assets?client_id=${clientId}${more}`;

/** The spans of an answered request, once they have arrived. */
async function traceOf({ headers }: { headers: Headers }, from = collector): Promise<CollectedSpan[]> {
  const traceId = requestUuid(headers.get('x-request-id') ?? '');
  const found = () => from.spans().filter((span) => span.traceId === traceId);
  await expect.poll(found).not.toEqual([]);
  return found();
}

const namesOf = (spans: CollectedSpan[]) => spans.map(({ name }) => name);
const attribute = ({ attributes = [] }: CollectedSpan, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

describe('a trace', () => {
  it('has the request, its stages, and in them Redis, the GraphQL operation and its statements', async () => {
    const spans = await traceOf(await call(list(undefined, '&include=valuations'), key.secret));
    const [root] = spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(root?.name).toBe('GET /api/v1/assets');
    expect(root && attribute(root, 'http.response.status_code')).toBe(200);
    expect(namesOf(spans)).toEqual(expect.arrayContaining(['identify', 'limit', 'execute', 'represent']));
    expect(namesOf(spans)).toEqual(
      expect.arrayContaining(['redis limit', 'postgresql assets page', 'postgresql newest valuations']),
    );
    const parentOf = (name: string) => {
      const parent = spans.find((span) => span.name === name)?.parentSpanId;
      return spans.find(({ spanId }) => spanId === parent)?.name;
    };
    expect(parentOf('redis limit')).toBe('limit');
    expect(parentOf('postgresql assets page')).toBe('execute');
    expect(parentOf('execute')).toBe('GET /api/v1/assets');
    const execute = spans.find(({ name }) => name === 'execute');
    expect(execute && attribute(execute, 'graphql.operation.name')).toBe('assets');
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
      expect(BigInt(from)).toBeLessThanOrEqual(BigInt(to));
      expect(BigInt(from)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0));
      expect(BigInt(to)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0));
    }
  });

  it('has no more spans for more rows and fields', async () => {
    const client = await makeClient(gateway.database);
    await makeGrant(gateway.database, key, client);
    for (let count = 0; count < 30; count++) await makeItem(gateway.database, client);
    const one = await traceOf(await call(list(undefined, '&page_size=1&include=documents'), key.secret));
    const url = `${gateway.url}/api/v1/assets?client_id=${client.id}&page_size=100&include=documents`;
    // The first request of a key to a client reads its admission.
    await call(`${url}&category=WT`, key.secret);
    const many = await traceOf(await call(url, key.secret));
    const [few, more] = [one, many].map((spans) => spans.filter(({ kind }) => kind === 3).length);
    expect(more).toBe(few);
    expect(many.length).toBeLessThan(16);
  });

  it('exists for tools', async () => {
    const support = await makeServiceToken(gateway.database, 'support');
    const operation = { query: 'query Named { catalog: __typename }' };
    const answer = await graphql(gateway.internalUrl, support, operation);
    const spans = await traceOf(answer);
    expect(namesOf(spans)).toEqual(expect.arrayContaining(['POST /graphql', 'execute']));
    expect(JSON.stringify(spans)).not.toContain('Named');
  });

  it('has the statements of the sign-in library, and nothing of the request body', async () => {
    const answer = await fetch(`${gateway.url}${AUTH_PATH}/sign-in/email`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: gateway.url, 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ email: 'somebody@example.com', password: 'a password that is wrong' }),
    });
    expect(answer.status).toBe(401);
    const spans = await traceOf(answer);
    const statements = spans.filter(({ name }) => name === 'postgresql sign-in read');
    expect(statements.length).toBeGreaterThan(0);
    const parents = statements.map(({ parentSpanId }) => spans.find(({ spanId }) => spanId === parentSpanId)?.kind);
    expect(parents).not.toContain(undefined);
    expect(JSON.stringify(spans)).not.toMatch(/somebody|password|portal_accounts/);
  });

  it('links to the trace that a caller names, and is not part of it', async () => {
    const theirs = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const traceparent = `00-${theirs.traceId}-${theirs.spanId}-01`;
    const spans = await traceOf(await call(list(), key.secret, { headers: { traceparent } }));
    expect(spans[0]?.links).toMatchObject([theirs]);
    expect(spans[0]?.parentSpanId ?? '').toBe('');
    for (const wrong of [
      '00-0-0-00',
      `ff-${theirs.traceId}-${theirs.spanId}-01`,
      `00-${'0'.repeat(32)}-${theirs.spanId}-01`,
    ]) {
      const plain = await traceOf(await call(list(), key.secret, { headers: { traceparent: wrong } }));
      expect(plain[0]?.links ?? []).toEqual([]);
    }
  });
});

it('failed and slow requests are traced, and of the rest the configured part', async () => {
  const few = await startCollector();
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0', TRACE_SLOW_MS: '60000' };
  const { databaseUrl } = gateway;
  const other = await startGateway({ ...withTraces(few.url, env), databaseUrl });
  const slow = await startGateway({ ...withTraces(few.url, { ...env, TRACE_SLOW_MS: '0' }), databaseUrl });
  try {
    // A caller's sampled flag has no effect.
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    expect((await call(list(other.url), key.secret, { headers })).status).toBe(200);
    expect((await call(list(other.url, '&page=0'), key.secret)).status).toBe(400);
    await gateway.database.query({ text: 'alter table items rename to items_away' });
    const failed = await call(list(other.url, '&page_size=7'), key.secret).finally(() =>
      gateway.database.query({ text: 'alter table items_away rename to items' }),
    );
    expect(failed.status).toBeGreaterThanOrEqual(500);
    const spans = await traceOf(failed, few);
    expect(spans[0]?.status?.code).toBe(2);
    expect(new Set(few.spans().map(({ traceId }) => traceId)).size).toBe(1);
    const text = await scrape(other.internalUrl);
    expect([true, false].map((kept) => sampleOf(text, 'portico_traces_total', { kept: `${kept}` }))).toEqual([1, 2]);
    expect(namesOf(await traceOf(await call(list(slow.url), key.secret), few))).toContain('GET /api/v1/assets');
  } finally {
    await Promise.all([other.stop(), slow.stop()]);
    await few.close();
  }
});

it('traces contain no data of clients, no input of callers and no secret', async () => {
  const planted = `planted-${CANARY}`;
  const headers = { tracestate: `portico=${planted}`, baggage: `who=${planted}`, 'User-Agent': planted };
  await call(list(undefined, `&category=${planted}`), key.secret, { headers });
  await call(`${gateway.url}/${planted}`, planted, { headers, version: planted });
  await call(`${gateway.url}/api/v1/assets/${item.registryId}?client_id=${clientId}`, key.secret, { headers });
  const support = await makeServiceToken(gateway.database, 'support');
  const query = `query Planted($id: ID! = "${planted}") { documents(clientId: $id, registryId: "${planted}") { __typename } }`;
  await graphql(gateway.internalUrl, support, { query, operationName: 'Planted' }, { actAs: key.id });
  await traceOf(await call(list(), key.secret, { headers: { traceparent: planted } }));
  const sent = collector.text();
  for (const secret of [planted, CANARY, key.secret, key.id, key.firmId, clientId, item.id, item.registryId, 'Planted'])
    expect(sent).not.toContain(secret);
  for (const data of ['Chronograph', 'Patek', 'Vault 4', 'Ada', '@example.com', '127.0.0.1', 'select'])
    expect(sent).not.toContain(data);
});

it.each([
  ['is down', async () => ({ url: 'http://127.0.0.1:9', close: async () => {} })],
  ['never answers', () => startCollector({ silent: true })],
])('a gateway whose collector %s serves requests and stops', async (_, start) => {
  const dead = await start();
  const { databaseUrl } = gateway;
  const other = await startGateway({ ...withTraces(dead.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }), databaseUrl });
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(list(other.url), key.secret)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
  const look = () => scrape(other.internalUrl);
  await expect
    .poll(async () => sampleOf(await look(), 'portico_traces_exported_total', { outcome: 'failed' }))
    .toBeGreaterThan(0);
  expect(sampleOf(await look(), 'portico_traces_exported_total', { outcome: 'delivered' })).toBe(0);
  await other.stop();
  await dead.close();
});

/** Writes to standard error which modules of the library a process loads. */
const LOG_LOADS = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name.startsWith('@opentelemetry/')) process.stderr.write('loads ' + name + '\\n');
  return next(name, context);
} });`;

it.each([
  ['not loaded without a collector', '', false],
  ['loaded with a collector', 'http://127.0.0.1:9', true],
])('the library is %s', async (_, endpoint, loaded) => {
  const child = await startChildGateway({
    ...{ DATABASE_URL: gateway.databaseUrl, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LOG_LOADS)}`,
  });
  expect((await call(list(child.url), key.secret)).status).toBe(200);
  await child.stop();
  expect(child.log().includes('loads @opentelemetry/sdk-trace')).toBe(loaded);
  // Another library loads the interfaces as well.
  expect(/loads @opentelemetry\/(?!api)/.test(child.log())).toBe(loaded);
});
