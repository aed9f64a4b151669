// The firms that may hold copies of a client's data, and when each last read it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { listHolders } from '#repositories/personal-data/client-traces.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

it('a firm last read when its own call was answered, not when it was refused or a tool read as its key', async () => {
  const { database } = gateway;
  const [client, firm] = [await makeClient(database), await makeFirm(database, { name: 'Holding Firm' })];
  const [key, unused] = [await makeKey(database, firm), await makeKey(database, firm)];
  const grant = await makeGrant(database, key, client);
  await makeGrant(database, unused, client);
  const now = Date.now();
  const call = (minutesAgo: number, of: Partial<AccessEvent> = {}): AccessEvent => ({
    ...{ requestId: newId('request'), at: new Date(now - minutesAgo * 60_000).toISOString() },
    ...{ firmId: firm.id, keyId: key.id, clientId: client.id, endpoint: 'GET /api/v1/assets', registryId: null },
    ...{ scopes: ALL_SCOPES, status: 200, errorCode: null },
    ...of,
  });
  const read = call(30);
  const refused = call(20, { status: 400, errorCode: 'invalid_parameter' });
  const byTool = call(10, { toolRole: 'support', toolId: newId('service_token') });
  await saveCalls(database, [call(40), read, refused, byTool]);
  await revokeGrant(database, grant.id, { kind: 'client', id: client.id });
  const names = { firmId: firm.id, firmName: 'Holding Firm' };
  const holders = await listHolders(database, client.id);
  expect(holders.sort((one, other) => Number(one.active) - Number(other.active))).toEqual([
    { ...names, keyName: key.name, lastReadAt: read.at, active: false },
    { ...names, keyName: unused.name, lastReadAt: null, active: true },
  ]);
});
