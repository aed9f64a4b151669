// Test support of the portal's pages: counts clicks.

import type { Page } from 'playwright-core';

/** Counts clicks and taps from now on, across pages. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    const { countClick } = globalThis as unknown as { countClick: () => void };
    // Not of the window, where Playwright stops a click that would miss its target, and repeats it.
    document.addEventListener('pointerdown', ({ isTrusted }) => isTrusted && countClick(), true);
  });
  return () => clicks;
}
