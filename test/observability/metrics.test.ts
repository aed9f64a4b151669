// Guarantee: requests are counted under what they were, in the form that Prometheus wants, with labels of few values.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createEvents, type RequestEvent } from '#core/events.ts';
import { StageTimes } from '#core/stages.ts';
import { createMetrics } from '#observability/metrics/metrics.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { promtool } from '#test/support/promtool.ts';
import {
  CANARY,
  call,
  furnish,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
} from '#test/support/scenario.ts';
import { graphql } from '#test/support/tools.ts';

let gateway: TestGateway;
let key: Key;
let assets: string;

beforeAll(async () => {
  gateway = await startGateway({ env: { REDIS_URL: inject('services').redisUrl, REDIS_PATIENCE_MS: '10000' } });
  const { database, url } = gateway;
  const firm = await makeFirm(database, { tier: 'elevated' });
  key = await makeKey(database, firm);
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  await furnish(database, client, await makeItem(database, client));
  assets = `${url}/api/v1/assets?client_id=${client.id}`;
  for (let count = 0; count < 4; count++) expect((await call(assets, key.secret)).status).toBe(200);
  expect((await call(`${url}/api/v1/assets`, key.secret)).status).toBe(400);
  expect((await call(assets, `sk_live_${CANARY}`)).status).toBe(401);
  expect((await call(`${url}/${CANARY}`, null)).status).toBe(404);
});
afterAll(() => gateway.stop());

const look = () => scrape(gateway.internalUrl);

it('is what promtool accepts', async () => {
  expect(promtool(['check', 'metrics'], await look())).toEqual({ code: 0, output: '' });
});

it('counts requests by route template, status and tier, and their time by stage', async () => {
  const text = await look();
  const of = (status: string, tier: string, endpoint = '/api/v1/assets') =>
    sampleOf(text, 'portico_request_duration_seconds_count', { area: 'portfolio', endpoint, status, tier });
  expect([of('200', 'elevated'), of('400', 'elevated'), of('401', 'none'), of('404', 'none', 'none')]).toEqual([
    4, 1, 1, 1,
  ]);
  const stages = ['identify', 'limit', 'admit', 'execute', 'database', 'represent'];
  const counts = stages.map((stage) =>
    sampleOf(text, 'portico_stage_duration_seconds_count', { area: 'portfolio', stage }),
  );
  expect(counts.every((count) => count >= 1)).toBe(true);
  // Two of the four were read; the others had been kept.
  expect(sampleOf(text, 'portico_stage_duration_seconds_count', { area: 'portfolio', stage: 'execute' })).toBe(2);
  expect(sampleOf(text, 'portico_response_cache_lookups_total', { result: 'hit' })).toBe(2);
  expect(sampleOf(text, 'portico_response_cache_entries')).toBe(1);
  expect(sampleOf(text, 'portico_response_cache_bytes')).toBeGreaterThan(500);
});

it('has refusals, the pool, Redis, records and what is running', async () => {
  await expect.poll(async () => sampleOf(await look(), 'portico_access_records_written_total')).toBe(5);
  const text = await look();
  const refusal = (code: string, tier: string) => sampleOf(text, 'portico_refusals_total', { code, tier });
  expect([refusal('missing_parameter', 'elevated'), refusal('invalid_api_key', 'none')]).toEqual([1, 1]);
  expect(sampleOf(text, 'portico_database_pool_size', { database: 'primary' })).toBe(10);
  expect(sampleOf(text, 'portico_database_pool_connections', { database: 'primary' })).toBeGreaterThan(0);
  expect(sampleOf(text, 'portico_database_pool_waiting')).toBe(0);
  expect(sampleOf(text, 'portico_redis_duration_seconds_count', { command: 'decide' })).toBeGreaterThanOrEqual(5);
  expect(sampleOf(text, 'portico_limiter_state', { state: 'redis' })).toBe(1);
  expect(sampleOf(text, 'portico_access_records_waiting')).toBe(0);
  expect(sampleOf(text, 'portico_access_records_oldest_seconds')).toBe(0);
  expect(text).toMatch(/^portico_build_info\{version="[\d.]+",schema="Migration\d{4}\w+",node="v\d+[\d.]*"\} 1$/m);
  expect(text).toMatch(/^portico_api_version_info\{version="\d{4}-\d\d-\d\d",status="served"\} 1$/m);
});

it('counts tools that are not let in like everybody else who is refused', async () => {
  const answer = await graphql(gateway.internalUrl, `st_${CANARY}`, { query: '{ __typename }' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('x-request-id')).toBe(answer.body.error.request_id);
  const text = await look();
  const refused = { area: 'graphql', endpoint: '/graphql', method: 'POST', status: '401', tier: 'none' };
  expect(sampleOf(text, 'portico_request_duration_seconds_count', refused)).toBe(1);
  expect(sampleOf(text, 'portico_refusals_total', { area: 'graphql', code: 'invalid_access_token' })).toBe(1);
  expect(sampleOf(text, 'portico_tool_requests_total')).toBe(0);
});

it('tells of requests near their limit', async () => {
  const sandbox = await makeKey(gateway.database, await makeFirm(gateway.database), { environment: 'sandbox' });
  for (let count = 0; count < 101; count++) await call(`${gateway.url}/api/v1/assets`, sandbox.secret);
  const text = await look();
  expect(sampleOf(text, 'portico_near_limit_requests_total', { tier: 'sandbox' })).toBe(10);
  expect(sampleOf(text, 'portico_refusals_total', { code: 'rate_limit_exceeded', tier: 'sandbox' })).toBe(1);
});

it('has no key, client or caller in any label', async () => {
  const text = await look();
  for (const told of [CANARY, key.id, key.firmId, 'usr_', 'grt_', 'req_', '127.0.0.1', 'Chronograph'])
    expect(text).not.toContain(told);
});

it('says what waits to be saved while saving fails', async () => {
  await expect.poll(async () => sampleOf(await look(), 'portico_access_records_waiting')).toBe(0);
  await gateway.database.query({ text: 'alter table access_records rename to access_records_away' });
  await call(assets, key.secret);
  await expect.poll(async () => sampleOf(await look(), 'portico_access_record_failures_total')).toBeGreaterThan(0);
  const failing = await look();
  expect(sampleOf(failing, 'portico_access_records_waiting')).toBe(1);
  expect(sampleOf(failing, 'portico_access_records_oldest_seconds')).toBeGreaterThan(0);
  await gateway.database.query({ text: 'alter table access_records_away rename to access_records' });
  await expect.poll(async () => sampleOf(await look(), 'portico_access_records_waiting')).toBe(0);
  expect(sampleOf(await look(), 'portico_access_records_oldest_seconds')).toBe(0);
});

it('the same endpoint, method and status in two areas are two series', async () => {
  const events = createEvents();
  const metrics = createMetrics(events);
  const times = new StageTimes(false);
  times.end();
  const request: Omit<RequestEvent, 'area'> = {
    ...{
      endpoint: 'none',
      method: 'GET',
      status: 404,
      requestId: 'req_1',
      errorCode: null,
      times,
      traced: false,
      key: null,
    },
    ...{
      nearLimit: false,
      shadowRefusal: null,
      pressure: null,
      network: () => '192.0.2.0/24',
      callersId: null,
      traceparent: undefined,
    },
  };
  events.emit('request', { ...request, area: 'portfolio' });
  events.emit('request', { ...request, area: 'plants' });
  events.emit('request', { ...request, area: 'plants' });
  const text = await metrics.text();
  const count = (area: string) => sampleOf(text, 'portico_request_duration_seconds_count', { area });
  expect([count('portfolio'), count('plants')]).toEqual([1, 2]);
});
