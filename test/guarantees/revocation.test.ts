// Revocation is immediate: no request that starts after it was acknowledged, on any gateway, gets data or a 304.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import {
  createPlantToken,
  createServiceToken,
  revokePlantToken,
  revokeServiceToken,
} from '#repositories/admission/tokens.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey, setKeyTier } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { type CallOptions, call, makeItem, why } from '#test/support/scenario.ts';

const REQUESTS = 1_000;
const ABREAST = 25;
const operator = { kind: 'operator', id: 'test' } as const;

let one: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  // Addresses of their own, so that refused requests do not meet the limit of one address.
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

interface Asked {
  started: number;
  status: number;
}

/** How one request is made: to which of the gateways, the how-manieth. Gives its status. */
type Ask = (gateway: TestGateway, count: number) => Promise<number>;

/** Keeps both gateways busy while `revoke` runs, and for `REQUESTS` more requests; returns those that began after it. */
async function askAround(ask: Ask, revoke: () => Promise<unknown>): Promise<{ before: Asked[]; after: Asked[] }> {
  const asked: Asked[] = [];
  let count = 0;
  let acknowledged = Number.POSITIVE_INFINITY;
  const enough = () => asked.filter(({ started }) => started > acknowledged).length >= REQUESTS;
  const loops = Array.from({ length: ABREAST }, async () => {
    while (!enough()) {
      const started = performance.now();
      count += 1;
      asked.push({ started, status: await ask(count % 2 === 0 ? one : other, count) });
    }
  });
  // Both gateways have let the caller in, with and without a body, before that ends.
  while (asked.length < 4 * ABREAST) await sleep(20);
  await revoke();
  acknowledged = performance.now();
  await Promise.all(loops);
  return {
    before: asked.filter(({ started }) => started <= acknowledged),
    after: asked.filter(({ started }) => started > acknowledged),
  };
}

const statuses = (asked: Asked[]) => [...new Set(asked.map(({ status }) => status))].sort();

async function expectAtOnce(ask: Ask, revoke: () => Promise<unknown>, allowed: number[], refused: number[]) {
  const { before, after } = await askAround(ask, revoke);
  for (const status of allowed) expect(statuses(before)).toContain(status);
  expect(after.length).toBeGreaterThanOrEqual(REQUESTS);
  expect(statuses(after)).toEqual(refused);
}

/** Every second request asks whether its copy is still good. */
async function partnerWithTag() {
  const partner = await makePartner(one);
  await makeItem(one.database, partner.client);
  const tag = (await partner.get('/assets')).headers.get('etag') ?? '';
  const ask: Ask = async ({ url }, count) => {
    const options: CallOptions = { headers: { ...from(count), ...(count % 3 === 0 ? {} : { 'If-None-Match': tag }) } };
    return (await call(url + pathFor(partner.client.id, '/assets'), partner.key.secret, options)).status;
  };
  return { partner, ask };
}

describe('what was revoked through one gateway is refused by both from then on', () => {
  it('for an API key', async () => {
    const { partner, ask } = await partnerWithTag();
    await expectAtOnce(ask, () => revokeKey(other.database, partner.key.id, operator), [200, 304], [401]);
  });

  it('for a grant', async () => {
    const { partner, ask } = await partnerWithTag();
    // The key goes on and meets its limit meanwhile; neither answer shows anything.
    const { before, after } = await askAround(ask, () => revokeGrant(other.database, partner.grant.id, operator));
    expect(statuses(before)).toEqual(expect.arrayContaining([200, 304]));
    expect(statuses(after).filter((status) => status !== 403 && status !== 429)).toEqual([]);
    expect(statuses(after)).toContain(403);
  });

  it('for a plant token', async () => {
    const { text, hash } = makeToken('plant');
    const { id } = await createPlantToken(one.database, { accountId: 'acme', expiresAt: null, hash });
    const ask: Ask = async ({ url }, count) => (await call(`${url}/plants`, text, { headers: from(count) })).status;
    await expectAtOnce(ask, () => revokePlantToken(other.database, id), [200], [401]);
  });

  it('for a service token', async () => {
    const { text, hash } = makeToken('service');
    const { id } = await createServiceToken(one.database, { role: 'admin', expiresAt: null, hash });
    const ask: Ask = async ({ internalUrl }) => {
      const options = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query":"{limiterState}"}',
      };
      return (await call(`${internalUrl}/graphql`, text, options)).status;
    };
    await expectAtOnce(ask, () => revokeServiceToken(other.database, id), [200], [401]);
  });
});

/** Both gateways answer so to each request that is sent five seconds from now, or later. */
async function expectWithinFiveSeconds(holds: (url: string) => Promise<boolean>): Promise<void> {
  const changed = performance.now();
  for (const { url } of [one, other])
    for (let sent = changed; !(await holds(url)); sent = performance.now()) {
      expect(sent - changed).toBeLessThan(5_000);
      await sleep(50);
    }
}

describe('a change of the contract takes effect within five seconds on both', () => {
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
