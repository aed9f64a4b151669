// Guarantee: dashboards, alerts and documentation use metrics that a gateway exposes, with labels that these have.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { startCollector } from '#test/support/collector.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { namesIn, scrape } from '#test/support/metrics.ts';
import { checkRules, promtool } from '#test/support/promtool.ts';
import { call, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';

const file = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(file(path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

interface Panel {
  id: number;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string }[];
}

const ALERT_TESTS = ['ops/prometheus/alerts.test.yml', 'ops/prometheus/alerts.days.test.yml'];
const rules: Rule[] = parse(read('ops/prometheus/alerts.yml')).groups.flatMap(({ rules: of }: { rules: Rule[] }) => of);
const dashboards = readdirSync(file('ops/grafana')).map((name) => read(`ops/grafana/${name}`));
const queries = dashboards.flatMap((text) =>
  JSON.parse(text).panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr)),
);

/** What Prometheus adds to what it scrapes. */
const BY_PROMETHEUS = ['up'];
const LABELS_BY_PROMETHEUS = ['instance', 'job'];
/** Exposed with several workers only; test/cli/workers.test.ts covers it. */
const OF_WORKERS = ['portico_workers'];

let gateway: TestGateway;
let exposed: string;

beforeAll(async () => {
  const collector = await startCollector();
  gateway = await startGateway({
    env: { REDIS_URL: inject('services').redisUrl, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  const { database, url, internalUrl } = gateway;
  const key = await makeKey(database, await makeFirm(database));
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  expect((await call(`${url}/api/v1/assets?client_id=${client.id}`, key.secret)).status).toBe(200);
  await call(`${url}/api/v1/assets`, null);
  await graphql(internalUrl, await makeServiceToken(database, 'ops'), { query: '{ __typename }' });
  const credentials = JSON.stringify({ email: 'nobody@example.com', password: 'a wrong password' });
  const headers = { 'Content-Type': 'application/json', Origin: url, 'Sec-Fetch-Site': 'same-origin' };
  await call(`${url}/portal/auth/sign-in/email`, null, { method: 'POST', body: credentials, headers, version: null });
  exposed = await scrape(internalUrl);
  await collector.close();
});
afterAll(() => gateway.stop());

/** Names of metrics in PromQL, with the labels of their selectors. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  return [...expression.matchAll(/\b((?:portico|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = '', inside = '']) => ({
      name,
      labels: [...inside.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
    }),
  );
}

function exposedNames(): Set<string> {
  const names = namesIn(exposed);
  // A histogram without samples exposes only its type.
  for (const [, name = ''] of exposed.matchAll(/^# TYPE (\S+) histogram$/gm))
    for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
  return names;
}

it('every metric of a dashboard or an alert exists', () => {
  const known = [...exposedNames(), ...BY_PROMETHEUS, ...OF_WORKERS];
  const wanted = [...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn);
  expect(wanted.length).toBeGreaterThan(40);
  for (const { name } of wanted) expect(known).toContain(name);
});

it('every label of a selector is one of the metric', () => {
  for (const { name, labels } of [...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn)) {
    const samples = exposed.split('\n').filter((line) => line.startsWith(`${name}{`));
    for (const label of labels.filter((one) => !LABELS_BY_PROMETHEUS.includes(one)))
      if (samples.length > 0) expect(samples.join('\n'), `${name} by ${label}`).toContain(`${label}="`);
  }
});

it('every label of an aggregation is one of a metric of the query', () => {
  for (const query of [...queries, ...rules.map(({ expr }) => expr)]) {
    const names = metricsIn(query).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''));
    const samples = exposed.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
    const has = (label: string) => LABELS_BY_PROMETHEUS.includes(label) || samples.join('\n').includes(`${label}="`);
    const labels = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/, */));
    const unseen = samples.every((line) => line.startsWith('#'));
    if (!unseen) expect(labels.filter((label) => !has(label))).toEqual([]);
  }
});

it('every legend of a dashboard names labels that its query keeps, and no panels overlap', () => {
  for (const text of dashboards) {
    const panels = JSON.parse(text).panels as Panel[];
    for (const { expr, legendFormat } of panels.flatMap(({ targets }) => targets)) {
      const left = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? LABELS_BY_PROMETHEUS;
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(left, expr).toContain(label);
    }
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_none, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  }
});

it('every query of a dashboard is valid PromQL', () => {
  const variables: Record<string, string> = { $__rate_interval: '5m', $instance: '.*' };
  const plain = (query: string) => query.replace(/\$\w+/g, (name) => variables[name] ?? name);
  const groups = [{ name: 'dashboards', rules: queries.map((expr, n) => ({ record: `r:${n}`, expr: plain(expr) })) }];
  const { code, output } = checkRules(JSON.stringify({ groups }));
  expect(code, output).toBe(0);
  expect(checkRules('{"groups":[{"name":"g","rules":[{"record":"r","expr":"sum(up"}]}]}').code).toBe(1);
});

it('every metric of the gateway is on a dashboard or in an alert', () => {
  const used = new Set([...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn).map(({ name }) => name));
  const declared = [...exposed.matchAll(/^# TYPE (portico_\S+) /gm)].map(([, name = '']) => name);
  const isUsed = (name: string) =>
    [name, `${name}_bucket`, `${name}_sum`, `${name}_count`].some((one) => used.has(one));
  expect(declared.filter((name) => !isUsed(name))).toEqual([]);
});

it('the table of the operations guide has every metric of the gateway, and no other', () => {
  const table = [...read('docs/operations.md').matchAll(/^\| `(portico_\w+)`/gm)].map(([, name = '']) => name);
  const declared = [...exposed.matchAll(/^# TYPE (portico_\S+) /gm)].map(([, name = '']) => name);
  expect(table.sort()).toEqual([...declared, ...OF_WORKERS].sort());
});

it('every alert has a severity, a summary and a runbook that names it', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket'], alert).toContain(labels.severity);
    expect(annotations.summary, alert).not.toBe('');
    expect(annotations.runbook_url).toMatch(/^docs\/runbooks\/[a-z-]+\.md$/);
    expect(read(annotations.runbook_url), alert).toContain(`\`${alert}\``);
  }
});

it.each([
  ['check', 'config', 'ops/prometheus/prometheus.yml'],
  ['check', 'rules', 'ops/prometheus/alerts.yml'],
  ...ALERT_TESTS.map((path) => ['test', 'rules', path]),
])('promtool %s %s %s', (...words) => {
  const [verb = '', what = '', path = ''] = words;
  const { code, output } = promtool([verb, what, fileURLToPath(file(path))]);
  expect(code, output).toBe(0);
});

it('every alert has a test in which it fires and one in which it is silent', () => {
  const names = ALERT_TESTS.flatMap((path) => parse(read(path)).tests.map(({ name }: { name: string }) => name));
  expect(names.sort()).toEqual(rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} is silent`]).sort());
});
