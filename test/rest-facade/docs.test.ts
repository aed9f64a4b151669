// The API reference is complete in itself: no script, nothing from another host, and the browser is told to hold it to that.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { routes } from '#rest-facade/routes/index.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { call } from '#test/support/scenario.ts';

const PATHS = ['/docs', '/docs/reference.css', '/openapi.json', '/openapi.yaml'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const get = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, init);

describe('the page', () => {
  it('refers to no other host', async () => {
    const page = await (await get('/docs')).text();
    const style = await (await get('/docs/reference.css')).text();
    // The icon is a data URL, and an SVG names its namespace.
    const text = `${page}${style}`.replaceAll('http://www.w3.org/2000/svg', '');
    expect(text).not.toMatch(/https?:|["'(=]\s*\/\//);
    const targets = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, target = '']) => target);
    expect(
      targets.filter((target) => !/^(#|data:image\/svg|\/docs\/reference\.css$|\/openapi\.)/.test(target)),
    ).toEqual([]);
    expect(style).not.toMatch(/@import|url\(/);
  });

  it('runs no script', async () => {
    const answer = await get('/docs');
    const page = await answer.text();
    expect(page).not.toMatch(/<script|<iframe|<object|<form| on\w+=| style=|javascript:/i);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|unsafe|\*|https?:/);
  });

  it('leads to every endpoint and every link has its target', async () => {
    const page = await (await get('/docs')).text();
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !ids.includes(target))).toEqual([]);
    for (const { operation } of routes) expect(links).toContain(operation);
    expect(page).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('the documents', () => {
  it('say the same as JSON and as YAML', async () => {
    const json = await (await get('/openapi.json')).json();
    const yaml = parse(await (await get('/openapi.yaml')).text());
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

  it.each(['/docs/', '/docsx', '/openapiXjson', '/docs/reference.js'])('%s is not there', async (path) => {
    const { status, body } = await call(`${gateway.url}${path}`, null, { version: null });
    expect([status, body.error.code]).toEqual([404, 'route_not_found']);
  });
});
