// Test support of the portal's pages: closes them at the end of a test, and saves those of one that failed.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { onTestFinished, TestRunner } from 'vitest';

/** Ignored by git. */
export const ARTEFACTS = 'test-artefacts';

/** Closes a browser context at the end of the current test, and saves its artefacts if the test has failed. */
export async function closeAtEnd(context: BrowserContext): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return;
  // Without snapshots of the page: with them a test takes a third longer.
  await context.tracing.start();
  onTestFinished(async () => {
    if (test.result?.state !== 'fail') {
      // A trace that is not stopped leaves its temporary files behind.
      await context.tracing.stop();
    } else {
      const directory = join(ARTEFACTS, `${test.fullName.replace(/[^\p{L}\d]+/gu, '-').slice(0, 150)}-${Date.now()}`);
      await saveArtefacts(context, directory);
      console.error(`The page of the failed test is in ${directory}`);
    }
    await context.close();
  });
}

/** `0.png`, `0.html`, … of each open page, and `trace.zip`. */
export async function saveArtefacts(context: BrowserContext, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [index, page] of context.pages().entries()) {
    await page.screenshot({ path: join(directory, `${index}.png`), fullPage: true }).catch(() => {});
    await writeFile(join(directory, `${index}.html`), await page.content().catch(String));
  }
  await context.tracing.stop({ path: join(directory, 'trace.zip') });
}
