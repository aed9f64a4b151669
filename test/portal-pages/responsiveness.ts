// Test support: how long a page lets somebody wait between what they do and what they see.
import type { Page } from 'playwright-core';

interface Interactions {
  /**
   * Milliseconds from an interaction to the next paint, the slowest but one for every 50 interactions, as browsers
   * count it; rounded by the browser to 8.
   */
  nextPaint(): Promise<number>;
}

interface Watched {
  slowest: Map<number, number>;
  before: number;
}

/** Watches from now on. */
export async function watchInteractions(page: Page): Promise<Interactions> {
  await page.evaluate(() => {
    const slowest = new Map<number, number>();
    Object.assign(globalThis, { watched: { slowest, before: performance.interactionCount } });
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
        if (interactionId > 0) slowest.set(interactionId, Math.max(duration, slowest.get(interactionId) ?? 0));
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  return {
    async nextPaint() {
      // The last one is told of after its paint.
      await page.evaluate(() => new Promise((wake) => setTimeout(wake, 300)));
      return page.evaluate(() => {
        const { slowest, before } = (globalThis as unknown as { watched: Watched }).watched;
        const left = Math.floor((performance.interactionCount - before) / 50);
        return [...slowest.values()].sort((a, b) => b - a)[left] ?? 0;
      });
    },
  };
}
