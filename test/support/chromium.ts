// The machine's own Chromium: what the pages of the portal are looked at with.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** `CHROMIUM` names another. */
export function launchChromium(): Promise<Browser> {
  const found = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (found === undefined) throw new Error('The pages of the portal need Chromium; CHROMIUM names it.');
  return chromium.launch({
    executablePath: found,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}
