// The portal's page and files: their headers, and that they are served on the public listener only.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createEvents } from '#core/events.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { readFiles } from '#portal/files.ts';
import { registerPages } from '#portal/pages.ts';
import { portalPolicy } from '#portal/respond.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

const SCRIPT = 'console.log("portal");'.repeat(100);
const PAGE = `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/portal/assets/app-1a2b.js" nonce="__CSP_NONCE__"></script>`;

let directory: string;
let app: FastifyInstance;

/** Serves the pages of a small web client, without the rest of the portal. */
function serve(files: ReturnType<typeof readFiles>): FastifyInstance {
  const { limiter } = createLimiter();
  const one = Fastify({ exposeHeadRoutes: false });
  const gateway = { events: createEvents(), limiter } as Gateway;
  registerPages(one, { gateway, policy: portalPolicy(false) }, files, new Set(['/portal/graphql']));
  return one;
}

beforeAll(async () => {
  directory = await mkdtemp(join(inject('directory'), 'dist-'));
  await mkdir(join(directory, 'assets'));
  const write = (name: string, content: string | Buffer) => writeFile(join(directory, name), content);
  await write('index.html', PAGE);
  await write('scheme.js', 'document.documentElement.dataset.scheme = "dark";');
  await write('assets/app-1a2b.js', SCRIPT);
  await write('assets/app-1a2b.js.br', brotliCompressSync(SCRIPT));
  await write('assets/app-1a2b.js.gz', gzipSync(SCRIPT));
  await write('assets/notes.md', 'not for the world');
  app = serve(readFiles(directory));
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });

describe('the page', () => {
  it.each(['/portal/', '/portal/keys', '/portal/keys/key_01', '/portal/connected/new?key=key_01'])(
    'is served at %s',
    async (url) => {
      const { statusCode, headers, body } = await get(url);
      expect(statusCode).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(body).toContain('<!doctype html>');
    },
  );

  it("has a policy that allows only the portal's own resources, with a new nonce each time", async () => {
    const nonces = new Set<string>();
    for (let time = 0; time < 3; time++) {
      const { headers, body } = await get('/portal/');
      const policy = String(headers['content-security-policy']);
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
          "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(body.split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(body).not.toContain('__CSP_NONCE__');
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it('has the headers that isolate it from other sites', async () => {
    const { headers } = await get('/portal/');
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(portalPolicy(true).headers['Strict-Transport-Security']).toContain('max-age=31536000');
  });

  it('is reached from /portal by a redirect', async () => {
    const { statusCode, headers } = await get('/portal?x=1');
    expect({ statusCode, location: headers.location }).toEqual({ statusCode: 308, location: '/portal/?x=1' });
  });

  it('answers HEAD without a body', async () => {
    const { statusCode, headers, body } = await get('/portal/keys', {}, 'HEAD');
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '' });
    expect(headers['content-security-policy']).toContain('nonce-');
  });

  it('names the command that builds it if it was not built', async () => {
    const empty = serve(readFiles(join(directory, 'nothing')));
    const { statusCode, body } = await empty.inject('/portal/');
    expect(statusCode).toBe(503);
    expect(body).toContain('npm run build');
    await empty.close();
  });
});

describe('a file', () => {
  it('whose name contains a digest is cached for a year, and any other is revalidated', async () => {
    const hashed = await get('/portal/assets/app-1a2b.js');
    expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(hashed.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(hashed.body).toBe(SCRIPT);
    expect((await get('/portal/scheme.js')).headers['cache-control']).toBe('no-cache');
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('is compressed as Accept-Encoding allows: %s', async (accepted, encoding) => {
    const { headers, rawPayload } = await get('/portal/assets/app-1a2b.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(rawPayload.length < SCRIPT.length).toBe(encoding !== undefined);
  });

  it.each([
    '/portal/assets/app-0000.js',
    '/portal/assets/',
    '/portal/assets/../index.html',
    '/portal/assets/notes.md',
    '/portal/..%2f..%2fpackage.json',
    '/portal/index.html',
    '/portal/auth/sign-up/email',
    '/portal/.made-of',
    '/portal/favicon.ico',
  ])('that does not exist gets 404, not the page: %s', async (url) => {
    const { statusCode, headers } = await get(url);
    expect({ statusCode, type: headers['content-type'] }).toEqual({
      statusCode: 404,
      type: 'application/json; charset=utf-8',
    });
  });

  it('at the path of an endpoint gets 405, not the page', async () => {
    const { statusCode, headers } = await get('/portal/graphql');
    expect({ statusCode, allow: headers.allow }).toEqual({ statusCode: 405, allow: 'POST' });
  });
});

describe('the listeners', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('the internal one does not serve the portal', async () => {
    for (const path of ['/portal', '/portal/', '/portal/graphql', '/portal/auth/me', '/portal/auth/options'])
      expect((await fetch(`${gateway.internalUrl}${path}`)).status, path).toBe(404);
    const post = await fetch(`${gateway.internalUrl}/portal/graphql`, { method: 'POST', body: '{}' });
    expect(post.status).toBe(404);
  });

  it('the public one serves it under /portal/ only; other paths get the error format of the API', async () => {
    for (const path of ['/portals', '/Portal/', '/graphql', '/auth/me', '/api/v1/portal'])
      expect(await (await fetch(`${gateway.url}${path}`)).json()).toMatchObject({ error: { code: 'route_not_found' } });
    const page = await fetch(`${gateway.url}/portal/`);
    expect(page.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('errors under /portal/ have the same members, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(`${gateway.url}/portal/auth/unknown`, { method });
      expect(await response.json(), method).toEqual({
        error: {
          type: 'not_found',
          code: 'route_not_found',
          message: expect.any(String),
          request_id: response.headers.get('x-request-id'),
        },
      });
    }
  });
});
