// The memory of the local limiter is bounded, and the bound does not weaken the limit.

import { describe, expect, it } from 'vitest';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { WINDOW_WORDS } from '#limits/sliding-window.ts';
import { WindowPool } from '#limits/window-pool.ts';
import { FakeClock } from '#test/support/fake-clock.ts';

/** The bytes of that many windows, of the shared windows and of a partly filled block. */
const bytesOf = (windows: number) => (windows + 1_024 + 257) * WINDOW_WORDS * 4;

describe('memory of the local limiter', () => {
  it('is released by idle subjects, so that a stream of new addresses does not make it grow', () => {
    const pool = new WindowPool();
    for (let second = 0; second < 1_000; second++) {
      for (let i = 0; i < 50; i++) pool.open(`address:${second}:${i}`, (1_000_000 + second) * 1_000);
    }
    expect(pool.size).toBeLessThan(50 * 71 * 1.5);
    expect(pool.byteLength).toBeLessThan(bytesOf(50 * 71 * 1.5));
  });

  it('has an upper bound, however many subjects are busy at once', () => {
    const pool = new WindowPool(1_000);
    for (let i = 0; i < 20_000; i++) pool.open(`address:${i}`, 1_000_000_000);
    expect(pool.size).toBe(1_000);
    expect(pool.byteLength).toBeLessThan(bytesOf(1_000));
  });

  it('admits at most the limit when subjects share a window, and when one gets its own window later', async () => {
    const clock = new FakeClock();
    const limiter = new LocalLimiter(clock, { capacity: 10 });
    for (let i = 0; i < 10; i++) await limiter.take(`early:${i}`, 5);
    clock.advance(30_000);
    let admitted = 0;
    for (let i = 0; i < 5; i++) admitted += (await limiter.take('late', 5)).admitted ? 1 : 0;
    expect(admitted).toBe(5);
    clock.advance(45_000); // the early ones are idle now, and the late one moves to a window of its own
    expect((await limiter.take('late', 5)).admitted).toBe(false);
    clock.advance(20_000);
    expect((await limiter.take('late', 5)).admitted).toBe(true);
  });

  it('of a reused window has nothing of its previous subject, even if the clock is set back', async () => {
    const clock = new FakeClock();
    const limiter = new LocalLimiter(clock, { capacity: 2 });
    for (const early of ['one', 'two']) await limiter.take(early, 1);
    clock.advance(80_000);
    await limiter.take('three', 1); // finds both idle, needs one
    clock.advance(-78_000);
    expect((await limiter.take('four', 1)).admitted).toBe(true);
  });
});
