import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  fillOrganization,
  startBrowser,
  type Browser,
  type OrganizationSize,
  type SendRequest,
} from '@gatehouse/testing';
import { caller, issueToken } from '../seed.js';
import { readCredentials, startGatehouse } from '../servers.js';
import { ObservedPage, type Cost } from './observedPage.js';
import { screensOf, stepsOf, type MeasuredIds } from './steps.js';

const SMALL: OrganizationSize = { dashboards: 20, people: 20, groups: 5, policies: 5, others: 5 };
const LARGE: OrganizationSize = { dashboards: 5000, people: 2000, groups: 200, policies: 100, others: 120 };

/** The path of the expected 404: no project here has version control. */
const NOT_CONNECTED = '/version-control';

/** The cost of a screen or a step in a small organization and in a large one. */
export interface ConsoleCost {
  name: string;
  small: Cost;
  large: Cost;
}

/** The costs of the console by the number of records. */
export interface ConsoleScale {
  size: OrganizationSize;
  screens: ConsoleCost[];
  steps: ConsoleCost[];
}

/** An organization whose console is open. */
interface World extends AsyncDisposable {
  ids: MeasuredIds;
  open(): Promise<ObservedPage>;
}

async function startWorld(browser: Browser, size: OrganizationSize): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-console-'));
  // The organization is created in batches, which take long on a busy machine.
  const settings = { REQUEST_TIMEOUT_MS: '120000', COMPILE_TIMEOUT_MS: '60000' };
  const server = await startGatehouse('standalone', { dataDir, settings });
  const dispose = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const credentials = await readCredentials(dataDir);
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = credentials;
    const call = caller(server.baseUrl, await issueToken(credentials, { orgUserId }));
    const send: SendRequest = (method, path, body) => call(method, path, body);
    const filled = await fillOrganization(send, projectId, size);
    const ids = { ...filled, ownerId: orgUserId, filledAt: new Date().toISOString() };
    const open = async () => {
      const body = { projectId, projectSecret, orgUserId };
      const { signInCode } = await caller(server.baseUrl)('POST', '/api/v1/sign-in-codes', body);
      const viewport = { width: 1280, height: 860 };
      const page = await browser.newPage(`${server.baseUrl}/console#sign-in=${signInCode}`, { viewport });
      await page.waitForSelector('main h1');
      return ObservedPage.of(page);
    };
    return { ids, open, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The least of the times of a cost, each by itself: other load only lengthens them. */
function leastOf(costs: readonly Cost[]): Cost {
  const least = (pick: (cost: Cost) => number) => Math.min(...costs.map(pick));
  return {
    shownMs: least(({ shownMs }) => shownMs),
    longestTaskMs: least(({ longestTaskMs }) => longestTaskMs),
    cpuMs: least(({ cpuMs }) => cpuMs),
  };
}

type Costs = Map<string, Cost>;

/** Opens every screen in a new page, which has neither code nor records. */
async function measureScreens({ ids, open }: World): Promise<Costs> {
  const observed = await open();
  const costs: Costs = new Map();
  for (const { name, path, content } of screensOf(ids)) costs.set(name, await observed.visit(path, content));
  await observed.page.close();
  return costs;
}

async function measureSteps({ ids, open }: World): Promise<Costs> {
  const observed = await open();
  const costs: Costs = new Map();
  for (const { name, path, content, run } of stepsOf(ids)) {
    await observed.visit(path, content);
    costs.set(name, await observed.measure(() => run(observed)));
  }
  await observed.page.close();
  return costs;
}

/** Measures alternately in both worlds, and keeps the least of each. */
async function compareWorlds(
  [small, large]: readonly [World, World],
  rounds: number,
  measure: (world: World) => Promise<Costs>,
): Promise<ConsoleCost[]> {
  const found: Record<'small' | 'large', Costs[]> = { small: [], large: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.small.push(await measure(small));
    found.large.push(await measure(large));
  }
  const least = (all: readonly Costs[], name: string) =>
    leastOf(all.flatMap((costs) => costs.get(name) ?? []));
  return [...(found.small[0]?.keys() ?? [])].map((name) => ({
    name,
    small: least(found.small, name),
    large: least(found.large, name),
  }));
}

/** Measures every screen of the console, and frequent steps, with few and with many records. */
export async function measureConsole(rounds: number, isLarge: boolean): Promise<ConsoleScale> {
  const size = isLarge ? LARGE : SMALL;
  await using browser = await startBrowser();
  await using small = await startWorld(browser, SMALL);
  await using large = await startWorld(browser, size);
  const worlds = [small, large] as const;
  const screens = await compareWorlds(worlds, rounds, measureScreens);
  const steps = await compareWorlds(worlds, rounds, measureSteps);
  const problems = browser.takeProblems().filter((problem) => !problem.includes(NOT_CONNECTED));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { size, screens, steps };
}

function tableOf(costs: readonly ConsoleCost[]): string {
  const lines = costs.map(({ name, small, large }) => {
    const cells = [
      large.shownMs,
      small.shownMs,
      large.cpuMs,
      small.cpuMs,
      large.longestTaskMs,
      small.longestTaskMs,
    ].map(Math.round);
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return `| | shown | small | CPU | small | longest | small |
|---|---|---|---|---|---|---|
${lines.join('\n')}`;
}

/** The results as a section of Markdown. */
export function reportConsole({ size, screens, steps }: ConsoleScale): string {
  const count = (number: number) => number.toLocaleString('en');
  return `
## The console

Milliseconds in Chromium with ${count(size.dashboards)} dashboards, ${count(size.people)} tenant users,
${count(size.groups)} groups, ${count(size.policies)} policies
and ${count(size.others)} records of each other kind,
and beside each the same in a small organization. The least of the rounds.
“shown” is the time from the navigation to the content, “CPU” the processor time of the main thread,
“longest” its longest task; the browser reports those of 50 ms and more.
The aims are 500 ms to the content, and no task of more than 100 ms.

### Screens

Each is opened once in a new page, with the code that it loads on demand.

${tableOf(screens)}

### Steps

${tableOf(steps)}
`;
}
