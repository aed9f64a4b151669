// Guarantee: the replay of recorded calls gives what the limiter would have done with them.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { busiestMinute, wouldRefuse } from '#limits/replay.ts';

const START = 1_800_000_000;

/** Seconds in any rhythm, with bursts. */
const recorded = fc
  .array(fc.record({ pause: fc.integer({ min: 1, max: 90 }), calls: fc.integer({ min: 1, max: 40 }) }), {
    minLength: 1,
  })
  .map((steps) => {
    let second = 0;
    const seconds = steps.map(({ pause }) => (second += pause));
    return { seconds, calls: steps.map(({ calls }) => calls) };
  });

it('a replay refuses as many calls as the limiter does', async () => {
  await fc.assert(
    fc.asyncProperty(recorded, fc.integer({ min: 1, max: 100 }), async ({ seconds, calls }, limit) => {
      let now = START;
      const limiter = new LocalLimiter({ now: () => now * 1000 });
      let refused = 0;
      for (const [index, second] of seconds.entries()) {
        now = START + second;
        for (let call = 0; call < (calls[index] ?? 0); call++) {
          const { admitted } = await limiter.take('key', limit);
          if (!admitted) refused += 1;
        }
      }
      expect(wouldRefuse({ seconds, calls }, limit)).toBe(refused);
    }),
  );
});

it('a replay finds the 60 seconds with the most calls', () => {
  fc.assert(
    fc.property(recorded, ({ seconds, calls }) => {
      const within = (from: number) =>
        calls.reduce((sum, count, index) => {
          const second = seconds[index] ?? 0;
          return second >= from && second < from + 60 ? sum + count : sum;
        }, 0);
      const { second, requests } = busiestMinute({ seconds, calls });
      expect(requests).toBe(Math.max(...seconds.map(within)));
      expect(within(second)).toBe(requests);
    }),
  );
});
