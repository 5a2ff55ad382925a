import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAccessibilityFaults, startBrowser, type Browser } from './browser.js';

const GOOD = `<!doctype html><html lang="en"><title>Good</title><main><h1>Good</h1></main></html>`;
const BODIES: Record<string, string> = {
  '/good': GOOD,
  '/inline': GOOD.replace('</main>', '<script>document.title = "ran";</script></main>'),
  '/throwing': GOOD.replace('</main>', '<script src="throwing.js"></script></main>'),
  '/throwing.js': 'console.error("logged"); throw new Error("thrown");',
  '/unlabelled': GOOD.replace('</main>', '<input></main>'),
};

describe('a browser', () => {
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'");
      response.statusCode = url in BODIES ? 200 : 404;
      response.end(BODIES[url]);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    server.close();
  });

  it('reports no problem for a correct page', async () => {
    const page = await browser.newPage(`${origin}/good`, { colorScheme: 'dark' });
    expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(browser.takeProblems().filter((problem) => !problem.includes('/favicon.ico'))).toEqual([]);
  });

  it('records a script that the content security policy blocks', async () => {
    const page = await browser.newPage(`${origin}/inline`);
    expect(await page.title()).toBe('Good');
    expect(browser.takeProblems()).toContainEqual(expect.stringContaining('Content Security Policy'));
  });

  it('records the exceptions and the console errors of a script', async () => {
    await browser.newPage(`${origin}/throwing`);
    const problems = browser.takeProblems();
    expect(problems).toContainEqual(expect.stringContaining('logged'));
    expect(problems).toContainEqual(expect.stringContaining('thrown'));
  });

  it('finds a field without a label', async () => {
    const page = await browser.newPage(`${origin}/unlabelled`);
    expect(await findAccessibilityFaults(page)).toContainEqual(expect.stringMatching(/^label: /));
    browser.takeProblems();
  });

  // The last test, because it ends the browser; ending it again in the hook does nothing.
  it('fails to end if problems are left', async () => {
    await browser.newPage(`${origin}/throwing`);
    await expect(browser[Symbol.asyncDispose]()).rejects.toThrow(/thrown/);
  });
});
