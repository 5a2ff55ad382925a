import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspect, leave, openConsole, visit } from './src/console/pages.js';
import { consoleScreens } from './src/console/screens.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let browser: Browser;
let world: ConsoleWorld;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({ DEMO: '1' }), startBrowser()]);
  world = await createConsoleWorld(server);
  page = await openConsole(browser, world);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe('the screen', () => {
  it.each(consoleScreens)('$name is accessible and inert', async ({ name, path, ready, status }) => {
    await leave(page);
    await visit(page, path(world));
    await ready(page, world);
    expect(await inspect(page, name)).toEqual([]);
    expect(await page.title()).not.toBe('1');
    const problems = browser.takeProblems();
    expect(problems.filter((problem) => status === undefined || !problem.includes(status))).toEqual([]);
  });
});
