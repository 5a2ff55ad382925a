import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAccessibilityFaults, type Browser, type Page } from '@gatehouse/testing';
import { createCode } from '../sessions/consoleBrowser.js';
import type { ConsoleWorld } from './world.js';

/** How a screen is shown. */
interface Appearance {
  name: string;
  colorScheme: 'light' | 'dark';
  viewport: { width: number; height: number };
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };
const LIGHT: Appearance = { name: 'light', colorScheme: 'light', viewport: DESKTOP };
/** In an order in which the size changes once. */
const APPEARANCES: readonly Appearance[] = [
  LIGHT,
  { name: 'dark', colorScheme: 'dark', viewport: DESKTOP },
  { name: 'dark on a phone', colorScheme: 'dark', viewport: PHONE },
  { name: 'light on a phone', colorScheme: 'light', viewport: PHONE },
];

/** Where the tests leave what screens with faults looked like. */
const screenshots = join(tmpdir(), 'gatehouse-console-screenshots');

/** Opens the console with a sign-in link, as the ADMIN. */
export async function openConsole(
  browser: Browser,
  { api, baseUrl, user }: Pick<ConsoleWorld, 'api' | 'baseUrl'> & { user: { id: string } },
): Promise<Page> {
  const code = await createCode(api, { orgUserId: user.id });
  const page = await browser.newPage(
    `${baseUrl}/console?project=${api.project.projectId}#sign-in=${code}`,
    LIGHT,
  );
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

async function show(page: Page, { colorScheme, viewport }: Appearance): Promise<void> {
  await page.emulateMedia({ colorScheme });
  if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport);
}

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** The buttons that are wider than their cell, which cuts their texts without an ellipsis. */
const CUT = `[...document.querySelectorAll('main [role=cell] button')]
  .filter((button) => {
    const end = button.closest('[role=cell]').getBoundingClientRect().right;
    return button.getBoundingClientRect().right > end + 1;
  })
  .map(({ textContent }) => textContent.trim())`;

/**
 * Returns what is wrong with what the page shows, in both themes and at both widths: violations of
 * accessibility, markup that came from a record, buttons that are wider than their cell, and a page that is
 * wider than the screen. It keeps a picture of what has faults.
 */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const all: string[] = [];
  for (const appearance of APPEARANCES) {
    await show(page, appearance);
    const faults = await findAccessibilityFaults(page);
    if ((await page.evaluate<number>(OVERFLOW)) > 0) faults.push('wider than the screen');
    faults.push(...(await page.evaluate<string[]>(CUT)).map((text) => `wider than its cell: ${text}`));
    if (faults.length === 0) continue;
    await mkdir(screenshots, { recursive: true });
    const file = `${name} ${appearance.name}`.replaceAll(/\W+/g, '-');
    await page.screenshot({ path: join(screenshots, `${file}.png`) });
    all.push(...faults.map((fault) => `${appearance.name}: ${fault}`));
  }
  await show(page, LIGHT);
  if ((await page.locator('main img, main iframe, main script').count()) > 0)
    all.push('markup of a record in the page');
  return all;
}
