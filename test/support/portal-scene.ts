// Test support: two firms and two clients of the portal who must not learn of each other, and an operator.

import { afterAll, beforeAll } from 'vitest';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import { requestGrant } from '#repositories/grants/grants.ts';
import { createUser, type User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { type Ask, openPortal, type Portal } from './portal.ts';
import { call, furnish, type Item, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from './scenario.ts';

/** A firm with a member and a key, a client with an item, a grant between them, and an open request to a second key. */
export interface Side {
  firm: Firm;
  member: User;
  key: Key;
  otherKey: Key;
  client: User;
  item: Item;
  collectionId: string;
  grant: Grant;
  request: Grant;
  /** Executes operations as the member of the firm, and as the client. */
  asMember: Ask;
  asClient: Ask;
}

export interface Scene {
  portal: Portal;
  here: Side;
  there: Side;
  operator: User;
  asOperator: Ask;
}

let people = 0;

export async function makeMember({ database }: TestGateway, firm: Firm, name = 'Mia Member'): Promise<User> {
  const email = `member-${++people}-${firm.id.toLowerCase()}@example.com`;
  return createUser(database, { role: 'firm_member', email, name, firmId: firm.id });
}

export async function makeSide(gateway: TestGateway, portal: Portal, name: string): Promise<Side> {
  const { database, url } = gateway;
  const firm = await makeFirm(database, { name: `${name} Firm` });
  const member = await makeMember(gateway, firm, `${name} Member`);
  const key = await makeKey(database, firm);
  const otherKey = await makeKey(database, firm);
  const client = await makeClient(database);
  const item = await makeItem(database, client, { title: `${name} watch` });
  const { collectionId } = await furnish(database, client, item);
  const grant = await makeGrant(database, key, client);
  const terms = { scopes: ALL_SCOPES, filter: { type: 'items', items: [item.registryId] }, expiresAt: null } as const;
  const request = await requestGrant(
    database,
    {
      keyId: otherKey.id,
      client: client.id,
      ...terms,
      filter: { ...terms.filter, items: [...terms.filter.items] },
      purpose: `${name} purpose`,
    },
    { kind: 'firm_member', id: member.id },
  );
  // A call for the access record, which the gateway saves a moment later.
  await call(`${url}/api/v1/assets?client_id=${client.id}`, key.secret);
  const people = { asMember: portal.as(member.id), asClient: portal.as(client.id) };
  return { firm, member, key, otherKey, client, item, collectionId, grant, request, ...people };
}

export async function makeScene(gateway: TestGateway): Promise<Scene> {
  const portal = await openPortal(gateway.database);
  const here = await makeSide(gateway, portal, 'Here');
  const there = await makeSide(gateway, portal, 'There');
  const email = `ops-${++people}-${here.firm.id.toLowerCase()}@example.com`;
  const operator = await createUser(gateway.database, { role: 'ops', email, name: 'Olga Operator' });
  await recorded(gateway, 2);
  return { portal, here, there, operator, asOperator: portal.as(operator.id) };
}

/** A scene with its own gateway for all tests of the calling file; set before the first test. */
export function withScene(): Scene & { gateway: TestGateway } {
  const scene = {} as Scene & { gateway: TestGateway };
  beforeAll(async () => {
    scene.gateway = await startGateway();
    Object.assign(scene, await makeScene(scene.gateway));
  });
  afterAll(async () => {
    scene.portal?.close();
    await scene.gateway?.stop();
  });
  return scene;
}

/** Waits until the access record has at least so many calls, of one client if `clientId` is given. */
export async function recorded({ database }: TestGateway, lines: number, clientId?: string): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ lines: number }>({
      text: 'select count(*) as lines from recorded_calls where $1::text is null or client_id = $1',
      values: [clientId ?? null],
    });
    if ((row?.lines ?? 0) >= lines) return;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
