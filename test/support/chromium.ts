// The machine's own Chromium: what the pages of the portal are looked at with.

import { type Browser, chromium } from 'playwright-core';
import { findBinary } from './binaries.ts';

/** The shell is the same engine without windows, extensions and profiles, and takes little more than half the time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

let shared: Promise<Browser> | undefined;

/** One for all test files of a process, with which it ends. */
export async function sharedChromium(): Promise<Browser> {
  // One that could not be started is no reason not to try again.
  const running = await shared?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared = launchChromium();
  return shared;
}

/** `CHROMIUM` names another. */
export function launchChromium(): Promise<Browser> {
  const found = process.env.CHROMIUM ?? NAMES.map(findBinary).find((path) => path !== undefined);
  if (found === undefined) throw new Error('The pages of the portal need Chromium; CHROMIUM names it.');
  return chromium.launch({
    executablePath: found,
    // Without a separate GPU process, opening a page takes an eighth less CPU time.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--in-process-gpu'],
  });
}
