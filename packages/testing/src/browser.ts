import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { BrowserContext, Page, Request, Route } from 'playwright-core';

export type { Page, Route };

/** Where the packages of Debian, Ubuntu and Google and the disk images for macOS put the program. */
const PROGRAMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const ACTION_TIMEOUT_MS = 15_000;
/**
 * Chromium drops all connections, those to this machine too, when any interface of the machine comes or goes, as those of
 * containers do.
 */
const DROPPED = 'net::ERR_NETWORK_CHANGED';
const LOADS_MAX = 5;

/** What Playwright turns off. Of two such switches Chromium takes the last alone, so these are named again. */
const OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
/**
 * Without a window too, each page has an address bar, and that two pages of its own for what drops down from it, in a process of
 * their own. These take more time than most of the pages that are tested.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** The process that Chromium starts beforehand for whatever page comes next: for most pages here, none does. */
const SPARE_PROCESS = 'SpareRendererForSitePerProcess';
const ARGUMENTS = [`--disable-features=${[...OFF_BY_PLAYWRIGHT, ...ADDRESS_BAR, SPARE_PROCESS].join(',')}`];

/** A Chromium without a window, that this process started. Disposing of it throws when its pages had problems that no test took. */
export interface Browser extends AsyncDisposable {
  /** Opens a page in a profile of its own: no cookies, no storage, nothing from the pages before. */
  newPage(url: string, options?: { colorScheme?: 'light' | 'dark' }): Promise<Page>;
  /** Errors on the console, violations of the content security policy among them, and uncaught exceptions; forgets them. */
  takeProblems(): string[];
}

/**
 * Starts Chromium.
 *
 * @throws Error saying how to get Chromium when it is missing.
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = PROGRAMS.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'Chromium is not installed. Debian: apt-get install chromium. Others: https://www.chromium.org/getting-involved/download-chromium/',
    );
  }
  // Most tests that load this package start no browser.
  const { chromium } = await import('playwright-core');
  // Chromium's sandbox refuses to run as root.
  const chromiumSandbox = userInfo().uid !== 0;
  const browser = await chromium.launch({ executablePath, chromiumSandbox, args: ARGUMENTS });
  let problems: string[] = [];
  const takeProblems = (): string[] => {
    const taken = problems;
    problems = [];
    return taken;
  };
  return {
    newPage: async (url, { colorScheme = 'light' } = {}) => {
      const context = await browser.newContext({ colorScheme });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      recordProblems(context, (problem) => problems.push(problem));
      const page = await context.newPage();
      // The browser may be closed before the profile is.
      page.on('close', () => void context.close().catch(() => {}));
      await load(page, url);
      return page;
    },
    takeProblems,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      const left = takeProblems();
      if (left.length > 0) throw new Error(`The browser had problems:\n${left.join('\n')}`);
    },
  };
}

/** Loads a page with all that it consists of, again when that was cut short by what the machine's network does. */
async function load(page: Page, url: string): Promise<void> {
  for (let loads = 1; ; loads += 1) {
    let isDropped = false;
    const note = (request: Request): void => {
      isDropped ||= request.failure()?.errorText === DROPPED;
    };
    page.on('requestfailed', note);
    // Going to where it is already would not load a page again whose address has a fragment.
    const loaded = loads === 1 ? page.goto(url) : page.reload();
    const failure = await loaded.then(
      () => null,
      (error: unknown) => error,
    );
    page.off('requestfailed', note);
    if (isDropped && loads < LOADS_MAX) continue;
    if (failure instanceof Error) throw failure;
    return;
  }
}

function recordProblems(context: BrowserContext, record: (problem: string) => void): void {
  context.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes(DROPPED))
      record(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (webError) => record(String(webError.error())));
}

/** What axe-core says in the page. */
interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * What axe-core finds wrong with the page as it is shown now, by the rules of WCAG 2.2 A and AA and its best practices;
 * nothing when all is well.
 */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await loadAxe(page);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}

/** Puts axe-core into the page, unless it is there: to read it takes as long as to run it. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("'axe' in globalThis")) return;
  const { default: axe } = await import('axe-core');
  // A string is evaluated as the page's own tools would: the content security policy does not concern it.
  await page.evaluate(axe.source);
}
