// Bench: the portal's largest pages, and interactions with them.
import type { Page } from 'playwright-core';
import { ITEMS, KEYS, type PortalData, RECORDS } from './portal-data.ts';

export interface PortalPage {
  name: string;
  /** The interactions, for the report. */
  what: string;
  as: 'client' | 'member';
  address: (data: PortalData) => string;
  /** Runs before watching starts. */
  open: (page: Page) => Promise<void>;
  use: (page: Page) => Promise<void>;
}

const count = (number: number): string => number.toLocaleString('en-GB');

/** Presses keys one after the other, as fast as people do. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(60);
  }
}

/** Rows load as they are reached, so the end moves until it has been loaded. */
async function pressEndUntil(page: Page, isReached: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await isReached()) return;
    await press(page, 'End');
  }
  throw new Error(`the end of ${page.url()} was not reached`);
}

const itemPicker: PortalPage = {
  name: `item picker, ${count(ITEMS)} items, all chosen`,
  what: 'clicks and keys in the list, a search letter by letter, a scope switched',
  as: 'client',
  address: ({ keyId }) => `/portal/connected/new?key=${keyId}`,
  async open(page) {
    await page.getByRole('radio', { name: 'Chosen items' }).check();
    await page.getByText(`${count(ITEMS)} items`, { exact: true }).waitFor();
    await page.getByRole('option', { name: 'Lot 10000' }).waitFor();
    await page.getByRole('button', { name: `Choose all ${count(ITEMS)}` }).click();
    await page.getByText(`${count(ITEMS)} items chosen`).waitFor();
  },
  async use(page) {
    for (const title of ['Lot 10000', 'Lot 09999', 'Lot 09998', 'Lot 09999'])
      await page.getByRole('option', { name: title }).click();
    await page.getByRole('listbox', { name: 'Your items' }).focus();
    await press(page, 'ArrowDown', 'PageDown', 'Space', 'End', 'Home', 'Space');
    await page.getByLabel('Search').pressSequentially('lot 0500', { delay: 40 });
    await page.getByText('10 items', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Who inherits it' }).click();
  },
};

const accessRecord: PortalPage = {
  name: `access record, ${count(RECORDS)} rows`,
  what: 'walked to its end, back to its start, filtered',
  as: 'client',
  address: () => '/portal/record',
  open: (page) => rowsOf(page, 'Access record').first().waitFor(),
  async use(page) {
    const end = page.getByText('The end of the record.');
    await pressEndUntil(page, async () => (await end.count()) > 0);
    await press(page, 'End', 'PageUp', 'PageUp', 'Home', 'PageDown');
    await page.getByLabel('Outcome').focus();
    await press(page, 'ArrowDown');
    await rowsOf(page, 'Access record').first().waitFor();
  },
};

const keys: PortalPage = {
  name: `keys of a firm, ${count(KEYS)} of them`,
  what: 'walked to their end, back to their start, searched letter by letter, filtered',
  as: 'member',
  address: () => '/portal/keys',
  open: (page) => rowsOf(page, 'API keys').first().waitFor(),
  async use(page) {
    const oldest = page.getByRole('link', { name: 'Integration 1', exact: true });
    await pressEndUntil(page, () => oldest.isVisible());
    await press(page, 'End', 'PageUp', 'PageUp', 'Home', 'PageDown', 'Home');
    const search = page.getByLabel('Name or last four');
    await search.pressSequentially('integration 25', { delay: 40 });
    await page.getByRole('link', { name: 'Integration 250' }).waitFor();
    await search.press('ControlOrMeta+a');
    await press(page, 'Delete');
    await page.getByLabel('Environment').focus();
    await press(page, 'ArrowDown');
    await rowsOf(page, 'API keys').first().waitFor();
  },
};

const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

export const PORTAL_PAGES: readonly PortalPage[] = [itemPicker, accessRecord, keys];
