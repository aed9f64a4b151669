// Guarantee: a download ends with the session and the role with which it began.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import type { User } from '#repositories/users.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import type { Browser } from './browser.ts';
import { makeMember, makeOwner, signedIn } from './people.ts';

/** With them a file is larger than what buffers between the gateway and a client that does not read can hold. */
const ROWS = 30_000;
/** With their proofs they are as much. */
const ENTRIES = 10_000;

let gateway: TestGateway;
let firm: Firm;
let owner: User;
let member: User;

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  firm = await makeFirm(database);
  owner = await makeOwner(database);
  member = await makeMember(database, firm);
  const key = await makeKey(database, firm);
  await makeGrant(database, key, owner);
  await database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - n * interval '1 second', $1, $2, $3, 'GET /api/v1/assets', 1, 200
      from generate_series(1, $4::int) n`,
    values: [firm.id, key.id, owner.id, ROWS],
  });
  await database.query({
    text: `insert into firm_events (firm_id, at, actor, action, details)
      select $1, now() - n * interval '1 second', 'firm_member:' || $2, 'identity', jsonb_build_object('note', repeat('x', 300))
      from generate_series(1, $3::int) n`,
    values: [firm.id, member.id, ROWS],
  });
});
afterAll(() => gateway.stop());

/** Whether the client receives the end of the file, after whose first piece `meanwhile` happens. */
async function isComplete(browser: Browser, path: string, meanwhile: () => Promise<unknown>): Promise<boolean> {
  const response = await fetch(`${gateway.url}/portal/${path}`, { headers: { Cookie: browser.cookies() } });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no body');
  await reader.read();
  await meanwhile();
  try {
    while (!(await reader.read()).done);
    return true;
  } catch {
    return false;
  }
}

it('ledger.ndjson is broken off after the client has signed out', async () => {
  const reader = await makeOwner(gateway.database);
  const key = await makeKey(gateway.database, firm);
  await makeGrant(gateway.database, key, reader);
  const call = () => ({
    ...{ requestId: newId('request'), at: new Date().toISOString(), endpoint: 'GET /api/v1/assets', registryId: null },
    ...{ status: 200, errorCode: null, firmId: firm.id, keyId: key.id, clientId: reader.id, scopes: ALL_SCOPES },
  });
  await saveCalls(gateway.database, Array.from({ length: ENTRIES }, call));
  await appended(gateway.database);
  const browser = await signedIn(gateway.url, reader);
  expect(await isComplete(browser, 'ledger.ndjson', () => browser.post('/portal/auth/sign-out'))).toBe(false);
});

it.each(['access-record.csv', 'access-record.ndjson', 'personal-data.ndjson'])(
  '%s is broken off after the client has signed out',
  async (path) => {
    const browser = await signedIn(gateway.url, owner);
    expect(await isComplete(browser, path, () => browser.post('/portal/auth/sign-out'))).toBe(false);
  },
);

it('firm-record.ndjson is broken off after the member has another role', async () => {
  const browser = await signedIn(gateway.url, member);
  const demote = () =>
    gateway.database.query({ text: "update users set firm_role = 'auditor' where id = $1", values: [member.id] });
  expect(await isComplete(browser, 'firm-record.ndjson', demote)).toBe(false);
});
