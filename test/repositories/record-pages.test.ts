// Walking the pages of the access record, of any size, returns each call once, newest first.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { tallyCalls } from '#repositories/access-record/activity.ts';
import { type AccessEntry, listAccess, listCalls } from '#repositories/access-record/pages.ts';
import { removeMemberInTransaction } from '#repositories/firms/members.ts';
import type { Walk } from '#repositories/walk.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';

const DAY_MS = 86_400_000;
/** Beyond the first span of time that a page searches. */
const OLDEST_DAYS = 420;
const ALL_CALLS = { keyId: null, outcome: null, endpoint: null, since: null, until: null };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Ages in milliseconds: today, any day, equal instants, and the future, because the clocks of gateways differ. */
const ages = fc.array(
  fc.tuple(
    fc.oneof(
      fc.integer({ min: -60_000, max: DAY_MS }),
      fc.integer({ min: 0, max: OLDEST_DAYS * DAY_MS }),
      fc.constantFrom(DAY_MS, 3 * DAY_MS, 40 * DAY_MS),
    ),
    fc.nat({ max: 3 }),
  ),
  { minLength: 1, maxLength: 60 },
);

async function walk(read: (walk: Walk) => Promise<AccessEntry[]>, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string[] | null = null; ; ) {
    const rows = await read({ size, after });
    const last = rows[size - 1];
    ids.push(...rows.slice(0, size).map(({ requestId }) => requestId));
    if (rows.length <= size || last === undefined) return ids;
    after = [last.at, last.requestId];
  }
}

it('the calls of a client, of an item and of a firm are returned once each, newest first', async () => {
  const { database } = gateway;
  const property = fc.asyncProperty(ages, fc.integer({ min: 1, max: 30 }), async (made, size) => {
    const client = await makeClient(database);
    const { registryId } = await makeItem(database, client);
    const firm = await makeFirm(database);
    const member = await makeMember(gateway, firm);
    const keys = [await makeKey(database, firm), await makeKey(database, firm), await makeKey(database, firm)];
    for (const key of keys) await makeGrant(database, key, client);
    const now = Date.now();
    const events = made.map(([age, kind]): AccessEvent => {
      const at = now - age;
      return {
        ...{ requestId: newId('request', at), at: new Date(at).toISOString(), firmId: firm.id, clientId: client.id },
        ...{ keyId: keys[kind % 3]?.id ?? '', endpoint: 'GET /api/v1/assets/{registry_id}', registryId },
        ...{ scopes: ALL_SCOPES, status: kind === 3 ? 403 : 200, errorCode: kind === 3 ? 'no_active_grant' : null },
      };
    });
    await saveCalls(database, events);
    const inOrder = events
      .toSorted((one, other) => (`${one.at}${one.requestId}` < `${other.at}${other.requestId}` ? 1 : -1))
      .map(({ requestId }) => requestId);
    const ofClient = { ...ALL_CALLS, firmId: null, requestId: null };
    const ofFirm = { ...ALL_CALLS, request: null, status: null, errorCode: null };
    const read = (item: string | null) => (page: Walk) =>
      listAccess(database, client.id, { ...ofClient, registryId: item }, page);
    expect(await walk(read(null), size)).toEqual(inOrder);
    expect(await walk(read(registryId), size)).toEqual(inOrder);
    expect(await walk((page) => listCalls(database, member.id, ofFirm, page), size)).toEqual(inOrder);
    const [{ at: since = '' } = {}] = events;
    const newer = await walk(
      (page) => listAccess(database, client.id, { ...ofClient, registryId: null, since }, page),
      size,
    );
    const older = await walk(
      (page) => listAccess(database, client.id, { ...ofClient, registryId: null, until: since }, page),
      size,
    );
    expect([...newer, ...older]).toEqual(inOrder);
    const matching = (matches: (event: AccessEvent) => boolean) => {
      const found = new Set(events.filter(matches).map(({ requestId }) => requestId));
      return inOrder.filter((requestId) => found.has(requestId));
    };
    const [first] = events;
    const filters: [object, (event: AccessEvent) => boolean][] = [
      [{ outcome: 'ok' }, ({ status }) => status === 200],
      [{ outcome: 'refused' }, ({ status }) => status === 403],
      [{ outcome: 'failed' }, () => false],
      [{ status: 200, keyId: first?.keyId }, (event) => event.status === 200 && event.keyId === first?.keyId],
      [{ errorCode: 'no_active_grant', since }, ({ status, at }) => status === 403 && at >= since],
      [{ endpoint: first?.endpoint, until: since }, ({ at }) => at < since],
    ];
    const walkFirm = (filter: object) =>
      walk((page) => listCalls(database, member.id, { ...ofFirm, ...filter }, page), size);
    for (const [filter, matches] of filters)
      expect(await walkFirm(filter), JSON.stringify(filter)).toEqual(matching(matches));
    // Like those of a month that was dropped: they still count.
    await database.query({
      text: `delete from access_calls r using access_pairs p where p.number = r.pair and p.client_id = $1 and r.at > $2`,
      values: [client.id, since],
    });
    for (const [filter, matches] of filters)
      expect(await walkFirm(filter)).toEqual(matching((event) => matches(event) && event.at <= since));
  });
  await fc.assert(property, { numRuns: 25 });
});

it('a member who was removed reads no calls of the firm', async () => {
  const { database } = gateway;
  const firm = await makeFirm(database);
  const [member, key, client] = [
    await makeMember(gateway, firm),
    await makeKey(database, firm),
    await makeClient(database),
  ];
  await makeGrant(database, key, client);
  const at = Date.now();
  await saveCalls(database, [
    {
      ...{ requestId: newId('request', at), at: new Date(at).toISOString(), firmId: firm.id, clientId: client.id },
      ...{ keyId: key.id, endpoint: 'GET /api/v1/assets', registryId: null },
      ...{ scopes: ALL_SCOPES, status: 200, errorCode: null },
    },
  ]);
  const query = { ...ALL_CALLS, request: null, status: null, errorCode: null };
  const read = async () => [
    (await listCalls(database, member.id, query, { size: 5, after: null })).length,
    (await tallyCalls(database, member.id, { keyId: null, days: 2, zone: 'UTC', now: Date.now() })).length > 0,
  ];
  expect(await read()).toEqual([1, true]);
  const operator = { kind: 'operator', id: 'test' } as const;
  await removeMemberInTransaction(database, firm.id, member.id, operator, { unadministered: true });
  expect(await read()).toEqual([0, false]);
});
