// Bench: how long users of a page wait from an action to its visible effect.
import type { Page } from 'playwright-core';

/** In milliseconds, rounded by the browser to 8; 0 if all took less than 16, which browsers do not report. */
export interface Waited {
  interactions: number;
  /** The slowest, except for one of every 50 interactions, as browsers count it. */
  nextPaint: number;
  slowest: number;
}

interface Watched {
  slowest: Map<number, number>;
  before: number;
}

/** Starts watching. The returned function gives the waiting times since then. */
export async function watchInteractions(page: Page): Promise<() => Promise<Waited>> {
  await page.evaluate(() => {
    const slowest = new Map<number, number>();
    Object.assign(globalThis, { watched: { slowest, before: performance.interactionCount } });
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
        if (interactionId > 0) slowest.set(interactionId, Math.max(duration, slowest.get(interactionId) ?? 0));
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  return async () => {
    // The last interaction is reported after its paint.
    await page.waitForTimeout(300);
    return page.evaluate(() => {
      const { slowest, before } = (globalThis as unknown as { watched: Watched }).watched;
      const interactions = performance.interactionCount - before;
      const sorted = [...slowest.values()].sort((a, b) => b - a);
      return { interactions, nextPaint: sorted[Math.floor(interactions / 50)] ?? 0, slowest: sorted[0] ?? 0 };
    });
  };
}
