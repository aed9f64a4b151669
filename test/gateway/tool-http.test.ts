// Guarantee: the tools' endpoint serves only tools over HTTP, and any other request gets an error that says what is
// wrong.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Refusal } from '#core/errors.ts';
import { createEvents, type FailureEvent } from '#core/events.ts';
import { openAdmissions } from '#gateway/admission/admission-cache.ts';
import { createTools } from '#gateway/execution/yoga.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { createHealth } from '#observability/health.ts';
import { bind, createInternalListener } from '#src/listeners.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { openPortal } from '#test/support/portal.ts';
import { raw } from '#test/support/raw.ts';
import { codesOf, graphql, makeServiceToken, withToolScene } from '#test/support/tools.ts';

const scene = withToolScene();
const query = '{ limiterState }';

it('responses have no CORS headers: pages of other sites cannot read them', async () => {
  const { gateway, token } = scene;
  const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
  const at = `${gateway.internalUrl}/graphql`;
  const authorized = { ...headers, Authorization: `Bearer ${token}` };
  const responses = [
    await fetch(at, { method: 'OPTIONS', headers: authorized }),
    await fetch(`${at}?query=${encodeURIComponent(query)}`, { headers: authorized }),
    await graphql(gateway.internalUrl, token, { query }, { headers }),
    await graphql(gateway.internalUrl, token, { query: '{ nothing }' }, { headers }),
  ];
  for (const response of responses)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(responses.slice(1).map(({ status }) => status)).toEqual([200, 200, 200]);
});

it.each([
  ['/graphql', 'GET, POST', ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']],
  ['/metrics', 'GET, HEAD', ['POST', 'DELETE', 'OPTIONS']],
  ['/readyz', 'GET, HEAD', ['POST', 'DELETE', 'OPTIONS']],
])('an unsupported method of %s is 405 with Allow', async (path, allowed, methods) => {
  for (const method of methods) {
    const response = await raw(
      scene.gateway.internalUrl,
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect([method, response.status, response.body.error.code]).toEqual([method, 405, 'method_not_allowed']);
    expect(response.headers.get('allow')).toBe(allowed);
  }
});

it('HEAD of /graphql is 405, and an unknown path 404', async () => {
  const { internalUrl } = scene.gateway;
  const head = await fetch(`${internalUrl}/graphql`, { method: 'HEAD' });
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, POST']);
  for (const path of ['/graphql/files/other.js', '/graphql/', '/other'])
    expect((await fetch(`${internalUrl}${path}`)).status).toBe(404);
});

it.each([
  ['PUT /graphql', 405],
  ['GET /graphql', 401],
  ['GET /other', 404],
  ['GET /%zz', 400],
])('the request id in the body of %s is in the header, too', async (line, status) => {
  const { internalUrl } = scene.gateway;
  const response = await raw(internalUrl, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(response.status).toBe(status);
  expect(response.body.error.request_id).toMatch(/^req_/);
  expect(response.headers.get('x-request-id')).toBe(response.body.error.request_id);
});

it('a path with malformed percent-encoding is 400 malformed_request', async () => {
  const response = await raw(scene.gateway.internalUrl, 'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect([response.status, response.body.error.code]).toEqual([400, 'malformed_request']);
});

it('a failure of the metrics is 500 and emits a failure event', async () => {
  const error = new Error('a gauge cannot be read');
  const failures: FailureEvent[] = [];
  const events = createEvents();
  events.on('failure', (failure) => failures.push(failure));
  const listener = createInternalListener({
    ...{ gateway: { events } as Gateway, graphiql: false, database: scene.gateway.database },
    metrics: { contentType: 'text/plain', text: () => Promise.reject(error) },
    health: createHealth(
      async () => {},
      () => false,
    ),
    tools: () => Promise.reject(error),
  });
  try {
    const response = await listener.inject('/metrics');
    const { code, request_id: requestId } = response.json().error;
    expect([response.statusCode, code]).toEqual([500, 'internal_error']);
    expect(failures).toEqual([{ requestId, where: '/metrics', error }]);
  } finally {
    await listener.close();
  }
});

it.each([
  ['an unexpected error', 'internal_error', new Error('a resolver fails')],
  ['an unreachable database', 'service_unavailable', new Error('no connection')],
])('%s emits a failure event with the request id of the response', async (_, code, error) => {
  const failures: FailureEvent[] = [];
  const events = createEvents();
  events.on('failure', (failure) => failures.push(failure));
  const { database } = scene.gateway;
  const portal = await openPortal(database);
  const limiterState = () => {
    throw code === 'internal_error' ? error : new Refusal('service_unavailable', { cause: error });
  };
  const { schemas } = portal;
  const platform = { ...portal.platform, limiterState };
  const tools = createTools({
    ...{ schemas, platform, events, costLimit: 1_000 },
    findAdmission: openAdmissions(database),
  });
  const listener = createInternalListener({
    ...{ gateway: { events, traced: false, tellsTimes: false } as Gateway, graphiql: false, database },
    metrics: { contentType: 'text/plain', text: async () => '' },
    health: createHealth(
      async () => {},
      () => false,
    ),
    tools: async () => tools,
  });
  try {
    const port = await bind(listener, '127.0.0.1', 0);
    const answer = await graphql(`http://127.0.0.1:${port}`, await makeServiceToken(database, 'ops'), { query });
    expect(codesOf(answer)).toEqual([code]);
    expect(failures).toEqual([{ requestId: answer.headers.get('x-request-id'), where: 'graphql /graphql', error }]);
  } finally {
    await listener.close();
    portal.close();
  }
});

it.each(
  ['application/json', 'application/graphql-response+json'].flatMap((accept) => [
    ['in a URL', accept, 'GET', null] as const,
    ['in a form', accept, 'POST', 'application/x-www-form-urlencoded'] as const,
  ]),
)('variables %s that are not JSON are 400, with %s', async (_, accept, method, type) => {
  const { gateway, token } = scene;
  const text = new URLSearchParams({ query, variables: '{' });
  const headers = { Authorization: `Bearer ${token}`, Accept: accept };
  const response = await fetch(`${gateway.internalUrl}/graphql${type === null ? `?${text}` : ''}`, {
    method,
    ...(type === null ? { headers } : { headers: { ...headers, 'Content-Type': type }, body: text.toString() }),
  });
  const { errors } = await response.json();
  expect([response.status, errors[0].extensions.code]).toEqual([400, 'invalid_query']);
});

it.each([
  ['not JSON', '{'],
  ['not an object', '"{ limiterState }"'],
  ['no document', '{}'],
  ['a document that is not text', '{"query":1}'],
  ['variables that are not an object', '{"query":"{ limiterState }","variables":[7]}'],
])('a body that is not a GraphQL request is 400 in every media type: %s', async (_, body) => {
  const { gateway, token } = scene;
  for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
    const answer = await graphql(gateway.internalUrl, token, body, { headers: { Accept: accept } });
    expect([accept, answer.status, codesOf(answer)]).toEqual([accept, 400, ['invalid_query']]);
  }
  // A request with a malformed document is a request, by the specification of this media type.
  const answer = await graphql(gateway.internalUrl, token, { query: '{' });
  expect([answer.status, codesOf(answer)]).toEqual([200, ['invalid_query']]);
});

it.each([
  ['where it begins', (long: string) => long],
  ['within a selection', (long: string) => `{ limiterState: "${long}" }`],
  ['as a field', (long: string) => `{ ${long} }`],
  ['as a value', (long: string) => `{ grant(id: ${long}) { id } }`],
])('the errors of a long document are short: %s', async (_, document) => {
  const { gateway, token } = scene;
  const answer = await graphql(gateway.internalUrl, token, { query: document('x'.repeat(50_000)) });
  expect(codesOf(answer)).toContain('invalid_query');
  for (const { message } of answer.body.errors) expect(message.length).toBeLessThanOrEqual(501);
});

it('responses to tools have Cache-Control: no-store', async () => {
  const { gateway, token } = scene;
  const accepted = ['application/json', 'application/graphql-response+json'];
  for (const accept of accepted) {
    const answer = await graphql(gateway.internalUrl, token, { query }, { headers: { Accept: accept } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

it.each([
  ['none', null],
  ['text', 'text/plain'],
  ['a form with files', 'multipart/form-data; boundary=x'],
])('a body with an unsupported content type is 415: %s', async (_, type) => {
  const { gateway, token } = scene;
  const counted = async () =>
    sampleOf(await scrape(gateway.internalUrl), 'portico_refusals_total', {
      area: 'graphql',
      code: 'unsupported_media_type',
    }) ?? 0;
  const before = await counted();
  const response = await fetch(`${gateway.internalUrl}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, ...(type && { 'Content-Type': type }) },
    body: Buffer.from(JSON.stringify({ query })),
  });
  const { errors } = await response.json();
  expect([response.status, errors[0].extensions.code]).toEqual([415, 'unsupported_media_type']);
  expect(await counted()).toBe(before + 1);
});

it('a malformed content type is 415', async () => {
  const { internalUrl } = scene.gateway;
  const request =
    'POST /graphql HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ;\r\nContent-Length: 2\r\n\r\n{}';
  const response = await raw(internalUrl, request);
  expect([response.status, response.body.error.code]).toEqual([415, 'unsupported_media_type']);
});

it.each([
  ['with the older media type', 'application/json'],
  ['with the newer media type', 'application/graphql-response+json'],
])('a refusal in a response and a request as a key are counted, %s', async (_, accept) => {
  const { gateway, token, partner } = scene;
  const counted = async () => {
    const text = await scrape(gateway.internalUrl);
    return [
      sampleOf(text, 'portico_refusals_total', { area: 'graphql', code: 'asset_not_found' }) ?? 0,
      sampleOf(text, 'portico_tool_requests_total', { role: 'support', acting: 'true' }) ?? 0,
    ];
  };
  const [refusals = 0, acting = 0] = await counted();
  const asset = `{ asset(clientId: "${partner.client.id}", registryId: "none") { id } }`;
  const options = { actAs: partner.key.id, headers: { Accept: accept } };
  expect(codesOf(await graphql(gateway.internalUrl, token, { query: asset }, options))).toEqual(['asset_not_found']);
  expect(await counted()).toEqual([refusals + 1, acting + 1]);
});

it.each([
  ['with the older media type', 'application/json'],
  ['with the newer media type', 'application/graphql-response+json'],
])('a request that ends within its body is counted as malformed, %s', async (_, accept) => {
  const { gateway, token } = scene;
  const counted = async () => {
    const text = await scrape(gateway.internalUrl);
    const labels = { area: 'graphql', code: 'malformed_request' };
    const requests = { area: 'graphql', status: '400' };
    return [
      sampleOf(text, 'portico_refusals_total', labels),
      sampleOf(text, 'portico_request_duration_seconds_count', requests),
    ];
  };
  const [refusals = 0, requests = 0] = await counted();
  const socket = connect(Number(new URL(gateway.internalUrl).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query":',
  );
  socket.destroySoon();
  await expect.poll(counted).toEqual([refusals + 1, requests + 1]);
});

it('reading the acting key and its grant is part of the stage identify, as for the API', async () => {
  const { ask, partner } = scene;
  const answer = await ask({ query: `{ assets(clientId: "${partner.client.id}") { nodes { id } } }` });
  const stages = [...(answer.headers.get('server-timing') ?? '').matchAll(/(\w+);/g)].map(([, stage]) => stage);
  expect([codesOf(answer), stages]).toEqual([[], ['identify', 'execute', 'database']]);
});
