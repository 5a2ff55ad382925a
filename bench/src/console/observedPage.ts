import type { Page } from '@gatehouse/testing';

/** What the main thread of the page did during a step. */
export interface Cost {
  /** Milliseconds from the start of the step to its content. */
  shownMs: number;
  /** The longest task in milliseconds; tasks of less than 50 ms are not reported by the browser. */
  longestTaskMs: number;
  /** Milliseconds of processor time, which other load on the machine does not lengthen. */
  cpuMs: number;
}

const OBSERVE = `(() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask' });
})()`;
/** The browser reports a long task after the frame that follows it. */
const TAKE_LONGEST = `new Promise((resolve) => setTimeout(() => {
  const longest = Math.max(0, ...window.longTasks);
  window.longTasks = [];
  resolve(longest);
}, 100))`;

/** How long an element is waited for before the measurement fails. */
const LIMIT_MS = 60_000;

/** Waits in the page for an element, frame by frame, and returns the milliseconds that it took. */
const waitFor = (start: string, selector: string) => `new Promise((resolve, reject) => {
  const startedAt = performance.now();
  ${start};
  const look = () => {
    const waited = performance.now() - startedAt;
    if (document.querySelector(${JSON.stringify(selector)}) !== null) resolve(waited);
    else if (waited > ${LIMIT_MS})
      reject(new Error(location.pathname + ' does not show ' + ${JSON.stringify(selector)}));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** A page of the console whose steps are measured. */
export class ObservedPage {
  private constructor(
    readonly page: Page,
    private readonly readCpuMs: () => Promise<number>,
  ) {}

  /** Observes a page that shows the console. */
  static async of(page: Page): Promise<ObservedPage> {
    await page.evaluate(OBSERVE);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new ObservedPage(page, async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
    });
  }

  /** Goes to a screen by its address, and measures the time until an element of its content is there. */
  async visit(path: string, content: string): Promise<Cost> {
    await this.page.evaluate(waitFor(`history.pushState(null, '', '/console/left')`, 'main h1'));
    await this.page.evaluate(waitFor('', 'main:not(:has([data-index], form, [role=grid], figure))'));
    const start = `history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`;
    return this.measure(() => this.page.evaluate<number>(waitFor(start, content)));
  }

  /** Waits until an element is there. */
  waitFor(selector: string): Promise<number> {
    return this.page.evaluate<number>(waitFor('', selector));
  }

  /** Measures a step, which may return the time that counts. */
  async measure(step: () => Promise<number | void>): Promise<Cost> {
    await this.page.evaluate(TAKE_LONGEST);
    const before = await this.readCpuMs();
    const startedAt = performance.now();
    const shownMs = (await step()) ?? performance.now() - startedAt;
    const longestTaskMs = await this.page.evaluate<number>(TAKE_LONGEST);
    return { shownMs, longestTaskMs, cpuMs: (await this.readCpuMs()) - before };
  }
}
