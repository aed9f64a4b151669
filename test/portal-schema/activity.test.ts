// Guarantee: a firm sees its calls, counted and one by one, with what went wrong, and none that would tell of a stranger.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeScene, recorded, type Scene } from '#test/support/portal-scene.ts';
import { call, makeClient } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let scene: Scene;
let asked: { status: number; requestId: string; path: string }[];

/** Calls of the firm's key: answered, refused for the parameters, for the asset, and for the limit. */
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
  asked = [];
  for (const path of paths) {
    const { status, headers } = await call(gateway.url + path, key.secret);
    asked.push({ status, requestId: headers.get('x-request-id') ?? '', path });
  }
  await recorded(gateway, 1 + paths.length, client.id);
  expect((await asMember(QUERIES.keys)).length).toBe(2);
});
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

describe('activity', () => {
  it('counts by day, status, endpoint, key and error, all of them the same calls', async () => {
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
});

describe('calls', () => {
  it('come newest first with request id, status and a plain word on what went wrong', async () => {
    const { nodes, nextCursor } = await scene.here.asMember(QUERIES.calls, {});
    expect(nextCursor).toBeNull();
    expect(nodes.slice(0, 6).map(({ requestId, status }: Node) => ({ requestId, status }))).toEqual(
      asked.map(({ requestId, status }) => ({ requestId, status })).reverse(),
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
    ['request id', () => ({ requestId: asked[2]?.requestId }), 1],
    ['an id that there is not', () => ({ requestId: newId('request') }), 0],
    ['the past', () => ({ until: '2020-01-01T00:00:00.000Z' }), 0],
    ['since then', () => ({ since: '2020-01-01T00:00:00.000Z' }), 7],
  ])('are found by %s', async (_what, variables, found) => {
    expect((await scene.here.asMember(QUERIES.calls, variables())).nodes.length).toBe(found);
  });

  it('are walked page by page, each once', async () => {
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

describe('a call about a client whom the firm has nothing to do with', () => {
  it('leaves the firm no trace, be there such a client or not; the client sees it', async () => {
    const { asMember, key } = scene.here;
    const stranger = await makeClient(gateway.database);
    const before = await Promise.all([asMember(QUERIES.calls, {}), asMember(QUERIES.activity, {})]);
    for (const id of [stranger.id, newId('user')])
      expect((await call(`${gateway.url}/api/v1/assets?client_id=${id}`, key.secret)).status).toBe(403);
    await recorded(gateway, 1, stranger.id);
    expect(await Promise.all([asMember(QUERIES.calls, {}), asMember(QUERIES.activity, {})])).toEqual(before);
    expect((await asMember(QUERIES.key, { id: key.id })).traffic.last24Hours).toBe(7);
    const { nodes } = await scene.portal.as(stranger.id)(QUERIES.accessRecord, {});
    expect(nodes).toMatchObject([{ outcome: 'refused', errorCode: 'no_active_grant', firmName: 'Here Firm' }]);
  });

  it('is shown from the moment that the client approves, and not because the firm has asked', async () => {
    const { asMember, key } = scene.here;
    const client = await makeClient(gateway.database);
    const wish = { keyId: key.id, client: client.id, scopes: ['registry'], filter: { type: 'all' } };
    const { id } = await asMember(MUTATIONS.requestGrant, wish);
    const read = () => call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    await read();
    await recorded(gateway, 1, client.id);
    expect(JSON.stringify(await asMember(QUERIES.calls))).not.toContain(client.id);
    await scene.portal.as(client.id)(MUTATIONS.approveGrant, { id });
    await read();
    await recorded(gateway, 2, client.id);
    expect((await asMember(QUERIES.calls, { first: 1 })).nodes).toMatchObject([{ clientId: client.id, status: 200 }]);
  });
});

interface Node {
  requestId: string;
  status: number;
}
