// Guarantee: gateways that share a Redis admit exactly as many requests of a burst as the key's limit allows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { call, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { type Service, startRedis } from '#test/support/services.ts';

const BEYOND = 20;
const LIMIT = 100;

let redis: Service;
let gateways: TestGateway[];

beforeAll(async () => {
  redis = await startRedis();
  // On a busy machine Redis may take longer than a gateway would wait for it.
  const shared = { env: { REDIS_URL: redis.url } };
  const first = await startGateway(shared);
  gateways = [first, await startGateway({ ...shared, databaseUrl: first.databaseUrl })];
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.stop();
  await redis.stop();
});

describe(`${LIMIT + BEYOND} concurrent requests to two gateways`, () => {
  it(`get ${LIMIT} responses with 200, and ${BEYOND} with 429 and Retry-After`, async () => {
    const [first] = gateways as [TestGateway];
    const key = await makeKey(first.database, await makeFirm(first.database), { environment: 'sandbox' });
    const client = await makeClient(first.database, { environment: 'sandbox' });
    await makePartner(first, { key, client });
    const responses = await Promise.all(
      Array.from({ length: LIMIT + BEYOND }, (_, index) =>
        call((gateways[index % 2]?.url ?? '') + pathFor(client.id, '/assets'), key.secret),
      ),
    );
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect(refused).toHaveLength(BEYOND);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('rate_limit_exceeded');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const remaining = responses
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(Math.min(...remaining)).toBe(0);
  });
});
