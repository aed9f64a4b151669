// The machine's own Chromium: what the pages of the portal are looked at with.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The shell is the same engine without windows, extensions and profiles, at two thirds of the time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

let shared: Promise<Browser> | undefined;

/** One for all test files of a process, with which it ends. */
export async function sharedChromium(): Promise<Browser> {
  const running = await shared;
  if (running?.isConnected()) return running;
  shared = launchChromium();
  return shared;
}

/** `CHROMIUM` names another. */
export function launchChromium(): Promise<Browser> {
  const found = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (found === undefined) throw new Error('The pages of the portal need Chromium; CHROMIUM names it.');
  return chromium.launch({
    executablePath: found,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}
