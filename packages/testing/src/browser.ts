import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { BrowserContext, Page, Request, Route } from 'playwright-core';

export type { Page, Route };

/** The paths of the packages of Debian, Ubuntu and Google and of the disk images for macOS. */
const PROGRAMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const ACTION_TIMEOUT_MS = 120_000;
/**
 * Chromium drops all connections, also those to this machine, whenever any network interface appears or
 * disappears, such as those of containers.
 */
const DROPPED = 'net::ERR_NETWORK_CHANGED';
const LOADS_MAX = 5;

/**
 * The features that Playwright disables. Chromium uses only the last of two such switches, so they are
 * repeated here.
 */
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
 * Each page has an address bar, also without a window, and that has two pages of its own for its popups, in a
 * process of their own. These take more time than most of the tested pages.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** The process that Chromium starts in advance for the next page. Most pages here do not need it. */
const SPARE_PROCESS = 'SpareRendererForSitePerProcess';
const ARGUMENTS = [`--disable-features=${[...OFF_BY_PLAYWRIGHT, ...ADDRESS_BAR, SPARE_PROCESS].join(',')}`];

export interface PageOptions {
  colorScheme?: 'light' | 'dark';
  /** The size of the window in pixels; 1280 by 720 by default. */
  viewport?: { width: number; height: number };
}

/**
 * A headless Chromium that this process started. Disposing of it throws if its pages had problems that no
 * test took.
 */
export interface Browser extends AsyncDisposable {
  /** Opens a page in a profile of its own: no cookies, no storage, nothing from previous pages. */
  newPage(url: string, options?: PageOptions): Promise<Page>;
  /**
   * Returns and clears the errors on the console, violations of the content security policy and uncaught
   * exceptions.
   */
  takeProblems(): string[];
}

/**
 * Starts Chromium.
 *
 * @throws Error with the installation command if it is missing
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = PROGRAMS.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'Chromium is not installed. Debian: apt-get install chromium. ' +
        'Others: https://www.chromium.org/getting-involved/download-chromium/',
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
    newPage: async (url, { colorScheme = 'light', viewport } = {}) => {
      const context = await browser.newContext({
        colorScheme,
        // What fades in has too little contrast meanwhile.
        reducedMotion: 'reduce',
        ...(viewport ? { viewport } : {}),
      });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      recordProblems(context, (problem) => problems.push(problem));
      const page = await context.newPage();
      // The browser may be closed before the profile is.
      page.on('close', () => void context.close().catch(() => {}));
      await loadPage(page, url);
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

/** Loads a page with all its resources, and retries if a change of the machine's network interrupts that. */
export async function loadPage(page: Page, url: string): Promise<void> {
  for (let loads = 1; ; loads += 1) {
    let isDropped = false;
    const note = (request: Request): void => {
      isDropped ||= request.failure()?.errorText === DROPPED;
    };
    page.on('requestfailed', note);
    // Navigating to the same address would not reload a page whose address has a fragment.
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

/** The violations that axe-core finds. */
interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * Resolves when what observes the size of the window has drawn, and no animation runs, except those that
 * never end, such as that of a spinner: what fades in or out has too little contrast meanwhile.
 */
const SETTLED = `(async () => {
  const nextFrame = () => new Promise(requestAnimationFrame);
  const isRunning = ({ effect, playState }) =>
    playState === 'running' && effect?.getTiming().iterations !== Infinity;
  for (let frames = 0; frames < 2 || document.getAnimations().some(isRunning); frames += 1) await nextFrame();
})()`;

/**
 * The violations that axe-core finds in the current page, by the rules of WCAG 2.2 A and AA and its best
 * practices; empty if there are none.
 */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await loadAxe(page);
  await page.evaluate(SETTLED);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}

/** Injects axe-core into the page if it is missing: reading it takes as long as running it. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("'axe' in globalThis")) return;
  const { default: axe } = await import('axe-core');
  // A string is evaluated as in the page's developer tools: the content security policy does not apply to it.
  await page.evaluate(axe.source);
}
