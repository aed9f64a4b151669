// Guarantee: a client sees every call about them, of every firm and with every outcome, and can filter them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_COUNTED_CALLS } from '#core/counted-calls.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeScene, recorded, type Scene } from '#test/support/portal-scene.ts';
import { call, makeGrant, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let scene: Scene;
beforeAll(async () => {
  gateway = await startGateway();
  scene = await makeScene(gateway);
  const { client, item, key } = scene.here;
  const who = `client_id=${client.id}`;
  await call(`${gateway.url}/api/v1/assets/${item.registryId}?${who}`, key.secret);
  await call(`${gateway.url}/api/v1/assets?${who}&page=0`, key.secret);
  await call(`${gateway.url}/api/v1/assets?${who}`, scene.there.key.secret);
  await recorded(gateway, 4, client.id);
});
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

type Line = { requestId: string; outcome: string; at: string };

describe('the access record', () => {
  it('names firm, key, item and outcome of each call', async () => {
    const { asClient, item } = scene.here;
    const { nodes } = await asClient(QUERIES.accessRecord, {});
    expect(nodes.map(({ outcome }: Line) => outcome)).toEqual(['refused', 'refused', 'allowed', 'allowed']);
    expect(nodes[0]).toMatchObject({ firmName: 'There Firm', errorCode: 'no_active_grant', scopes: [] });
    expect(nodes[1]).toMatchObject({
      errorCode: 'invalid_parameter',
      errorMessage: 'A parameter has an invalid value.',
    });
    expect(nodes[2]).toMatchObject({ registryId: item.registryId, itemTitle: 'Here watch', keyName: 'Key' });
    expect(nodes[2].scopes).toContain('registry');
  });

  it.each([
    ['firm', () => ({ firmId: scene.there.firm.id }), 1],
    ['key', () => ({ keyId: scene.here.key.id }), 3],
    ['firm and the key of another firm', () => ({ keyId: scene.here.key.id, firmId: scene.there.firm.id }), 0],
    ['outcome', () => ({ outcome: 'refused' }), 2],
    ['outcome and firm', () => ({ outcome: 'refused', firmId: scene.here.firm.id }), 1],
    ['allowed by a key', () => ({ outcome: 'allowed', keyId: scene.here.key.id }), 2],
    ['limited', () => ({ outcome: 'limited' }), 0],
    ['endpoint', () => ({ endpoint: 'GET /api/v1/assets' }), 3],
    ['item, also as part of a list', () => ({ registryId: scene.here.item.registryId }), 2],
    ['since', () => ({ since: new Date(Date.now() + 60_000).toISOString() }), 0],
    ['until', () => ({ until: new Date(Date.now() + 60_000).toISOString() }), 4],
    ['since the last instant', () => ({ since: '9999-12-31T23:59:59.999Z' }), 0],
    ['until the last instant', () => ({ until: '9999-12-31T23:59:59.999Z' }), 4],
    ['since the first instant', () => ({ since: '0001-01-01T00:00:00.000Z' }), 4],
    ['until the first instant', () => ({ until: '0001-01-01T00:00:00.000Z' }), 0],
  ])('is filtered by %s', async (_what, variables, lines) => {
    expect((await scene.here.asClient(QUERIES.accessRecord, variables())).nodes.length).toBe(lines);
  });

  it('accepts the last request id and the last instant, as the firm’s list of calls does', async () => {
    const { asClient, asMember } = scene.here;
    const requestId = 'req_7ZZZZZZZZZZZZZZZZZZZZZZZZZ';
    const byId = 'query ($requestId: ID) { body: accessRecord(requestId: $requestId) { nodes { requestId } } }';
    expect(await asClient(byId, { requestId })).toEqual({ nodes: [] });
    expect((await asMember(QUERIES.calls, { requestId })).nodes).toEqual([]);
    const { nodes } = await asMember(QUERIES.calls, {});
    expect((await asMember(QUERIES.calls, { until: '9999-12-31T23:59:59.999Z' })).nodes).toEqual(nodes);
    expect(nodes).not.toEqual([]);
  });

  it('is paged with each call once, while new calls are recorded', async () => {
    const { asClient, key, client } = scene.here;
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { nodes, nextCursor } = await asClient(QUERIES.accessRecord, { first: 1, after });
      seen.push(...nodes.map(({ requestId }: Line) => requestId));
      after = nextCursor;
      if (seen.length === 1) {
        await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
        await recorded(gateway, 5, client.id);
      }
    }
    const all = (await asClient(QUERIES.accessRecord, {})).nodes.map(({ requestId }: Line) => requestId);
    expect(seen).toEqual(all.slice(1));
  });

  it('lists the firms and keys that are in it', async () => {
    const { here, there } = scene;
    expect(await here.asClient(QUERIES.accessRecordParties)).toEqual([
      { firmId: here.firm.id, firmName: 'Here Firm', keyId: here.key.id, keyName: 'Key' },
      { firmId: there.firm.id, firmName: 'There Firm', keyId: there.key.id, keyName: 'Key' },
    ]);
  });

  it('includes the whole lineage of a key by which it is filtered', async () => {
    const { asMember, asClient, key, client } = scene.here;
    const lines = async () => (await asClient(QUERIES.accessRecord, { keyId: key.id })).nodes.length;
    const before = await lines();
    const { key: successor, secret } = await asMember(MUTATIONS.rotateKey, { id: key.id });
    await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, secret);
    await recorded(gateway, 6, client.id);
    expect(await lines()).toBe(before + 1);
    expect((await asClient(QUERIES.accessRecord, { keyId: successor.id })).nodes.length).toBe(before + 1);
    // So the keys of the lineage are one choice, as long as they have one name.
    const parties = await asClient(QUERIES.accessRecordParties);
    expect(parties.map(({ keyId }: { keyId: string }) => keyId)).toEqual([successor.id, scene.there.key.id]);
  });
});

describe('the use of a grant', () => {
  it('is shown as the time of the last answered call and the number of calls', async () => {
    const { asClient, asMember, client, firm } = scene.there;
    const { secret, ...key } = await makeKey(gateway.database, firm, { scopes: 1 });
    const { id } = await makeGrant(gateway.database, { ...key, id: key.id }, client);
    expect(await asClient(QUERIES.grant, { id })).toMatchObject({ lastSeenAt: null, calls30Days: 0 });
    const lines = (await asClient(QUERIES.accessRecord, {})).nodes.length;
    for (const more of ['', '&page=0', ''])
      await call(`${gateway.url}/api/v1/assets?client_id=${client.id}${more}`, secret);
    await recorded(gateway, lines + 3, client.id);
    const [last] = (await asClient(QUERIES.accessRecord, { outcome: 'allowed', first: 1 })).nodes;
    for (const ask of [asClient, asMember])
      expect(await ask(QUERIES.grant, { id })).toMatchObject({ lastSeenAt: last.at, calls30Days: 3 });

    // Calls after its end are those of no grant, or of the next one.
    await revokeGrant(gateway.database, id, { kind: 'client', id: client.id });
    await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, secret);
    const next = await makeGrant(gateway.database, { ...key, id: key.id }, client);
    await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, secret);
    await recorded(gateway, lines + 5, client.id);
    for (const ask of [asClient, asMember]) {
      expect(await ask(QUERIES.grant, { id })).toMatchObject({ lastSeenAt: last.at, calls30Days: 3 });
      expect(await ask(QUERIES.grant, { id: next.id })).toMatchObject({ calls30Days: 1 });
    }

    // Of a busy key, not all are counted.
    await gateway.database.query({
      text: `insert into access_calls (at, id, key, pair, shape, status, related)
        select r.at, gen_random_uuid(), r.key, r.pair, r.shape, r.status, r.related
        from (select r.* from access_pairs p join access_calls r on r.pair = p.number where p.key_id = $1
          order by r.at desc limit 1) r cross join generate_series(1, $2)`,
      values: [key.id, MAX_COUNTED_CALLS + 5],
    });
    for (const ask of [asClient, asMember])
      expect(await ask(QUERIES.grant, { id: next.id })).toMatchObject({ calls30Days: MAX_COUNTED_CALLS + 1 });
  });
});
