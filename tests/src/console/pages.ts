import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAccessibilityFaults, type Browser, type Page } from '@gatehouse/testing';
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
  { name: 'light on a phone', colorScheme: 'light', viewport: PHONE },
  { name: 'dark on a phone', colorScheme: 'dark', viewport: PHONE },
];

/** Where the tests leave what the screens looked like. */
const screenshots = join(tmpdir(), 'gatehouse-console-screenshots');

/** Opens the console, signed in as the ADMIN. */
export async function openConsole(
  browser: Browser,
  world: ConsoleWorld,
  { colorScheme, viewport }: Appearance = LIGHT,
): Promise<Page> {
  return browser.newPage(`${world.baseUrl}/console`, {
    colorScheme,
    viewport,
    prepare: (page) => signIn(page, world),
  });
}

/** Gives the page a session: the responses of the session routes, and a token in place of the cookie. */
async function signIn(page: Page, { api, baseUrl, user, project, target }: ConsoleWorld): Promise<void> {
  const now = Date.now();
  const session = {
    signedIn: true,
    methods: { oidc: false, code: true },
    session: {
      id: 's',
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 3_600_000).toISOString(),
    },
    user: { ...user, kind: 'organization' },
    projects: [project, { id: target.projectId, name: 'Staging' }],
    csrfToken: 'csrf',
  };
  await page.route(`${baseUrl}/console/session`, (route) => route.fulfill({ json: session }));
  await page.route(`${baseUrl}/api/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${api.admin.token}` } }),
  );
}

/** Goes to a screen by its address, as a link from elsewhere does. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
}

/** Waits for the title of a screen. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Keeps a picture of the page and returns its violations of accessibility. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name.replaceAll(/\W+/g, '-')}.png`) });
  return findAccessibilityFaults(page);
}
