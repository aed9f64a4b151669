// Guarantee: a firm sees its calls, counted and listed, with what went wrong, and they reveal no client to it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { LISTED_PER_MINUTE } from '#observability/refusal-bounds.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeMember, makeScene, recorded, type Scene } from '#test/support/portal-scene.ts';
import { type CallOptions, call, insert, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { operator } from '../repositories/parties.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let scene: Scene;
let sent: { status: number; requestId: string; path: string }[];

/** Calls of the firm's key: answered, refused for a parameter, and refused for an unknown asset. */
beforeAll(async () => {
  gateway = await startGateway();
  scene = await makeScene(gateway);
  const { key, client, item, asMember } = scene.here;
  const who = `client_id=${client.id}`;
  const unknown = item.registryId.slice(0, -1) + (item.registryId.endsWith('X') ? 'Y' : 'X');
  const paths = [
    `/api/v1/assets?${who}`,
    `/api/v1/assets/${item.registryId}?${who}`,
    `/api/v1/assets/${item.registryId}/documents?${who}`,
    `/api/v1/assets?${who}&page=0`,
    `/api/v1/assets/${unknown}?${who}`,
    `/api/v1/portfolio/summary?${who}`,
  ];
  sent = [];
  for (const path of paths) {
    const { status, headers } = await call(gateway.url + path, key.secret);
    sent.push({ status, requestId: headers.get('x-request-id') ?? '', path });
  }
  await recorded(gateway, 1 + paths.length, client.id);
  expect((await asMember(QUERIES.keys)).length).toBe(2);
});
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

describe('activity', () => {
  it('counts the same calls by day, status, endpoint, key and error', async () => {
    const { asMember, key } = scene.here;
    const activity = await asMember(QUERIES.activity, { days: 7 });
    expect(activity.total).toEqual({ requests: 7, ok: 5, refused: 2, limited: 0, failed: 0 });
    expect(activity.days.length).toBe(7);
    expect(activity.days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), ...activity.total });
    expect(activity.days[0].requests).toBe(0);
    expect(activity.byStatus).toEqual([
      { status: 200, requests: 5 },
      { status: 400, requests: 1 },
      { status: 404, requests: 1 },
    ]);
    expect(activity.byKey).toMatchObject([{ keyId: key.id, name: 'Key', environment: 'production', requests: 7 }]);
    expect(activity.byEndpoint[0]).toMatchObject({ endpoint: 'GET /api/v1/assets', requests: 3, refused: 1 });
    expect(activity.byError).toHaveLength(2);
    expect(activity.byError).toContainEqual({
      ...{ code: 'asset_not_found', status: 404, requests: 1 },
      message: 'The client has no asset with this registry id.',
    });
    const { traffic } = await asMember(QUERIES.key, { id: key.id });
    expect(traffic).toMatchObject({ last24Hours: 7, last7Days: 7 });
    expect((await asMember(QUERIES.activity, { keyId: scene.here.otherKey.id })).total.requests).toBe(0);
    for (const days of [0, 91]) expect(await codeOf(asMember(QUERIES.activity, { days }))).toBe('invalid_parameter');
  });

  it('counts more calls than 32 bits hold', async () => {
    const firm = await makeFirm(gateway.database);
    const member = await makeMember(gateway, firm);
    const key = await makeKey(gateway.database, firm);
    const most = 2 ** 31 - 1;
    const day = new Date().toISOString().slice(0, 10);
    const row = { firm_id: firm.id, key_id: key.id, day, endpoint: 'GET /api/v1/assets', error_code: '', calls: most };
    for (const status of [200, 304, 404])
      await insert(gateway.database, 'access_days', { ...row, status, unlisted: status === 404 ? most : 0 });
    const { total, unlisted, byEndpoint } = await scene.portal.as(member.id)(QUERIES.activity, { days: 7 });
    expect(total).toEqual({ requests: 3 * most, ok: 2 * most, refused: most, limited: 0, failed: 0 });
    expect([unlisted, byEndpoint[0].requests]).toEqual([most, 3 * most]);
    const { use, traffic } = await scene.portal.as(member.id)(QUERIES.key, { id: key.id });
    expect(use.counts[0].requests).toBe(3 * most);
    expect(traffic).toEqual({ last24Hours: 3 * most, last7Days: 3 * most, lastCallAt: null });
  });

  it('counts the calls of a key by days, to a quarter of an hour, and reads none of them', async () => {
    const { database } = gateway;
    const firm = await makeFirm(database);
    const member = await makeMember(gateway, firm);
    const key = await makeKey(database, firm);
    const now = new Date();
    const dayAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
    const row = { firm_id: firm.id, key_id: key.id, endpoint: 'GET /api/v1/assets', status: 200, error_code: '' };
    // One call in each quarter of an hour.
    for (const days of [0, 1, 6, 7, 8]) {
      await insert(database, 'access_days', { ...row, day: dayAgo(days), calls: 96, quarters: Array(96).fill(1) });
      await database.query({
        text: 'update access_days set quarters = array_fill(1, array[96]) where key_id = $1',
        values: [key.id],
      });
    }
    const expected = () => {
      const elapsed = Math.floor((Date.now() % 86_400_000) / 900_000);
      return [2 * 96 - elapsed, 4 * 96 - elapsed];
    };
    const before = expected();
    const { traffic } = await scene.portal.as(member.id)(QUERIES.key, { id: key.id });
    expect([before, expected()]).toContainEqual([traffic.last24Hours, traffic.last7Days]);
  });
});

describe('calls', () => {
  it('are listed newest first, with request id, status and a message on what went wrong', async () => {
    const { nodes, nextCursor } = await scene.here.asMember(QUERIES.calls, {});
    expect(nextCursor).toBeNull();
    expect(nodes.slice(0, 6).map(({ requestId, status }: Node) => ({ requestId, status }))).toEqual(
      sent.map(({ requestId, status }) => ({ requestId, status })).reverse(),
    );
    expect(nodes[1]).toMatchObject({
      ...{ outcome: 'refused', errorCode: 'asset_not_found', clientId: scene.here.client.id },
      errorMessage: 'The client has no asset with this registry id.',
      endpoint: 'GET /api/v1/assets/{registry_id}',
    });
    expect(nodes[0]).toMatchObject({ outcome: 'ok', errorCode: null, errorMessage: null });
  });

  it.each([
    ['key', () => ({ keyId: scene.here.key.id }), 7],
    ['another key', () => ({ keyId: scene.here.otherKey.id }), 0],
    ['outcome', () => ({ outcome: 'refused' }), 2],
    ['outcome and key', () => ({ outcome: 'ok', keyId: scene.here.key.id }), 5],
    ['endpoint', () => ({ endpoint: 'GET /api/v1/assets' }), 3],
    ['request id', () => ({ requestId: sent[2]?.requestId }), 1],
    ['an unknown request id', () => ({ requestId: newId('request') }), 0],
    ['until, in the past', () => ({ until: '2020-01-01T00:00:00.000Z' }), 0],
    ['since, in the past', () => ({ since: '2020-01-01T00:00:00.000Z' }), 7],
  ])('are found by %s', async (_what, variables, found) => {
    expect((await scene.here.asMember(QUERIES.calls, variables())).nodes.length).toBe(found);
  });

  it('are not searched for the end of a request id, or for an unknown one, if there are very many', async () => {
    const firm = await makeFirm(gateway.database);
    const [key, otherKey] = [await makeKey(gateway.database, firm), await makeKey(gateway.database, firm)];
    const member = await makeMember(gateway, firm);
    const { headers } = await call(`${gateway.url}/api/v1/assets?client_id=${newId('user')}`, key.secret);
    const requestId = headers.get('x-request-id') ?? '';
    const find = (variables: Record<string, unknown>) => scene.portal.as(member.id)(QUERIES.calls, variables);
    await expect.poll(async () => (await find({})).nodes.length).toBe(1);
    const row = { firm_id: firm.id, key_id: key.id, day: '2026-01-15', endpoint: 'GET /api/v1/assets', error_code: '' };
    await insert(gateway.database, 'access_days', { ...row, status: 200, calls: 300_000 });
    const [end, unknown] = [requestId.slice(-8), newId('request')];
    for (const searched of [end, unknown])
      expect(await codeOf(find({ requestId: searched }))).toBe('invalid_parameter');
    expect((await find({ requestId })).nodes).toMatchObject([{ requestId }]);
    expect((await find({ requestId: end, since: '2026-01-16T00:00:00.000Z' })).nodes).toMatchObject([{ requestId }]);
    expect((await find({ requestId: unknown, keyId: otherKey.id })).nodes).toEqual([]);
  });

  it('are paged with each call once', async () => {
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { nodes, nextCursor } = await scene.here.asMember(QUERIES.calls, { first: 2, after });
      seen.push(...nodes.map(({ requestId }: Node) => requestId));
      after = nextCursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    expect(seen).toEqual((await scene.here.asMember(QUERIES.calls, {})).nodes.map(({ requestId }: Node) => requestId));
    for (const first of [0, 1001])
      expect(await codeOf(scene.here.asMember(QUERIES.calls, { first }))).toBe('invalid_parameter');
    expect(await codeOf(scene.here.asMember(QUERIES.calls, { outcome: 'odd' }))).toBe('invalid_parameter');
  });
});

describe('a call about a client who has not granted the firm access', () => {
  it('looks the same to the firm whether or not the client exists; the client sees it', async () => {
    const { asMember, key } = scene.here;
    const existing = await makeClient(gateway.database);
    const unknown = newId('user');
    const before = (await asMember(QUERIES.activity, {})).total.requests;
    const requests: string[] = [];
    for (const id of [existing.id, unknown])
      for (const path of ['/assets', '/assets?page=0', '/portfolio/summary']) {
        const url = `${gateway.url}/api/v1${path}${path.includes('?') ? '&' : '?'}client_id=${id}`;
        requests.push((await call(url, key.secret)).headers.get('x-request-id') ?? '');
      }
    await listed(before + 6);
    const { nodes } = await asMember(QUERIES.calls, {});
    const shown = (id: string) =>
      (nodes as (Node & Record<string, unknown>)[])
        .filter(({ clientId }) => clientId === id)
        .map(({ requestId: _requestId, at: _at, tookMs: _tookMs, clientId: _clientId, ...rest }) => rest);
    expect(shown(existing.id)).toHaveLength(3);
    expect(shown(existing.id)).toEqual(shown(unknown));
    expect(nodes.slice(0, 6).map(({ requestId }: Node) => requestId)).toEqual(requests.reverse());
    const record = await scene.portal.as(existing.id)(QUERIES.accessRecord, {});
    expect(record.nodes).toHaveLength(3);
    expect(record.nodes).toMatchObject(
      ['no_active_grant', 'invalid_parameter', 'no_active_grant'].map((errorCode) => ({
        ...{ outcome: 'refused', errorCode, firmName: 'Here Firm' },
      })),
    );
  });

  it('does not reveal whether the firm’s request for access reached a client', async () => {
    const { asMember, key } = scene.here;
    const client = await makeClient(gateway.database);
    const wish = { keyId: key.id, client: client.id, scopes: ['registry'], filter: { type: 'all' } };
    const { id } = await asMember(MUTATIONS.requestGrant, wish);
    const before = (await asMember(QUERIES.activity, {})).total.requests;
    const read = () => call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    await read();
    await listed(before + 1);
    const latest = async () => (await asMember(QUERIES.calls, { first: 1 })).nodes;
    expect(await latest()).toMatchObject([{ clientId: client.id, errorCode: 'no_active_grant', scopes: [] }]);
    await scene.portal.as(client.id)(MUTATIONS.approveGrant, { id });
    await read();
    await listed(before + 2);
    expect(await latest()).toMatchObject([{ clientId: client.id, status: 200, scopes: ['registry'] }]);
  });

  it('is counted but not listed beyond the bound, whether or not a client exists whom the firm asked for access', async () => {
    const { asMember, firm } = scene.here;
    const clients = [(await makeClient(gateway.database)).id, newId('user')];
    const seen = [];
    for (const client of clients) {
      const { id, secret } = await makeKey(gateway.database, firm);
      await asMember(MUTATIONS.requestGrant, { keyId: id, client, scopes: ['registry'], filter: { type: 'all' } });
      const before = (await asMember(QUERIES.activity, {})).total.requests;
      for (let nth = 0; nth < LISTED_PER_MINUTE * 2 + 5; nth++)
        await call(`${gateway.url}/api/v1/assets?client_id=${client}`, secret);
      await listed(before + LISTED_PER_MINUTE * 2 + 5);
      const activity = await asMember(QUERIES.activity, { keyId: id });
      const { nodes } = await asMember(QUERIES.calls, { keyId: id, first: 1_000 });
      expect(nodes.length + activity.unlisted).toBe(LISTED_PER_MINUTE * 2 + 5);
      // Some calls may fall into the next minute.
      expect(nodes.length).toBeGreaterThanOrEqual(LISTED_PER_MINUTE);
      expect(activity.unlisted).toBeGreaterThan(0);
      seen.push(activity.total);
    }
    expect(seen[0]).toEqual(seen[1]);
    const [{ count } = { count: 0 }] = await gateway.database.query<{ count: number }>({
      text: 'select count(*) from recorded_calls where client_id = $1',
      values: [clients[0]],
    });
    expect(count).toBe(LISTED_PER_MINUTE * 2 + 5);
  });
});

describe('a refused call', () => {
  const ended = async (secret: string, path: string, init: CallOptions = {}) => {
    const { asMember } = scene.here;
    const before = (await asMember(QUERIES.activity, {})).total.requests;
    const answer = await call(gateway.url + path, secret, init);
    await listed(before + 1);
    const { nodes } = await asMember(QUERIES.calls, { requestId: answer.headers.get('x-request-id') });
    expect(nodes).toHaveLength(1);
    return nodes[0];
  };

  it('is listed with the reason, the caller’s program and its address', async () => {
    const { key, client } = scene.here;
    const headers = { 'User-Agent': 'integration/7.1' };
    expect(await ended(key.secret, `/api/v1/assets?client_id=${client.id}&pagesize=3`, { headers })).toMatchObject({
      ...{ status: 400, errorCode: 'unknown_parameter', param: 'pagesize', clientId: client.id },
      ...{ errorMessage: 'The parameter "pagesize" is not known.', userAgent: 'integration/7.1' },
      ...{ address: '127.0.0.1', tookMs: expect.any(Number), path: null },
    });
  });

  it.each([
    ['a supported one', '2026-01-15', '2026-01-15', 'unknown_parameter'],
    ['an unsupported one', '2025-01-01', null, 'unsupported_version'],
    ['none', null, null, 'missing_version'],
  ])('is listed with its version, if supported: %s', async (_which, version, listedVersion, errorCode) => {
    const { key, client } = scene.here;
    const path = `/api/v1/assets?client_id=${client.id}&pagesize=3`;
    expect(await ended(key.secret, path, { version })).toMatchObject({ version: listedVersion, errorCode });
  });

  it('is listed without a client if it names none or an invalid one', async () => {
    expect(await ended(scene.here.key.secret, '/api/v1/assets')).toMatchObject({
      ...{ endpoint: 'GET /api/v1/assets', errorCode: 'missing_parameter', param: 'client_id', clientId: null },
    });
    expect(await ended(scene.here.key.secret, '/api/v1/assets?client_id=%00%ff')).toMatchObject({ clientId: null });
  });

  it('is listed with its path if there is no such route', async () => {
    expect(await ended(scene.here.key.secret, '/api/v1/asets?client_id=secret')).toMatchObject({
      ...{ endpoint: 'GET *', path: '/api/v1/asets', status: 404, errorCode: 'route_not_found' },
    });
    expect(await ended(scene.here.key.secret, '/api/v1/assets', { method: 'DELETE' })).toMatchObject({
      ...{ endpoint: 'DELETE *', path: '/api/v1/assets', status: 405, errorCode: 'method_not_allowed' },
    });
  });

  it('is listed for a revoked key, to its own firm alone', async () => {
    const { firm } = scene.here;
    const { id, secret } = await makeKey(gateway.database, firm);
    await revokeKey(gateway.database, id, operator);
    expect(await ended(secret, '/api/v1/assets')).toMatchObject({
      keyId: id,
      status: 401,
      errorCode: 'invalid_api_key',
    });
    expect(
      (await scene.there.asMember(QUERIES.calls, {})).nodes.map(({ keyId }: { keyId: string }) => keyId),
    ).not.toContain(id);
  });

  it('is counted by day with an unknown or malformed key, and listed for no firm', async () => {
    const unauthenticated = () =>
      gateway.database.query({
        text: "select sum(calls)::int as calls from stranger_days where error_code = 'invalid_api_key'",
      });
    const total = async () => (await scene.here.asMember(QUERIES.activity, {})).total.requests;
    const listedBefore = await total();
    const [{ calls: before } = { calls: 0 }] = await unauthenticated();
    const unknown = scene.here.key.secret.slice(0, -1) + (scene.here.key.secret.endsWith('a') ? 'b' : 'a');
    for (const secret of [unknown, 'nothing like a key']) await call(`${gateway.url}/api/v1/assets`, secret);
    await expect.poll(async () => (await unauthenticated())[0]?.calls).toBe((before ?? 0) + 2);
    expect(await total()).toBe(listedBefore);
  });

  it('is found by its status; an impossible status is refused', async () => {
    const { asMember } = scene.here;
    const { nodes } = await asMember(QUERIES.calls, { status: 405 });
    expect(nodes.map(({ status }: Node) => status)).toEqual([405]);
    expect((await asMember(QUERIES.calls, { status: 200 })).nodes.every(({ status }: Node) => status === 200)).toBe(
      true,
    );
    expect(await codeOf(asMember(QUERIES.calls, { status: 99 }))).toBe('invalid_parameter');
  });
});

/** Waits until the firm's calls are saved. */
async function listed(requests: number): Promise<void> {
  await expect.poll(async () => (await scene.here.asMember(QUERIES.activity, {})).total.requests).toBe(requests);
}

interface Node {
  requestId: string;
  status: number;
}
