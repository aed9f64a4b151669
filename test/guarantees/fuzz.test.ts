// Guarantee: every request, however malformed, gets a specified response: never a 500, a hang or a P0 value.

import { Agent, request as send } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import { ERRORS } from '#core/errors.ts';
import { createToken } from '#repositories/admission/tokens.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { CANARY, call, furnish, type Item, insert, makeItem, VERSION } from '#test/support/scenario.ts';
import { hostileGraphql } from './hostile/graphql.ts';
import { hostilePlants } from './hostile/plants.ts';
import { hostileCursors, hostilePortfolio } from './hostile/portfolio.ts';
import type { HostileRequest, Insider } from './hostile/request.ts';
import { mix } from './hostile/texts.ts';

const BATCHES = 550;
const CONCURRENCY = 20;
const TIMEOUT_MS = 60_000;

interface Received {
  status: number;
  headers: Record<string, string>;
  text: string;
}

let gateway: TestGateway;
let insider: Insider;
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });

beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const { database } = gateway;
  const partner = await makePartner(gateway);
  const items: Item[] = [];
  for (let count = 0; count < 4; count++) items.push(await makeItem(database, partner.client));
  for (const item of items) await furnish(database, partner.client, item);
  const [first] = items as [Item];
  const paths = [
    '/assets?page_size=1',
    '/assets?page_size=1&updated_since=2020-01-01T00:00:00Z',
    `/assets/${first.registryId}/valuations?page_size=1`,
  ].map((path) => pathFor(partner.client.id, path));
  const cursors = await Promise.all(
    paths.map(async (query) => {
      const { body } = await call(gateway.url + query, partner.key.secret);
      return { query, cursor: body.pagination.next_cursor as string };
    }),
  );
  const plantTokens = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const { text, hash } = makeToken('plant');
      await createToken(database, 'plant', { holder: `account-${index}`, expiresAt: null, hash });
      return text;
    }),
  );
  const serviceTokens = await Promise.all(
    (['support', 'ops', 'admin'] as const).map(async (role) => {
      const { text, hash } = makeToken('service');
      await createToken(database, 'service', { holder: role, expiresAt: null, hash });
      return text;
    }),
  );
  insider = {
    keys: [partner.key.secret],
    keyIds: [partner.key.id],
    clientIds: [partner.client.id],
    registryIds: items.map((item) => item.registryId),
    version: VERSION,
    ...{ plantTokens, serviceTokens, cursors },
  };
  await insert(database, 'key_events', { key_id: partner.key.id, actor: 'system:test', action: 'create' });
});
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
});

function ask({ area, method, path, headers, body }: HostileRequest): Promise<Received> {
  const { hostname, port } = new URL(area === 'graphql' ? gateway.internalUrl : gateway.url);
  return new Promise((resolve, reject) => {
    const framed = body === null ? headers : { ...headers, 'Content-Length': String(body.length) };
    const sent = send({ hostname, port, method, path, headers: framed, agent, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received as Record<string, string>, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    // The response may arrive before the whole body was sent, and the connection close after it.
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

const ROWS = new Map<string, { status: number; type: string }>(Object.entries(ERRORS));

/** What is wrong with the response, or null. */
function fault({ area, method, path }: HostileRequest, { status, headers, text }: Received): string | null {
  if (status >= 500) return `a ${status}`;
  if (text.includes(CANARY) || JSON.stringify(headers).includes(CANARY)) return 'a P0 value';
  if (area === 'graphql') return graphqlFault(status, headers, text);
  for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'])
    if (headers[name] === undefined) return `no ${name}`;
  if (status === 204 || status === 304 || method === 'HEAD') return text === '' ? null : 'a body where none is allowed';
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `content type ${headers['content-type']}`;
  const body = JSON.parse(text);
  if (status === 200) return null;
  const plants = body.error === status && typeof body.message === 'string' && Object.keys(body).length === 2;
  if (/^\/plants([/?]|$)/.test(path)) return plants ? null : 'not an error of area B';
  if (plants && path.startsWith('/%')) return null;
  return portfolioFault(status, headers, body);
}

function portfolioFault(
  status: number,
  headers: Received['headers'],
  body: { error?: Record<string, string> },
): string | null {
  const { type, code = '', message, request_id: id } = body.error ?? {};
  const row = ROWS.get(code);
  if (row === undefined || row.status !== status || row.type !== type)
    return `${status} ${type} ${code} is not a row of the table`;
  if (typeof message !== 'string' || message === '') return 'no message';
  return id === headers['x-request-id'] ? null : 'a request id that differs between body and header';
}

function graphqlFault(status: number, headers: Received['headers'], text: string): string | null {
  // The request accepts no supported media type, or its body has an unsupported one.
  if (status === 406 || status === 415) return null;
  if (!/json/.test(headers['content-type'] ?? '')) return `a ${status} of content type ${headers['content-type']}`;
  const { errors = [], error } = JSON.parse(text) as {
    errors?: { extensions?: { code?: string } }[];
    error?: { code?: string };
  };
  const codes = error === undefined ? errors.map(({ extensions }) => extensions?.code) : [error.code];
  const unlisted = codes.find((code) => code === undefined || code === 'internal_error' || !ROWS.has(code));
  return codes.length > 0 && (unlisted !== undefined || codes.includes(undefined))
    ? `a ${status} with the code ${unlisted}`
    : null;
}

/** Area, status and code of every response, to check that requests got past authentication and routing. */
const seen = new Map<string, number>();

const REACHED = [
  ...['200', '304', '400 malformed_request', '400 unknown_parameter', '400 invalid_parameter', '400 missing_version'],
  ...[
    '401 invalid_api_key',
    '403 no_active_grant',
    '404 asset_not_found',
    '404 route_not_found',
    '405 method_not_allowed',
  ],
]
  .map((kind) => `portfolio ${kind}`)
  .concat(['200', '204', '400', '401', '404', '405', '415'].map((kind) => `plants ${kind}`))
  .concat(['200', '200 invalid_query', '200 invalid_parameter', '200 forbidden'].map((kind) => `graphql ${kind}`));

async function judge(request: HostileRequest): Promise<void> {
  const received = await ask(request);
  const kind = `${request.area} ${received.status} ${/"code":"(\w+)"/.exec(received.text)?.[1] ?? ''}`.trim();
  seen.set(kind, (seen.get(kind) ?? 0) + 1);
  const wrong = fault(request, received);
  if (wrong === null) return;
  const shown = { ...request, body: request.body?.toString('latin1').slice(0, 500) };
  throw new Error(`${wrong}: ${received.text.slice(0, 500)}\nfor ${JSON.stringify(shown)}`);
}

describe('hostile requests', () => {
  it(`${BATCHES * CONCURRENCY} requests to both areas and GraphQL get specified responses`, async () => {
    const request = mix(
      [6, hostilePortfolio(insider)],
      [2, hostileCursors(insider)],
      [3, hostilePlants(insider)],
      [2, hostileGraphql(insider)],
    );
    const batch = fc.array(request, { minLength: CONCURRENCY, maxLength: CONCURRENCY, size: 'max' });
    await fc.assert(
      fc.asyncProperty(batch, async (requests) => {
        await Promise.all(requests.map(judge));
      }),
      { numRuns: BATCHES, endOnFailure: true },
    );
    for (const kind of REACHED) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(3);
  }, 300_000);
});
