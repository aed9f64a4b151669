// A burst over several gateways that share Redis is admitted up to the limit of the key, to the request.

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

describe(`${LIMIT + BEYOND} requests at once on two gateways`, () => {
  it(`are admitted ${LIMIT} times, and refused ${BEYOND} times with the moment to come back`, async () => {
    const [first] = gateways as [TestGateway];
    const key = await makeKey(first.database, await makeFirm(first.database), { environment: 'sandbox' });
    const client = await makeClient(first.database, { environment: 'sandbox' });
    await makePartner(first, { key, client });
    const answers = await Promise.all(
      Array.from({ length: LIMIT + BEYOND }, (_, index) =>
        call((gateways[index % 2]?.url ?? '') + pathFor(client.id, '/assets'), key.secret),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect(refused).toHaveLength(BEYOND);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('rate_limit_exceeded');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(Math.min(...left)).toBe(0);
  });
});
