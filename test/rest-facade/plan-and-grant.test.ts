// Guarantee: a client's data are readable only with an active plan and while the newest grant is active.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import { declineGrant, requestGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { createUser } from '#repositories/users.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { plainPaths } from '#test/support/sample-requests.ts';
import { call, insert, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let firm: Firm;
let key: Key;

beforeAll(async () => {
  gateway = await startGateway();
  firm = await makeFirm(gateway.database);
  key = await makeKey(gateway.database, firm);
});
afterAll(() => gateway.stop());

const read = (clientId: string, secret = key.secret) => call(gateway.url + pathFor(clientId, '/assets'), secret);

const expireGrant = (id: string) =>
  gateway.database.query({
    text: "update grants set expires_at = now() - interval '1 ms' where id = $1",
    values: [id],
  });

describe('the plan', () => {
  it.each([
    ['inactive', { planActive: false }],
    ['no enterprise plan', { plan: 'none' }],
  ])('is required: %s is 403 plan_inactive, with and without a grant', async (_name, change) => {
    const partner = await makePartner(gateway);
    const { plan = 'enterprise', planActive = true } = change as { plan?: string; planActive?: boolean };
    await gateway.database.query({
      text: 'update firms set plan = $1, plan_active = $2 where id = $3',
      values: [plan, planActive, partner.key.firmId],
    });
    expectError(await partner.get('/assets'), 403, 'plan_inactive');
    expectError(await read(newId('user'), partner.key.secret), 403, 'plan_inactive');
  });
});

describe('without a grant', () => {
  it('an existing client and an unknown one get the same refusal', async () => {
    const ungranted = await makeClient(gateway.database);
    await makeItem(gateway.database, ungranted);
    const sandbox = await makeClient(gateway.database, { environment: 'sandbox' });
    const member = await createUser(gateway.database, {
      role: 'firm_member',
      email: 'member@example.com',
      name: 'Member',
      firmId: firm.id,
    });
    const ids = [newId('user'), ungranted.id, sandbox.id, member.id, firm.id, 'nobody', 'usr_%00', "usr_'--", '%20'];
    const answers = await Promise.all(ids.map((id) => read(id)));
    for (const answer of answers) expectError(answer, 403, 'no_active_grant');
    const bare = answers.map(({ text, body }) => text.replace(body.error.request_id, 'REQUEST'));
    expect(new Set(bare).size).toBe(1);
  });

  it('a grant of another key of the firm does not count', async () => {
    const { client } = await makePartner(gateway, { key });
    const sister = await makeKey(gateway.database, firm);
    expectError(await read(client.id, sister.secret), 403, 'no_active_grant');
  });

  it('a pending or declined request does not count', async () => {
    const client = await makeClient(gateway.database);
    const member = await createUser(gateway.database, {
      role: 'firm_member',
      email: 'asking@example.com',
      name: 'Member',
      firmId: firm.id,
    });
    const request = await requestGrant(
      gateway.database,
      { keyId: key.id, client: client.id, scopes: 1, filter: { type: 'all' }, expiresAt: null, purpose: 'Advice' },
      { kind: 'firm_member', id: member.id },
    );
    expectError(await read(client.id), 403, 'no_active_grant');
    await declineGrant(gateway.database, request.id, { kind: 'client', id: client.id });
    expectError(await read(client.id), 403, 'no_active_grant');
  });
});

describe('the newest grant that has been active decides', () => {
  it('after each revocation, expiry and new grant', async () => {
    const client = await makeClient(gateway.database);
    const first = await makeGrant(gateway.database, key, client);
    expect((await read(client.id)).status).toBe(200);
    await revokeGrant(gateway.database, first.id, operator);
    expectError(await read(client.id), 403, 'grant_revoked');
    const second = await makeGrant(gateway.database, key, client);
    expect((await read(client.id)).status).toBe(200);
    await expireGrant(second.id);
    expectError(await read(client.id), 403, 'grant_expired');
    await makeGrant(gateway.database, key, client);
    expect((await read(client.id)).status).toBe(200);
  });

  it('a later pending request does not replace it', async () => {
    const { client, grant } = await makePartner(gateway, { key });
    await revokeGrant(gateway.database, grant.id, operator);
    await insert(gateway.database, 'grants', {
      id: newId('grant'),
      lineage_id: key.lineageId,
      client_id: client.id,
      status: 'pending',
      scopes: 127,
      filter: '{"type":"all"}',
    });
    expectError(await read(client.id), 403, 'grant_revoked');
  });

  it('it is grant_revoked if it was revoked and has also expired', async () => {
    const { client, grant } = await makePartner(gateway, { key });
    await revokeGrant(gateway.database, grant.id, operator);
    await expireGrant(grant.id);
    expectError(await read(client.id), 403, 'grant_revoked');
  });

  it('without a scope in common with the key it is 403 insufficient_scope everywhere', async () => {
    const narrow = await makeKey(gateway.database, firm, { scopes: scopeSet(['estate']) });
    const partner = await makePartner(gateway, { key: narrow, scopes: scopeSet(['registry', 'valuation']) });
    const { registryId } = await makeItem(gateway.database, partner.client);
    for (const path of plainPaths(registryId)) expectError(await partner.get(path), 403, 'insufficient_scope');
  });
});

describe('environments never mix', () => {
  it('a key reads only clients of its own, even with a grant across environments in the database', async () => {
    const keys = { production: key, sandbox: await makeKey(gateway.database, firm, { environment: 'sandbox' }) };
    for (const [mine, theirs] of [
      ['production', 'sandbox'],
      ['sandbox', 'production'],
    ] as const) {
      const own = await makePartner(gateway, {
        key: keys[mine],
        client: await makeClient(gateway.database, { environment: mine }),
      });
      expect((await own.get('/assets')).status).toBe(200);
      const foreign = await makeClient(gateway.database, { environment: theirs });
      await insert(gateway.database, 'grants', {
        id: newId('grant'),
        lineage_id: keys[mine].lineageId,
        client_id: foreign.id,
        status: 'active',
        activated_at: new Date().toISOString(),
        scopes: 127,
        filter: '{"type":"all"}',
      });
      expectError(await read(foreign.id, keys[mine].secret), 403, 'no_active_grant');
    }
  });

  it('an item of the other environment is 404 like an unknown one', async () => {
    const production = await makePartner(gateway, { key });
    const sandbox = await makeClient(gateway.database, { environment: 'sandbox' });
    const { registryId } = await makeItem(gateway.database, sandbox);
    expectError(await production.get(`/assets/${registryId}`), 404, 'asset_not_found');
  });
});
