import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import {
  compare,
  pick,
  ROLES,
  targetOf,
  WORKING_SET,
  type Row,
  type Target,
  type WorkName,
} from './compare.js';
import type { Work } from './load.js';
import { seed } from './seed.js';
import { readCredentials, startGatehouse, startProgram } from './servers.js';

const VERSION = '9.10.0';
const DASHBOARDS = 20_000;
const WORKS = ['read', 'update', 'share'] as const satisfies WorkName[];

/** The fields of a dashboard in Parse Server, as long as those in Gatehouse. */
export const DASHBOARD = {
  title: 'Revenue',
  description: 'Monthly figures with the plan beside them',
  tags: ['finance', 'monthly'],
  template: {
    sheets: [
      { id: 's1', title: 'Overview', frames: [{ id: 'f1', cards: [{ id: 'c1', title: 'Revenue' }] }] },
    ],
  },
};

export function parseHeaders(sessionToken?: string): Record<string, string> {
  return {
    'x-parse-application-id': 'bench',
    'content-type': 'application/json',
    ...(sessionToken === undefined ? {} : { 'x-parse-session-token': sessionToken }),
  };
}

/** What there is in Parse Server: see `parseProgram.ts`. */
interface ParseWorld {
  port: number;
  ids: string[];
  ownerId: string;
  sessionToken: string;
}

/** Returns the folder that Parse Server is installed in. It stays for the next run. */
async function install(): Promise<string> {
  const folder = join(tmpdir(), `gatehouse-parse-server-${VERSION}`);
  const done = join(folder, 'installed');
  try {
    await access(done);
  } catch {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await promisify(execFile)('npm', ['install', ...options, `parse-server@${VERSION}`], { cwd: folder });
    await writeFile(done, '');
  }
  return folder;
}

/** The same work. Parse Server replaces all shares of a dashboard at once, and does not check users. */
function parseWorks({ ids, ownerId }: ParseWorld): Partial<Record<WorkName, Work>> {
  const working = ids.slice(0, WORKING_SET);
  const path = () => `/classes/Dashboard/${pick(working)}`;
  const owner = { [ownerId]: { read: true, write: true } };
  const shareWith = (user: string) => ({
    ACL: { ...owner, [user]: { read: true, ...(pick(ROLES) === 'VIEWER' ? {} : { write: true }) } },
  });
  return {
    read: { method: 'GET', next: () => ({ path: path() }) },
    update: { method: 'PUT', next: () => ({ path: path(), body: { title: `Title ${Math.random()}` } }) },
    share: {
      method: 'PUT',
      next: () => ({ path: path(), body: shareWith(`user${Math.floor(Math.random() * 100)}`) }),
    },
  };
}

async function startParse(url: string): Promise<Target> {
  const program = { file: 'parseProgram.js', args: [url, 'parse'], start: '{' };
  const env = { NODE_PATH: join(await install(), 'node_modules') };
  const { line, ...server } = await startProgram('Parse Server', { ...program, env });
  const world = JSON.parse(line) as ParseWorld;
  const headers = parseHeaders(world.sessionToken);
  const baseUrl = `http://127.0.0.1:${world.port}`;
  return { server: { ...server, baseUrl }, works: parseWorks(world), headersOf: () => headers };
}

async function startStandalone(url: string, dataDir: string): Promise<Target> {
  const server = await startGatehouse('standalone', { mongodbUrl: url, dataDir });
  await using client = await new MongoClient(url, { retryWrites: false }).connect();
  const credentials = await readCredentials(dataDir);
  return targetOf(server, await seed(credentials, client.db('gatehouse_access'), { count: DASHBOARDS }));
}

/** Measures Parse Server and the standalone alternately, on one engine. */
export async function measureParse(settings: { seconds: number; rounds: number }): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const targets: Target[] = [];
  try {
    targets.push(await startParse(engine.url));
    targets.push(await startStandalone(engine.url, join(dataDir, 'standalone')));
    return await compare(targets, { ...settings, works: WORKS }, engine.pid);
  } finally {
    for (const { server } of targets.toReversed()) await server.stop();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export function reportParse(rows: readonly Row[]): string {
  const lines = rows
    .filter(({ server }) => server === 'standalone')
    .map((row) => {
      const other = rows.find(
        (each) => each !== row && each.work === row.work && each.connections === row.connections,
      );
      const rates = [other?.requestsPerSecond ?? Number.NaN, row.requestsPerSecond] as const;
      const failures = row.failures + (other?.failures ?? 0);
      const cells = [row.work, row.connections, ...rates.map(Math.round), (rates[1] / rates[0]).toFixed(2)];
      return `| ${[...cells, failures].join(' | ')} |`;
    });
  return `
## Beside Parse Server

Parse Server ${VERSION}, installed from npm, with 20,000 objects of a class on the same engine.
Its owner changes a title, and replaces the access control list of an object.

| work | connections | Parse Server, requests/s | standalone, requests/s | times | failures |
|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
