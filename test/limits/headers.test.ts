// The rate limit headers of a response: X-RateLimit-*, RateLimit and Retry-After.

import { describe, expect, it } from 'vitest';
import { MAX_FIRM_LIMIT, TIER_LIMITS } from '#core/tiers.ts';
import { limitHeaders } from '#limits/headers.ts';
import { type Allowance, MAX_LIMIT } from '#limits/limiter.ts';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { FakeClock } from '#test/support/fake-clock.ts';

describe('the headers', () => {
  const clock = new FakeClock(1_768_435_200_250);
  const limiter = new LocalLimiter(clock);

  it('of an admitted request give what remains and when the first of it returns', async () => {
    expect(limitHeaders({ key: await limiter.take('a', 100) })).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '99',
      'X-RateLimit-Reset': '1768435261',
      'RateLimit-Policy': '"key";q=100;w=60',
      RateLimit: '"key";r=99;t=60',
    });
  });

  it('of a refused request give the time until a retry', async () => {
    await limiter.take('b', 1);
    clock.advance(20_000);
    const headers = limitHeaders({ key: await limiter.take('b', 1) });
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', 'Retry-After': '40', RateLimit: '"key";r=0;t=40' });
  });

  it('of a request that could not be decided have no Retry-After', async () => {
    await limiter.take('c', 1);
    const headers = limitHeaders({ key: { ...(await limiter.take('c', 1)), unavailable: true } });
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', RateLimit: '"key";r=0;t=60' });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  it('give both limits that decided, and X-RateLimit-* the one with less room', async () => {
    const limits = [
      { subject: 'e', limit: 5 },
      { subject: 'firm', limit: 3 },
    ];
    const headersOf = async () => {
      const [key, firm] = (await limiter.takeAll(limits)) as [Allowance, Allowance];
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

  it('of a peek have no Retry-After', async () => {
    expect(limitHeaders({ key: await limiter.peek('d', 10) })).not.toHaveProperty('Retry-After');
  });
});

it('every limit of a tier or firm is within the maximum of the limiters', () => {
  expect(TIER_LIMITS).toEqual({ sandbox: 100, standard: 1_000, elevated: 5_000, enterprise: 20_000 });
  expect(Math.max(MAX_FIRM_LIMIT, ...Object.values(TIER_LIMITS))).toBeLessThanOrEqual(MAX_LIMIT);
});
