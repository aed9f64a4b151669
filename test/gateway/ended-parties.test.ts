// A grant or a request that is made while its client or its firm goes does not survive them, in either order.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database, Sql } from '#database/database.ts';
import { eraseClientWithin } from '#gateway/personal-data/erase.ts';
import { eraseFirmWithin } from '#gateway/personal-data/erase-user.ts';
import type { Firm } from '#repositories/firms.ts';
import { approveGrant, grantWithoutRequest, requestGrant } from '#repositories/grants/grants.ts';
import { createTestClient, deleteTestClient } from '#repositories/sandbox/test-clients.ts';
import { createUser, type User } from '#repositories/users.ts';
import {
  asClient,
  asMember,
  makeClient,
  makeFirm,
  makeKey,
  makeMember,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';
import { untilBlocked } from '#test/support/locks.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

const TERMS = { scopes: ALL_SCOPES, filter: { type: 'all' }, expiresAt: null } as const;

interface Parties {
  firm: Firm;
  member: User;
  keyId: string;
  client: { id: string; email: string };
}

async function withClient(): Promise<Parties> {
  const firm = await makeFirm(database);
  const [member, key] = [await makeMember(database, firm), await makeKey(database, firm)];
  return { firm, member, keyId: key.id, client: await makeClient(database) };
}

async function withTestClient(): Promise<Parties> {
  const { firm, ...others } = await withClient();
  const { id } = await createTestClient(database, { firmId: firm.id, seed: 1 }, operator, 10);
  return { ...others, firm, client: { id, email: `${id.toLowerCase()}@test-client.invalid` } };
}

/** A client with an active grant to another firm, which an erasure keeps for the days of notice. */
async function withKeptGrant(): Promise<Parties> {
  const parties = await withClient();
  const { keyId } = await withClient();
  await grantWithoutRequest(database, { keyId, clientId: parties.client.id, ...TERMS }, operator);
  return parties;
}

type Act = (sql: Sql, parties: Parties) => Promise<unknown>;

const eraseAfter =
  (noticeDays: number): Act =>
  async (sql, { client }) => {
    const request = { id: client.id, reason: 'Wishes it', actor: operator };
    return (await eraseClientWithin(sql, request, { portalUrl: null, noticeDays }))();
  };
const eraseFirm: Act = (sql, { firm }) =>
  eraseFirmWithin(sql, { id: firm.id, reason: 'Closed', actor: operator }, { portalUrl: null });
const deleteClient: Act = (sql, { firm, client, member }) =>
  deleteTestClient({ transaction: (work) => work(sql) }, { firmId: firm.id, id: client.id }, asMember(member));

const request = (sql: Sql, { keyId, client, member }: Parties) =>
  requestGrant(sql, { keyId, client: client.email, purpose: null, ...TERMS }, asMember(member));
const grant = (sql: Sql, { keyId, client }: Parties) =>
  grantWithoutRequest(sql, { keyId, clientId: client.id, ...TERMS }, asClient(client));

/** States of the grants between the two. */
const states = async ({ keyId, client }: Parties) => {
  const text = 'select status from grants where lineage_id = $1 and client_id = $2';
  return (await database.query<{ status: string }>({ text, values: [keyId, client.id] })).map(({ status }) => status);
};

/** Makes both acts, the second of which starts before the first is committed. */
async function overlapping(parties: Parties, first: Act, second: Act): Promise<PromiseSettledResult<unknown>> {
  let waiting: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
  await database.transaction(async (sql) => {
    await first(sql, parties);
    waiting = Promise.allSettled([database.transaction((other) => second(other, parties))]);
    await untilBlocked(database);
  });
  const [result] = await waiting;
  return result as PromiseSettledResult<unknown>;
}

const refused = (code: string) => ({ status: 'rejected', reason: expect.objectContaining({ name: 'Refusal', code }) });
const unreached = { status: 'fulfilled', value: expect.objectContaining({ status: 'pending', clientId: null }) };

describe.each<
  [end: string, make: () => Promise<Parties>, end: Act, late: [object, object], left: [string[], string[]]]
>([
  ['the erasure of its client', withClient, eraseAfter(0), [unreached, refused('resource_not_found')], [[], []]],
  [
    'an erasure with notice',
    withKeptGrant,
    eraseAfter(30),
    [unreached, refused('resource_not_found')],
    [[], ['active']],
  ],
  [
    'the end of its firm',
    withClient,
    eraseFirm,
    [refused('invalid_transition'), refused('invalid_transition')],
    [['withdrawn'], ['revoked']],
  ],
])('%s', (_, make, end, [lateRequest, lateGrant], [requestLeft, grantLeft]) => {
  it('is not missed by a request or a grant that waits for it', async () => {
    const parties = [await make(), await make()] as const;
    expect(await overlapping(parties[0], end, request)).toMatchObject(lateRequest);
    expect(await overlapping(parties[1], end, grant)).toMatchObject(lateGrant);
    for (const these of parties) expect(await states(these)).toEqual([]);
  });

  it('waits for a request or a grant, and ends it', async () => {
    const parties = [await make(), await make()] as const;
    expect(await overlapping(parties[0], request, end)).toMatchObject({ status: 'fulfilled' });
    expect(await states(parties[0])).toEqual(requestLeft);
    expect(await overlapping(parties[1], grant, end)).toMatchObject({ status: 'fulfilled' });
    expect(await states(parties[1])).toEqual(grantLeft);
  });
});

describe('the end of a firm', () => {
  const join: Act = (sql, { firm }) => {
    const id = newId('user');
    return createUser(sql, { role: 'firm_member', id, email: `${id}@example.com`, name: 'Late', firmId: firm.id });
  };
  const members = async ({ firm }: Parties) =>
    database.query({ text: 'select from users where firm_id = $1 and removed_at is null', values: [firm.id] });

  it('is not missed by a member who is being created', async () => {
    const parties = await withClient();
    expect(await overlapping(parties, eraseFirm, join)).toMatchObject(refused('invalid_transition'));
    expect(await members(parties)).toEqual([]);
  });

  it('waits for a member who is being created, and erases them', async () => {
    const parties = await withClient();
    expect(await overlapping(parties, join, eraseFirm)).toMatchObject({ status: 'fulfilled' });
    expect(await members(parties)).toEqual([]);
  });
});

describe('the deletion of a test client', () => {
  it('is not missed by a request that waits for it', async () => {
    const parties = await withTestClient();
    expect(await overlapping(parties, deleteClient, request)).toMatchObject(unreached);
  });

  it('waits for a request, and withdraws it', async () => {
    const parties = await withTestClient();
    expect(await overlapping(parties, request, deleteClient)).toMatchObject({ status: 'fulfilled' });
    expect(await states(parties)).toEqual(['withdrawn']);
  });

  it('waits for an approval, and revokes the grant', async () => {
    const parties = await withTestClient();
    const { id } = await request(database, parties);
    const approve: Act = (sql) =>
      approveGrant(sql, id, {}, { ...asMember(parties.member), kind: 'member_as_test_client' });
    expect(await overlapping(parties, approve, deleteClient)).toMatchObject({ status: 'fulfilled' });
    expect(await states(parties)).toEqual(['revoked']);
  });
});
