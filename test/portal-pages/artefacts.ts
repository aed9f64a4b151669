// Test support of the portal's pages: saves a screenshot, the HTML and a trace of the pages of a failed test.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { onTestFailed, TestRunner } from 'vitest';

/** Ignored by git. */
export const ARTEFACTS = 'test-artefacts';

/** Starts the trace of a browser context, and saves its artefacts if the current test fails. */
export async function keepIfFailed(context: BrowserContext): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return;
  // Without snapshots of the page: with them a test takes a third longer.
  await context.tracing.start();
  const closeContext = context.close.bind(context);
  const close = async () => {
    // A trace that is not stopped leaves its temporary files behind. Some tests close twice.
    await context.tracing.stop().catch(() => {});
    await closeContext();
  };
  const save = async () => {
    const directory = join(ARTEFACTS, `${test.fullName.replace(/[^\p{L}\d]+/gu, '-').slice(0, 150)}-${Date.now()}`);
    await saveArtefacts(context, directory);
    console.error(`The page of the failed test is in ${directory}`);
    await close();
  };
  // Some tests close their contexts in a hook, which runs before `onTestFailed`.
  let saved: Promise<void> | undefined;
  context.close = () => {
    if (test.result?.state !== 'fail') return close();
    saved ??= save();
    return saved;
  };
  onTestFailed(() => context.close());
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
