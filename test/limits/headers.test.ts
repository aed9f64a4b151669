import { describe, expect, it } from 'vitest';
import { MAX_FIRM_LIMIT, TIER_LIMITS } from '#core/tiers.ts';
import { limitHeaders } from '#limits/headers.ts';
import { type Allowance, MAX_LIMIT } from '#limits/limiter.ts';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { FakeClock } from '#test/support/fake-clock.ts';

describe('headers', () => {
  const clock = new FakeClock(1_768_435_200_250);
  const limiter = new LocalLimiter(clock);

  it('tell an admitted request what is left and when it begins to come back', async () => {
    expect(limitHeaders({ key: await limiter.take('a', 100) })).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '99',
      'X-RateLimit-Reset': '1768435261',
      'RateLimit-Policy': '"key";q=100;w=60',
      RateLimit: '"key";r=99;t=60',
    });
  });

  it('tell a refused request when to come back', async () => {
    await limiter.take('b', 1);
    clock.advance(20_000);
    const headers = limitHeaders({ key: await limiter.take('b', 1) });
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', 'Retry-After': '40', RateLimit: '"key";r=0;t=40' });
  });

  it('do not tell a request that could not be decided to wait for room in the window', async () => {
    await limiter.take('c', 1);
    const headers = limitHeaders({ key: { ...(await limiter.take('c', 1)), unavailable: true } });
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', RateLimit: '"key";r=0;t=60' });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  it('tell of both limits that decided, and in the older ones of that with less room', async () => {
    const asked = [
      { subject: 'e', limit: 5 },
      { subject: 'firm', limit: 3 },
    ];
    const headersOf = async () => {
      const [key, firm] = (await limiter.takeAll(asked)) as [Allowance, Allowance];
      return limitHeaders({ key, firm });
    };
    expect(await headersOf()).toEqual({
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Remaining': '2',
      'X-RateLimit-Reset': '1768435281',
      'RateLimit-Policy': '"key";q=5;w=60, "firm";q=3;w=60',
      RateLimit: '"key";r=4;t=60, "firm";r=2;t=60',
    });
    clock.advance(20_000);
    await headersOf();
    await headersOf();
    expect(await headersOf()).toEqual({
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1768435281',
      'RateLimit-Policy': '"key";q=5;w=60, "firm";q=3;w=60',
      RateLimit: '"key";r=2;t=40, "firm";r=0;t=40',
      'Retry-After': '40',
    });
  });

  it('do not tell somebody who only looked to come back later', async () => {
    expect(limitHeaders({ key: await limiter.peek('d', 10) })).not.toHaveProperty('Retry-After');
  });
});

it('every tier is a limit the limiters can hold', () => {
  expect(TIER_LIMITS).toEqual({ sandbox: 100, standard: 1_000, elevated: 5_000, enterprise: 20_000 });
  expect(Math.max(MAX_FIRM_LIMIT, ...Object.values(TIER_LIMITS))).toBeLessThanOrEqual(MAX_LIMIT);
});
