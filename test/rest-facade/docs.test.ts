// The API reference loads nothing from other hosts and runs only its own script, which its content security policy
// enforces. Each version has its own reference.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorReference, REMEDIES } from '#core/remedies.ts';
import { openDatabase } from '#database/database.ts';
import type { OpenApiDocument } from '#rest-facade/openapi.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { expectError } from '#test/support/answers.ts';
import { resolved } from '#test/support/api-document.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { call } from '#test/support/scenario.ts';
import { readReferenceRows } from '#tools/import/reference-rows.ts';
import type { Version } from '#versions/change.ts';

const PATHS = [
  ...['/docs', '/docs/reference.css', '/docs/reference.js', '/docs/inter.woff2'],
  ...['/openapi.json', '/openapi.yaml', '/docs?version=2026-01-15', '/openapi.json?version=2026-06-01'],
];

const VERSIONS: readonly Version[] = [
  { date: '2026-01-15', changes: [] },
  {
    date: '2026-06-01',
    changes: [
      {
        description: 'The summary is called otherwise.',
        operations: {
          GetPortfolioSummary: { describe: (operation) => ({ ...(operation as object), summary: 'As it was' }) },
        },
      },
    ],
  },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ versions: VERSIONS });
});
afterAll(() => gateway?.stop());

const get = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, init);

describe('the page', () => {
  it('refers to no other host', async () => {
    const page = await (await get('/docs')).text();
    const style = await (await get('/docs/reference.css')).text();
    const script = await (await get('/docs/reference.js')).text();
    // The icon is a data URL, an SVG names its namespace, and the examples name a fictitious deployment.
    const text = `${page}${style}${script}`
      .replaceAll('http://www.w3.org/2000/svg', '')
      .replaceAll('https://portico.example', '');
    expect(text).not.toMatch(/https?:|["'(=]\s*\/\//);
    const targets = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, target = '']) => target);
    const known =
      /^(#|data:image\/svg|\/docs(\/reference\.(css|js)|\/inter\.woff2|\?version=[\d-]+)?$|\/openapi\.|\/portal\/$)/;
    expect(targets.filter((target) => !known.test(target))).toEqual([]);
    const loaded = [...style.matchAll(/url\("([^"]*)"\)/g)].map(([, target]) => target);
    expect([loaded, style.includes('@import')]).toEqual([['/docs/inter.woff2'], false]);
  });

  it('runs no script but its own file', async () => {
    const answer = await get('/docs');
    const page = (await answer.text()).replace('<script src="/docs/reference.js"></script>', '');
    expect(page).not.toMatch(/<script|<iframe|<object|<form| on\w+=| style=|javascript:/i);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|connect-src/);
  });

  it('links to every endpoint, and every link has a target', async () => {
    const page = await (await get('/docs')).text();
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !ids.includes(target))).toEqual([]);
    for (const { operation } of routes) expect(links).toContain(operation);
    expect(page).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('each version', () => {
  it('has a page and documents of its own', async () => {
    for (const date of ['2026-01-15', '2026-06-01']) {
      const page = await (await get(`/docs?version=${date}`)).text();
      expect(page).toContain(`<summary>Version ${date}</summary>`);
      const { info, paths } = await (await get(`/openapi.json?version=${date}`)).json();
      expect(info.version).toBe(date);
      const { summary, 'x-codeSamples': samples } = paths['/api/v1/portfolio/summary'].get;
      expect(summary === 'As it was').toBe(date === '2026-01-15');
      expect(page.includes('As it was')).toBe(date === '2026-01-15');
      for (const { source } of samples) expect(source).toContain(date);
      expect(parse(await (await get(`/openapi.yaml?version=${date}`)).text()).info.version).toBe(date);
    }
  });

  it('lists what it changed, and links to the others', async () => {
    const page = await (await get('/docs')).text();
    expect(page).toContain('<summary>Version 2026-06-01</summary>');
    expect(page).toContain('href="/docs?version=2026-01-15"');
    expect(page).toContain('The summary is called otherwise.');
  });

  it.each(['?version=2020-01-01', '?version=', '?version=2026-01-15&version=2026-06-01'])(
    'is 400 for %s',
    async (query) => {
      for (const path of ['/docs', '/openapi.json', '/openapi.yaml'])
        expectError(await call(`${gateway.url}${path}${query}`, null), 400, 'unsupported_version', 'version');
    },
  );
});

describe('each error', () => {
  it('has the anchor to which the portal links, with the remedy', async () => {
    const page = await (await get('/docs')).text();
    for (const [code, remedy] of Object.entries(REMEDIES)) {
      const [, explained = ''] = page.split(`<h3 id="error-${code}">`);
      expect(explained.split('<h3')[0], code).toContain(remedy.replaceAll("'", '&#39;'));
      expect(errorReference(code)).toBe(`/docs#error-${code}`);
    }
    expect(errorReference('not_signed_in')).toBeNull();
  });
});

describe('the documents', () => {
  it.each(['1.1', '1.2'] as const)('are equal as JSON and as YAML %s', async (version) => {
    const json = await (await get('/openapi.json')).json();
    const yaml = parse(await (await get('/openapi.yaml')).text(), { version });
    expect(yaml).toEqual(json);
  });

  it.each(PATHS)('%s is cacheable and revalidates', async (path) => {
    const first = await get(path);
    await first.text();
    const tag = first.headers.get('etag') ?? '';
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    const again = await get(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, '']);
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);
  });

  it.each(PATHS)('%s refuses other methods', async (path) => {
    const { status, headers, body } = await call(`${gateway.url}${path}`, null, { method: 'POST', version: null });
    expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
  });

  it.each(['/docs/', '/docsx', '/openapiXjson', '/docs/other.js'])('%s is 404', async (path) => {
    const { status, body } = await call(`${gateway.url}${path}`, null, { version: null });
    expect([status, body.error.code]).toEqual([404, 'route_not_found']);
  });
});

it('describes categories whose schemas have references and boolean schemas', async () => {
  const { url, drop } = await createMigratedDatabase();
  const database = await openDatabase({ url });
  const schema = {
    $defs: { y: { type: 'string' } },
    properties: {
      x: { $ref: '#/$defs/y' },
      any_value: true,
      any_list: { type: 'array', items: true },
      nested: { type: 'object', properties: { z: { $ref: '#/$defs/y' } } },
      grade: { enum: ['A', 'B'], description: 'By our own scale.' },
    },
  };
  await database.query({
    text: `insert into categories (code, name, field_schema) values ('ZR', 'References', $1), ('ZT', 'Anything', 'true')`,
    values: [JSON.stringify(schema)],
  });
  await readReferenceRows(database);
  await database.close();
  const own = await startGateway({ databaseUrl: url });
  try {
    const page = await fetch(`${own.url}/docs`);
    expect(page.status).toBe(200);
    const codes = '<code>&quot;A&quot;</code> or <code>&quot;B&quot;</code>';
    expect(await page.text()).toContain(`In ZR: ${codes}. By our own scale.`);
    const document = (await (await fetch(`${own.url}/openapi.json`)).json()) as OpenApiDocument;
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = '']) => $ref);
    expect(references.filter(($ref) => Object.keys(resolved(document, { $ref })).length === 0)).toEqual([]);
    const { properties } = document.components.schemas?.CategoryFields ?? {};
    expect(properties).toMatchObject({ x: {}, any_value: {}, any_list: {}, nested: {}, grade: {} });
  } finally {
    await own.stop();
    await drop();
  }
});

it('the registry ids in the reference have the prefix of the deployment', async () => {
  const { url, drop } = await createMigratedDatabase();
  const database = await openDatabase({ url });
  await database.query({ text: "update deployment set platform_prefix = 'ACME'" });
  await database.close();
  const own = await startGateway({ databaseUrl: url, env: { PLATFORM_PREFIX: 'ACME' } });
  try {
    for (const path of ['/docs', '/openapi.json', '/openapi.yaml']) {
      const text = await (await fetch(own.url + path)).text();
      expect([path, text.includes('PTC')]).toEqual([path, false]);
      expect(text).toContain('ACME-WT-01K6A0C2E4G6J8M0P2R4T6W8Y0');
      expect(text).toContain('ACME-{CATEGORY}-{ULID}');
    }
  } finally {
    await own.stop();
    await drop();
  }
});
