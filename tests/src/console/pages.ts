import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAccessibilityFaults, type Browser, type Page } from '@gatehouse/testing';
import { expect } from 'vitest';
import { createCode } from '../sessions/consoleBrowser.js';
import type { ConsoleWorld } from './world.js';

/** How a screen is shown. */
export interface Appearance {
  name: string;
  colorScheme: 'light' | 'dark';
  viewport: { width: number; height: number };
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };
const LIGHT: Appearance = { name: 'light', colorScheme: 'light', viewport: DESKTOP };
export const appearances: readonly Appearance[] = [
  LIGHT,
  { name: 'dark', colorScheme: 'dark', viewport: DESKTOP },
  { name: 'dark on a phone', colorScheme: 'dark', viewport: PHONE },
];

/** Where the tests leave what the screens looked like. */
const screenshots = join(tmpdir(), 'gatehouse-console-screenshots');

/** Opens the console with a sign-in link, as the ADMIN. */
export async function openConsole(
  browser: Browser,
  { api, baseUrl, user }: ConsoleWorld,
  { colorScheme, viewport }: Appearance = LIGHT,
): Promise<Page> {
  const code = await createCode(api, { orgUserId: user.id });
  const page = await browser.newPage(`${baseUrl}/console#sign-in=${code}`, { colorScheme, viewport });
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Goes to a screen by its address, as a link from elsewhere does. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
}

/** Leaves a screen, so that what it shows cannot pass for that of the next one. */
export async function leave(page: Page): Promise<void> {
  await visit(page, '/left');
  await heading(page, 'Page not found');
}

/** Waits for the title of a screen. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Whether no animation runs, except those that never end, such as that of a spinner. */
const IS_SETTLED =
  'document.getAnimations().every((each) => each.effect?.getTiming().iterations === Infinity)';

/** Keeps a picture of the page and returns its violations of accessibility. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  // What fades in or out has too little contrast meanwhile.
  await expect.poll(() => page.evaluate<boolean>(IS_SETTLED)).toBe(true);
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name.replaceAll(/\W+/g, '-')}.png`) });
  return findAccessibilityFaults(page);
}
