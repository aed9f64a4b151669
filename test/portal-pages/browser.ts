// Test support: pages of the portal in Chromium, served by a real gateway.

import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Database } from '#database/database.ts';
import { accountOfUser, storePassword } from '#repositories/accounts/people.ts';
import type { User } from '#repositories/users.ts';
import { sharedChromium } from '#test/support/chromium.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { closeAtEnd } from './artefacts.ts';

/** Password of every account in these tests. */
export const PASSWORD = 'correct horse battery staple';
/** With the lowest cost, which verifying has, too: at the product's, each sign-in takes 24 ms of CPU. */
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$Hc/yXSC3/zG6TFEeqTDq4Q$+EXw287rF6OojSuf0zY0cRw6B3kmhbPJGr5S49Hn1yY';

export const DESKTOP = { width: 1440, height: 900 };
export const TABLET = { width: 820, height: 1180 };
export const PHONE = { width: 390, height: 844 };

export type Scheme = 'light' | 'dark';

export interface Look {
  scheme?: Scheme;
  viewport?: { width: number; height: number };
  /** en-GB by default. */
  locale?: string;
  timezoneId?: string;
}

/** A page, with its violations of the content security policy, uncaught errors, and requests to other origins. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Messages of violations and uncaught errors, and URLs of other origins. */
  faults: string[];
}

export interface Pages {
  gateway: TestGateway;
  url: string;
  database: Database;
  browser: Browser;
  /** A new browser context without a session, which is closed at the end of the test. */
  visit(look?: Look): Promise<Visit>;
  /** The same in which the user is signed in, and no page is open yet. */
  visitAs(user: User, look?: Look): Promise<Visit>;
  /** Gives the user's account the password. */
  givePassword(user: User): Promise<void>;
  stop(): Promise<void>;
}

/** `url`: the origin at which browsers reach the gateway, if that is not its own. */
export async function startPages({ url: reached, ...options }: GatewayOptions & { url?: string } = {}): Promise<Pages> {
  const gateway = await startGateway({ ...options, env: { TRUST_PROXY: '127.0.0.1', ...options.env } });
  const browser = await sharedChromium().catch(async (error: unknown) => {
    await gateway.stop();
    throw error;
  });
  const { database } = gateway;
  const url = reached ?? gateway.url;
  const visit = (look?: Look) => openVisit(browser, url, look);
  const givePassword = async (user: User) => {
    const account = await accountOfUser(database, user.id);
    if (account === null) throw new Error(`there is no user ${user.id}`);
    await storePassword(database, account.id, PASSWORD_HASH);
  };
  return {
    gateway,
    url,
    database,
    browser,
    visit,
    givePassword,
    async visitAs(user, look) {
      await givePassword(user);
      const visited = await visit(look);
      await signInQuietly(visited.context, url, user.email);
      return visited;
    },
    async stop() {
      for (const context of browser.contexts()) await context.close();
      await gateway.stop();
    },
  };
}

async function openVisit(browser: Browser, url: string, look: Look = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: look.viewport ?? DESKTOP,
    colorScheme: look.scheme ?? 'light',
    reducedMotion: 'reduce',
    locale: look.locale ?? 'en-GB',
    ...(look.timezoneId === undefined ? {} : { timezoneId: look.timezoneId }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
  await closeAtEnd(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  return { page, context, faults };
}

let signIns = 0;

/**
 * Signs in by a request of the browser context, which keeps the cookies. Each sign-in has its own client address, since
 * sign-ins are limited to ten a minute per address.
 */
async function signInQuietly(context: BrowserContext, url: string, email: string): Promise<void> {
  signIns += 1;
  const response = await context.request.post(`${url}/portal/auth/sign-in/email`, {
    headers: { Origin: url, 'X-Forwarded-For': `198.18.${signIns >> 8}.${signIns & 255}` },
    data: { email, password: PASSWORD },
  });
  expect(response.status()).toBe(200);
}

/** Calls the portal's endpoint with the session of the browser context, without a page. */
export async function operate(
  { context }: Visit,
  url: string,
  operation: string,
  variables: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { data?: unknown; error?: { code: string } } }> {
  const response = await context.request.post(`${url}/portal/graphql`, {
    headers: { Origin: url, ...headers },
    data: { operation, variables },
  });
  return { status: response.status(), body: await response.json() };
}

/**
 * Carries out the work while the page's requests wait, so that none of its regular reads tells it meanwhile that its
 * session has ended or belongs to somebody else.
 */
export async function unnoticed(page: Page, work: () => Promise<unknown>): Promise<void> {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  await page.route('**/portal/{graphql,auth/**}', async (route) => {
    await done;
    await route.continue();
  });
  await work();
  finish();
  await page.unrouteAll({ behavior: 'wait' });
}

/** Lets a page with an installed clock read everything again, as after a minute without a connection. */
export async function readAnew(page: Page): Promise<void> {
  await page.clock.fastForward(60_000);
  await page.evaluate(() => ['offline', 'online'].map((event) => dispatchEvent(new Event(event))));
}

/** Returns once the page shows what it has received so far. */
export const rendered = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown))));

/** Returns once the page shows the response to the request, at this URL, that an event of its window causes. */
export async function afterEvent(page: Page, event: 'focus' | 'online', url: string): Promise<void> {
  const read = page.waitForResponse(url);
  await page.evaluate((type) => dispatchEvent(new Event(type)), event);
  await (await read).finished();
  await rendered(page);
}

/** Violations that axe finds once no request of the page is outstanding, one line each. */
export const violations = (page: Page): Promise<string[]> => analyzed(page, {});

/** The same in light and in dark colours. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const light = await violations(page);
  await choose(page, 'dark');
  const dark = await lowContrasts(page);
  await choose(page, 'light');
  return [...light, ...dark.map((line) => `dark: ${line}`)];
}

/** Violations, missing styles, horizontal scrolling and small targets, in both schemes at the width of each device. */
export async function faultsOnEveryScreen(page: Page): Promise<string[]> {
  const before = page.viewportSize() ?? DESKTOP;
  const found = (await unstyled(page)).map((name) => `no style for ${name}`);
  for (const scheme of ['light', 'dark'] as const) {
    await choose(page, scheme);
    for (const screen of [DESKTOP, TABLET, PHONE]) {
      await page.setViewportSize(screen);
      const faults = scheme === 'light' ? await faultsOnScreen(page, screen) : await lowContrasts(page);
      found.push(...faults.map((line) => `${scheme}, ${screen.width} pixels wide: ${line}`));
    }
  }
  await choose(page, 'light');
  await page.setViewportSize(before);
  return found;
}

async function faultsOnScreen(page: Page, screen: Look['viewport']): Promise<string[]> {
  const wide = (await overflow(page)) > 0 ? ['wider than the screen'] : [];
  const doubled = (await overflowOfLargeText(page)) > 0 ? ['wider than the screen where text is twice as large'] : [];
  const small = screen === PHONE ? await smallTargets(page) : [];
  return [...(await violations(page)), ...wide, ...doubled, ...small];
}

/** Minified, because parsing it takes longer than checking a page. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Violations of the rules of axe that depend on colours. */
export const lowContrasts = (page: Page): Promise<string[]> =>
  analyzed(page, { runOnly: ['color-contrast', 'link-in-text-block'] });

async function choose(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
}

async function analyzed(page: Page, options: axe.RunOptions): Promise<string[]> {
  // Content that is being updated is dimmed, which lowers its contrast.
  await nothingBusy(page);
  // During a transition, colours have intermediate values.
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
  // axe checks only the main frame.
  expect(page.frames()).toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(
    async (asked) => {
      const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(asked);
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} (${failureSummary})`),
      );
    },
    // Without a description of each element that passes.
    { ...options, resultTypes: ['violations' as const] },
  );
}

/** Classes of the component library on the page without a rule in a loaded style sheet. Styles load per component. */
export function unstyled(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText);
    const known = rules.join();
    const classes = [...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList]);
    return [...new Set(classes)].filter((name) => /^m_[0-9a-f]+$/.test(name) && !known.includes(name));
  });
}

/** Controls below 44 pixels, and fields into which a phone would zoom. Links within text may be smaller. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const labelled = '.mantine-Checkbox-body, .mantine-Radio-body, .mantine-PasswordInput-wrapper';
    const controls = document.querySelectorAll<HTMLElement>(
      'button, select, textarea:not([aria-hidden]), input, [role=button], th a, nav a',
    );
    return [...controls].flatMap((control) => {
      const { width, height } = (control.closest(labelled) ?? control).getBoundingClientRect();
      const name = `${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent?.slice(0, 40)}`;
      if (width < 2 || height < 2) return [];
      const zooms =
        control.matches('select, textarea, input') && Number.parseFloat(getComputedStyle(control).fontSize) < 16;
      const text = control.matches('input[type=checkbox], input[type=radio]');
      return [
        ...(height < 44 ? [`${name}: ${Math.round(height)} pixels high`] : []),
        ...(zooms && !text ? [`${name}: text smaller than 16 pixels`] : []),
      ];
    });
  });
}

/** Waits until the page has loaded its data. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await nothingBusy(page);
}

const nothingBusy = (page: Page): Promise<void> => expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);

/** Pixels by which the page is wider than the screen. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** The same with the browser's text size doubled (WCAG 1.4.4). The size is restored. */
export async function overflowOfLargeText(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const setText = (standard: number) => session.send('Page.setFontSizes', { fontSizes: { standard } });
  await setText(32);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px');
  const pixels = await overflow(page);
  await setText(16);
  await session.detach();
  return pixels;
}
