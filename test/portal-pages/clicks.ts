// Test support of the portal's pages: how often a person presses, from when the counting began.

import type { Page } from 'playwright-core';

/** Counts presses of the mouse or a finger from now on, across pages. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    const { countClick } = globalThis as unknown as { countClick: () => void };
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && countClick(), true);
  });
  return () => clicks;
}
