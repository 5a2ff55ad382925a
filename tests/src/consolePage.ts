import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAccessibilityFaults, type Browser, type Page } from '@gatehouse/testing';
import type { TestServer } from './servers.js';

/** Where the tests leave what the views looked like. */
const screenshots = join(tmpdir(), 'gatehouse-console-screenshots');

const TABS_MAX = 80;
/** What the focused element is called, as assistive technology would: the label, else the text. */
const FOCUSED_NAME = `(() => {
  const focused = document.activeElement;
  const label = focused?.getAttribute('aria-label') ?? focused?.labels?.[0]?.querySelector('span')?.textContent;
  return (label ?? focused?.textContent ?? '').trim();
})()`;

/**
 * Presses Tab until the element with this name is focused.
 * @throws Error with the names of all focused elements if none matches
 */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < TABS_MAX; count += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED_NAME);
    if (focused === name) return;
    passed.push(focused.slice(0, 40));
  }
  throw new Error(`Tab does not reach "${name}", only: ${passed.join(' | ')}`);
}

/** A page of the console, signed in as the ADMIN by the keyboard alone. */
export async function signIn(
  browser: Browser,
  { baseUrl, credentials }: TestServer,
  { colorScheme, hash = '' }: { colorScheme: 'light' | 'dark'; hash?: string },
): Promise<Page> {
  const page = await browser.newPage(`${baseUrl}/console${hash}`, { colorScheme });
  await tabTo(page, 'Project id');
  await page.keyboard.type(credentials.projectId);
  await tabTo(page, 'Project secret');
  await page.keyboard.type(credentials.projectSecret);
  await tabTo(page, 'User id');
  await page.keyboard.type(credentials.adminOrgUserId);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  return page;
}

/** Goes to a view by its address, as a link from elsewhere does. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Resolves when the status line has this text. */
export async function waitForStatus(page: Page, text: RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}

/** Keeps a picture of the page and answers what is wrong with it. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  return findAccessibilityFaults(page);
}
