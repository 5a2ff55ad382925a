import { randomBytes } from 'node:crypto';
import { startGitServer, type GitServer } from '@gatehouse/testing';
import type { VersionControl } from '@gatehouse/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { makeVersionedProject, type VersionedProject } from './src/versionControl/world.js';

const LIMIT = 1_500_000;
const SETTINGS = {
  QUOTA_REPOSITORY_BYTES: String(LIMIT),
  REPOSITORY_HOSTS: '127.0.0.1',
  SWEEP_INTERVAL_MS: '300',
};

let server: TestServer;
let project: VersionedProject;
let remotes: GitServer[];
beforeAll(async () => {
  server = await startTestStandalone(SETTINGS);
  project = await makeVersionedProject(server, await createApi(server.credentials));
  remotes = [await startGitServer(), await startGitServer()];
});
afterAll(async () => {
  for (const remote of remotes) await remote[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const randomText = (bytes: number) => randomBytes(bytes).toString('base64');

it('commits and fetches nothing more once a remote has filled the repositories', async () => {
  const [large, other] = remotes;
  await large?.commitElsewhere('main', { path: 'large.txt', text: randomText(2_000_000) });
  await other?.commitElsewhere('main', { path: 'other.txt', text: randomText(2_000_000) });
  succeeded(await project.put({ remote: { url: large?.url } }));
  const first = succeeded(await project.create({ commitMessage: 'First' }));
  expect(first.versionControl?.status).toBe('committed');
  const second = await project.create({ commitMessage: 'Second' });
  expect([second.status, second.body.code, second.body.versionControl?.status]).toEqual([
    502,
    'COMMIT_FAILED',
    'failed',
  ]);
  expect(second.body.dashboard).toBeDefined();
  succeeded(await project.put({ remote: { url: other?.url } }));
  await expect
    .poll(async () => {
      const read = await project.admin.get<{ versionControl: VersionControl }>('/version-control');
      return succeeded(read).versionControl.lastPush?.reason;
    })
    .toBe(`The repositories of an organization must take ${LIMIT} bytes or fewer`);
});
