// Guarantee: no request that starts after a revocation was acknowledged, on any gateway, gets data or a 304.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import { createToken, revokeToken } from '#repositories/admission/tokens.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey, setKeyTier } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { type CallOptions, call, makeItem, why } from '#test/support/scenario.ts';

const REQUESTS = 1_000;
const CONCURRENCY = 25;
const operator = { kind: 'operator', id: 'test' } as const;

let one: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  // Each request has its own address, so that refused ones do not reach the limit of an address.
  const env = { TRUST_PROXY: '127.0.0.1' };
  one = await startGateway({ env });
  other = await startGateway({ env, databaseUrl: one.databaseUrl });
});
afterAll(async () => {
  await other.stop();
  await one.stop();
});

const from = (count: number) => ({
  'X-Forwarded-For': `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`,
});

interface SentRequest {
  started: number;
  status: number;
}

/** Sends one request, with its number, to the gateway and returns the status. */
type Send = (gateway: TestGateway, count: number) => Promise<number>;

/** Sends requests to both gateways while `revoke` runs, and `REQUESTS` more; returns those before and after. */
async function sendAround(
  send: Send,
  revoke: () => Promise<unknown>,
): Promise<{ before: SentRequest[]; after: SentRequest[] }> {
  const requests: SentRequest[] = [];
  let count = 0;
  let acknowledged = Number.POSITIVE_INFINITY;
  const enough = () => requests.filter(({ started }) => started > acknowledged).length >= REQUESTS;
  const loops = Array.from({ length: CONCURRENCY }, async () => {
    while (!enough()) {
      const started = performance.now();
      count += 1;
      requests.push({ started, status: await send(count % 2 === 0 ? one : other, count) });
    }
  });
  // Enough that both gateways have sent responses with and without a body before the revocation.
  while (requests.length < 4 * CONCURRENCY) await sleep(20);
  await revoke();
  acknowledged = performance.now();
  await Promise.all(loops);
  return {
    before: requests.filter(({ started }) => started <= acknowledged),
    after: requests.filter(({ started }) => started > acknowledged),
  };
}

const statuses = (requests: SentRequest[]) => [...new Set(requests.map(({ status }) => status))].sort();

async function expectAtOnce(send: Send, revoke: () => Promise<unknown>, allowed: number[], refused: number[]) {
  const { before, after } = await sendAround(send, revoke);
  for (const status of allowed) expect(statuses(before)).toContain(status);
  expect(after.length).toBeGreaterThanOrEqual(REQUESTS);
  expect(statuses(after)).toEqual(refused);
}

/** Two of three requests are conditional. */
async function partnerWithTag() {
  const partner = await makePartner(one);
  await makeItem(one.database, partner.client);
  const tag = (await partner.get('/assets')).headers.get('etag') ?? '';
  const send: Send = async ({ url }, count) => {
    const options: CallOptions = { headers: { ...from(count), ...(count % 3 === 0 ? {} : { 'If-None-Match': tag }) } };
    return (await call(url + pathFor(partner.client.id, '/assets'), partner.key.secret, options)).status;
  };
  return { partner, ask: send };
}

describe('a revocation through one gateway applies to the next request on both', () => {
  it('for an API key', async () => {
    const { partner, ask: send } = await partnerWithTag();
    await expectAtOnce(send, () => revokeKey(other.database, partner.key.id, operator), [200, 304], [401]);
  });

  it('for a grant', async () => {
    const { partner, ask: send } = await partnerWithTag();
    // The key stays valid and may reach its limit; neither 403 nor 429 discloses anything.
    const { before, after } = await sendAround(send, () => revokeGrant(other.database, partner.grant.id, operator));
    expect(statuses(before)).toEqual(expect.arrayContaining([200, 304]));
    expect(statuses(after).filter((status) => status !== 403 && status !== 429)).toEqual([]);
    expect(statuses(after)).toContain(403);
  });

  it('for a plant token', async () => {
    const { text, hash } = makeToken('plant');
    const { id } = await createToken(one.database, 'plant', { holder: 'acme', expiresAt: null, hash });
    const send: Send = async ({ url }, count) => (await call(`${url}/plants`, text, { headers: from(count) })).status;
    await expectAtOnce(send, () => revokeToken(other.database, 'plant', id), [200], [401]);
  });

  it('for a service token', async () => {
    const { text, hash } = makeToken('service');
    const { id } = await createToken(one.database, 'service', { holder: 'admin', expiresAt: null, hash });
    const send: Send = async ({ internalUrl }) => {
      const options = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query":"{limiterState}"}',
      };
      return (await call(`${internalUrl}/graphql`, text, options)).status;
    };
    await expectAtOnce(send, () => revokeToken(other.database, 'service', id), [200], [401]);
  });
});

/** Waits until the condition is true on both gateways, which must be within five seconds. */
async function expectWithinFiveSeconds(holds: (url: string) => Promise<boolean>): Promise<void> {
  const changed = performance.now();
  for (const { url } of [one, other])
    for (let sent = changed; !(await holds(url)); sent = performance.now()) {
      expect(sent - changed).toBeLessThan(5_000);
      await sleep(50);
    }
}

describe('a change of a firm or key takes effect within five seconds on both gateways', () => {
  it('for the plan', async () => {
    const { key, client } = await makePartner(one);
    const refused = async (url: string) =>
      (await call(url + pathFor(client.id, '/assets'), key.secret)).body.error?.code === 'plan_inactive';
    await other.database.query({ text: 'update firms set plan_active = false where id = $1', values: [key.firmId] });
    await expectWithinFiveSeconds(refused);
  });

  it('for the tier', async () => {
    const { key, client } = await makePartner(one);
    const limited = (limit: string) => async (url: string) =>
      (await call(url + pathFor(client.id, '/assets'), key.secret)).headers.get('x-ratelimit-limit') === limit;
    await setKeyTier(other.database, key.id, { ...why, tier: 'sandbox' }, operator);
    await expectWithinFiveSeconds(limited('100'));
    await setKeyTier(other.database, key.id, { ...why, tier: null }, operator);
    await other.database.query({ text: "update firms set tier = 'standard' where id = $1", values: [key.firmId] });
    await expectWithinFiveSeconds(limited('1000'));
  });
});
