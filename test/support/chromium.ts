// The Chromium of this machine, for tests of the portal's pages.

import { type Browser, chromium } from 'playwright-core';
import { findBinary } from './binaries.ts';

/** In order of preference: the headless shell takes little more than half the time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

let shared: Promise<Browser> | undefined;

/** One browser for all test files of a process; it ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  // After a failed start, try again.
  const running = await shared?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared = launchChromium([NOT_OPTIMIZED]);
  return shared;
}

/** A page under test is open too briefly for optimized code to save the time in which it is compiled. */
const NOT_OPTIMIZED = '--js-flags=--no-opt --no-maglev';

/** Starts `CHROMIUM`, or the first of NAMES that is installed. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const found = process.env.CHROMIUM ?? NAMES.map(findBinary).find((path) => path !== undefined);
  if (found === undefined) throw new Error('The pages of the portal need Chromium; CHROMIUM names it.');
  return chromium.launch({
    executablePath: found,
    // Without a separate GPU process, opening a page takes an eighth less CPU time.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--in-process-gpu', ...more],
  });
}
