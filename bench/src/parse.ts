import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pick, ROLES, WORKING_SET, type Target, type WorkName } from './compare.js';
import type { Work } from './load.js';
import { startProgram } from './servers.js';

export const PARSE_VERSION = '9.10.0';

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
  const folder = join(tmpdir(), `gatehouse-parse-server-${PARSE_VERSION}`);
  const done = join(folder, 'installed');
  try {
    await access(done);
  } catch {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await promisify(execFile)('npm', ['install', ...options, `parse-server@${PARSE_VERSION}`], {
      cwd: folder,
    });
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

/** Starts Parse Server with 20,000 objects of a class, on the engine at a URL. */
export async function startParse(url: string): Promise<Target> {
  const program = { file: 'parseProgram.js', args: [url, 'parse'], start: '{' };
  const env = { NODE_PATH: join(await install(), 'node_modules') };
  const { line, ...server } = await startProgram('Parse Server', { ...program, env });
  const world = JSON.parse(line) as ParseWorld;
  const headers = parseHeaders(world.sessionToken);
  const baseUrl = `http://127.0.0.1:${world.port}`;
  return { server: { ...server, baseUrl }, works: parseWorks(world), headersOf: () => headers };
}
