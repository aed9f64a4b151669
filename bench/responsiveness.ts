// Bench: whether the portal responds to every input at once, however large a page is; in Chromium.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/support/chromium.ts';
import { CONTESTANTS, PRODUCT } from './contestants.ts';
import { type Waited, watchInteractions } from './interactions.ts';
import { loadPortalData, PASSWORD, type PortalData } from './portal-data.ts';
import { PORTAL_PAGES, type PortalPage } from './portal-pages.ts';
import { startContestant } from './processes.ts';
import { note } from './progress.ts';
import { markdownTable } from './report.ts';
import { startPostgres, startRedis } from './servers.ts';

const BUILT = join(import.meta.dirname, '../portal/dist/index.html');
const VIEWPORT = { width: 1440, height: 900 };

export async function measureResponsiveness(): Promise<string> {
  const product = CONTESTANTS.find(({ name }) => name === PRODUCT);
  if (product === undefined) throw new Error('the product is no contestant');
  if (!existsSync(BUILT)) throw new Error('The portal is not built; run: npm run build');
  await using stack = new AsyncDisposableStack();
  const closing = <Opened>(opened: Opened, close: (opened: Opened) => Promise<void>): Opened => {
    stack.defer(() => close(opened));
    return opened;
  };
  const postgres = closing(await startPostgres(undefined), (server) => server.stop());
  const redis = closing(await startRedis(), (server) => server.stop());
  note('responsiveness: data');
  const data = await loadPortalData(postgres.url);
  const services = { databaseUrl: postgres.url, redisUrl: redis.url, collectorUrl: '' };
  const { origin } = closing(await startContestant(product, services), (running) => running.stop());
  const browser = closing(await launchChromium(), (opened) => opened.close());
  const measured: [PortalPage, Waited][] = [];
  for (const portalPage of PORTAL_PAGES) {
    note(`responsiveness: ${portalPage.name}`);
    measured.push([portalPage, await measurePage(browser, origin, data, portalPage)]);
  }
  return describe(measured, browser.version());
}

async function measurePage(
  browser: Browser,
  origin: string,
  data: PortalData,
  { as, address, open, use }: PortalPage,
): Promise<Waited> {
  const page = await signIn(browser, origin, data[as].email);
  try {
    await page.goto(address(data));
    await open(page);
    const waited = await watchInteractions(page);
    await use(page);
    return await waited();
  } finally {
    await page.context().close();
  }
}

async function signIn(browser: Browser, origin: string, email: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin, viewport: VIEWPORT, reducedMotion: 'reduce' });
  const response = await context.request.post('/portal/auth/sign-in/email', {
    headers: { Origin: origin },
    data: { email, password: PASSWORD },
  });
  if (!response.ok()) throw new Error(`${email} cannot sign in: ${response.status()} ${await response.text()}`);
  return context.newPage();
}

function describe(measured: [PortalPage, Waited][], version: string): string {
  const wait = (ms: number) => (ms === 0 ? 'under 16' : `${ms}`);
  const { width, height } = VIEWPORT;
  return [
    `Chromium ${version} at ${width} × ${height} on all cores, the product on one of them. Milliseconds from a key or`,
    'click to the next paint: the slowest but one for every 50 interactions, as browsers count it. Up to 200 is good.\n',
    markdownTable(
      ['page', 'what is done', 'interactions', 'interaction to next paint, ms', 'slowest, ms'],
      measured.map(([{ name, what }, { interactions, nextPaint, slowest }]) => [
        ...[name, what, interactions, wait(nextPaint), wait(slowest)],
      ]),
      2,
    ),
  ].join('\n');
}
