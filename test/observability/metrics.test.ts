// Guarantee: requests are counted by what they were, in the format of Prometheus, with labels of few values.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createEvents, type RequestEvent } from '#core/events.ts';
import { StageTimes } from '#core/stages.ts';
import { createMetrics } from '#observability/metrics/metrics.ts';
import { together } from '#process/worker-metrics.ts';
import { type Measured, measureParts } from '#src/measured.ts';
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
  gateway = await startGateway({ env: { REDIS_URL: inject('services').redisUrl } });
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

it('promtool accepts the metrics', async () => {
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
  // Two of the four were executed; the others were cached.
  expect(sampleOf(text, 'portico_stage_duration_seconds_count', { area: 'portfolio', stage: 'execute' })).toBe(2);
  expect(sampleOf(text, 'portico_response_cache_lookups_total', { result: 'hit' })).toBe(2);
  expect(sampleOf(text, 'portico_response_cache_entries')).toBe(1);
  expect(sampleOf(text, 'portico_response_cache_bytes')).toBeGreaterThan(500);
});

it('has refusals, the pool, Redis, records, build and versions', async () => {
  let text = '';
  // The gateway's own work may be waiting for a connection.
  await expect
    .poll(async () => {
      text = await look();
      return ['portico_access_records_written_total', 'portico_database_pool_waiting'].map((name) =>
        sampleOf(text, name),
      );
    })
    .toEqual([5, 0]);
  const refusal = (code: string, tier: string) => sampleOf(text, 'portico_refusals_total', { code, tier });
  expect([refusal('missing_parameter', 'elevated'), refusal('invalid_api_key', 'none')]).toEqual([1, 1]);
  expect(sampleOf(text, 'portico_refusals_total')).toBe(3);
  expect(sampleOf(text, 'portico_database_pool_size', { database: 'primary' })).toBe(10);
  expect(sampleOf(text, 'portico_database_pool_connections', { database: 'primary' })).toBeGreaterThan(0);
  expect(sampleOf(text, 'portico_redis_duration_seconds_count', { command: 'decide' })).toBeGreaterThanOrEqual(5);
  expect(sampleOf(text, 'portico_limiter_state', { state: 'redis' })).toBe(1);
  expect(sampleOf(text, 'portico_access_records_waiting')).toBe(0);
  expect(sampleOf(text, 'portico_access_records_oldest_seconds')).toBe(0);
  expect(text).toMatch(/^portico_build_info\{version="[\d.]+",schema="Migration\d{4}\w+",node="v\d+[\d.]*"\} 1$/m);
  expect(text).toMatch(/^portico_api_version_info\{version="\d{4}-\d\d-\d\d",status="served"\} 1$/m);
});

it('counts refused tools like other refused callers', async () => {
  const answer = await graphql(gateway.internalUrl, `st_${CANARY}`, { query: '{ __typename }' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('x-request-id')).toBe(answer.body.error.request_id);
  const text = await look();
  const refused = { area: 'graphql', endpoint: '/graphql', method: 'POST', status: '401', tier: 'none' };
  expect(sampleOf(text, 'portico_request_duration_seconds_count', refused)).toBe(1);
  expect(sampleOf(text, 'portico_refusals_total', { area: 'graphql', code: 'invalid_access_token' })).toBe(1);
  expect(sampleOf(text, 'portico_tool_requests_total')).toBe(0);
});

it('counts requests near their limit', async () => {
  const sandbox = await makeKey(gateway.database, await makeFirm(gateway.database), { environment: 'sandbox' });
  for (let count = 0; count < 101; count++) await call(`${gateway.url}/api/v1/assets`, sandbox.secret);
  const text = await look();
  expect(sampleOf(text, 'portico_near_limit_requests_total', { tier: 'sandbox' })).toBe(21);
  expect(sampleOf(text, 'portico_refusals_total', { code: 'rate_limit_exceeded', tier: 'sandbox' })).toBe(1);
});

it('has no key, client or caller in any label', async () => {
  const text = await look();
  for (const value of [CANARY, key.id, key.firmId, 'usr_', 'grt_', 'req_', '127.0.0.1', 'Chronograph'])
    expect(text).not.toContain(value);
});

it('reports the records that wait while saving fails', async () => {
  await expect.poll(async () => sampleOf(await look(), 'portico_access_records_waiting')).toBe(0);
  await gateway.database.query({ text: 'alter table access_calls rename to access_calls_away' });
  await call(assets, key.secret);
  await expect.poll(async () => sampleOf(await look(), 'portico_access_record_failures_total')).toBeGreaterThan(0);
  const failing = await look();
  expect(sampleOf(failing, 'portico_failures_total', { where: 'access record' })).toBeGreaterThan(0);
  expect(sampleOf(failing, 'portico_access_records_waiting')).toBe(1);
  expect(sampleOf(failing, 'portico_access_records_oldest_seconds')).toBeGreaterThan(0);
  await gateway.database.query({ text: 'alter table access_calls_away rename to access_calls' });
  await expect.poll(async () => sampleOf(await look(), 'portico_access_records_waiting')).toBe(0);
  expect(sampleOf(await look(), 'portico_access_records_oldest_seconds')).toBe(0);
});

it('reports how much waits for the ledger, and for how long, while appending fails', async () => {
  const seen = async () => {
    const text = await look();
    return ['waiting', 'oldest_seconds'].map((name) => sampleOf(text, `portico_ledger_${name}`));
  };
  await expect.poll(seen).toEqual([0, 0]);
  await gateway.database.query({ text: 'alter table ledger_batches rename to ledger_batches_away' });
  await call(assets, key.secret);
  await expect.poll(async () => (await seen())[0]).toBeGreaterThan(0);
  const [, before = 0] = await seen();
  await expect.poll(async () => (await seen())[1]).toBeGreaterThan(Math.max(before, 2));
  await gateway.database.query({ text: 'alter table ledger_batches_away rename to ledger_batches' });
  await expect.poll(seen).toEqual([0, 0]);
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
      shadowRefusal: null,
      nearLimit: null,
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

it('a value that the last check of the database did not find has no sample, rather than 0', async () => {
  const metrics = createMetrics(createEvents());
  const ledger = { entries: 3, oldestSeconds: 2 };
  const known = { usable: true, unconfirmed: false, clockAheadSeconds: 0, recordDaysAhead: 70, ledger };
  let found: ReturnType<Measured['databaseState']> = known;
  measureParts(metrics.registry, { ...QUIET, databaseState: () => found }, []);
  const readSamples = async () => {
    const samples = (await metrics.text()).matchAll(/^(portico_(?:database|clock|access_record|ledger)_\w+) (\S+)$/gm);
    return Object.fromEntries([...samples].map(([, name = '', value]) => [name, Number(value)]));
  };
  const others = { portico_database_unconfirmed: 0, portico_access_record_failures_total: 0 };
  const seen = {
    ...{ portico_clock_ahead_seconds: 0, portico_access_record_ahead_seconds: 70 * 86_400 },
    ...{ portico_ledger_waiting: 3, portico_ledger_oldest_seconds: 2 },
  };
  expect(await readSamples()).toMatchObject({ ...others, ...seen, portico_database_usable: 1 });
  found = { ...known, usable: false, clockAheadSeconds: null, recordDaysAhead: null, ledger: null };
  const away = await readSamples();
  expect(away).toMatchObject({ ...others, portico_database_usable: 0 });
  expect(Object.keys(seen).filter((name) => name in away)).toEqual([]);
  found = known;
  expect(await readSamples()).toMatchObject(seen);
});

it('the outbox has no samples where the gateway has no mail server', async () => {
  const names = ['portico_mails_waiting', 'portico_mails_oldest_seconds', 'portico_mails_unsent'];
  const having = (text: string) => names.filter((name) => new RegExp(`^${name}[ {]`, 'm').test(text));
  expect(having(await look())).toEqual([]);
  const env = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@portico.example', PORTAL_URL: 'http://127.0.0.1' };
  const sending = await startGateway({ env });
  try {
    expect(having(await scrape(sending.internalUrl))).toEqual(names);
  } finally {
    await sending.stop();
  }
});

it('the lag of several workers is that of the worst, since a mean hides one that is overloaded', async () => {
  const withLag = async (seconds: number) => {
    const report = (await createMetrics(createEvents()).report()) as MetricObjectWithValues<MetricValue<string>>[];
    return report.map((metric) => ({ ...metric, values: metric.values.map((one) => ({ ...one, value: seconds })) }));
  };
  const text = await together([await withLag(0.75), await withLag(0.25), await withLag(0.25)], 3);
  const lag = (percentile: string) => sampleOf(text, `nodejs_eventloop_lag_${percentile}_seconds`);
  expect([lag('p90'), lag('p99')]).toEqual([0.75, 0.75]);
});

const QUIET: Omit<Measured, 'databaseState'> = {
  database: { pool: () => ({ max: 0, open: 0, idle: 0, waiting: 0 }) },
  reads: { states: () => [], counts: () => ({ primary: 0, replica: 0 }) },
  recorder: {
    waiting: () => 0,
    oldestSeconds: () => 0,
    counts: () => ({ saved: 0, failures: 0, unlisted: 0 }),
  },
  queue: null,
  witnessing: { states: () => [] },
  responses: { state: () => ({ hits: 0, misses: 0, bytes: 0, entries: 0 }) },
  sender: null,
  tracing: null,
};
