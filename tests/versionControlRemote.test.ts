import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services, type VersionControl } from '@gatehouse/contract';
import { startGitServer, startTestMongo, type GitServer, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Answer, type Api } from './src/api.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';
import { makeVersionedProject, type Saved, type VersionedProject } from './src/versionControl/world.js';

const TOKEN = 'T0ken-that-nobody-may-see';
const BASIC = Buffer.from(`ada:${TOKEN}`).toString('base64');
const SETTINGS = { REPOSITORY_HOSTS: '127.0.0.1', SWEEP_INTERVAL_MS: '300', REQUEST_TIMEOUT_MS: '20000' };

/** All files below a folder, as text. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n');
}

/** A git that records the arguments of every command, including those that it starts itself, in a file. */
async function makeTracedGit() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-git-'));
  const trace = join(folder, 'trace');
  const program = join(folder, 'git');
  await writeFile(program, `#!/bin/sh\nGIT_TRACE=${trace} exec git "$@"\n`, { mode: 0o700 });
  return {
    program,
    commands: () => readFile(trace, 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

describe('version control with a remote', () => {
  let mongo: TestMongo;
  let server: SpawnedServer;
  let api: Api;
  let project: VersionedProject;
  let remote: GitServer;
  let git: Awaited<ReturnType<typeof makeTracedGit>>;

  beforeAll(async () => {
    mongo = await startTestMongo();
    git = await makeTracedGit();
    const place = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, GIT_PROGRAM: git.program };
    server = await spawnServer('standalone', { ...SETTINGS, ...place, LOG_LEVEL: 'trace' });
    api = await createApi(server.credentials);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    project = await makeVersionedProject(server, api);
    remote = await startGitServer();
  });
  afterEach(() => remote[Symbol.asyncDispose]());

  const settings = async () =>
    succeeded(await project.admin.get<{ versionControl: VersionControl }>('/version-control')).versionControl;
  const subjects = async () =>
    (await remote.git('log', '--reverse', '--format=%s', 'main')).trim().split('\n');
  const outcomeOf = ({ status, body }: Answer<Saved>) => [status, body.code, body.versionControl?.status];
  const FAILED = [502, 'COMMIT_FAILED', 'failed'];

  it('pushes a save before the response, which contains the URL of the commit', async () => {
    remote.credentials = { username: 'ada', password: TOKEN };
    const webUrl = 'https://git.example.com/dashboards/commits/{sha}';
    const put = succeeded(
      await project.put({ remote: { url: remote.url, username: 'ada', token: TOKEN, webUrl } }),
    );
    expect(put.versionControl.remote).toEqual({
      url: remote.url,
      username: 'ada',
      hasCredentials: true,
      webUrl,
    });
    const { versionControl } = succeeded(await project.create({ commitMessage: 'First' }));
    const sha = (await remote.git('rev-parse', 'main')).trim();
    expect(versionControl).toEqual({
      status: 'committed',
      commitSha: sha,
      commitUrl: webUrl.replace('{sha}', sha),
    });
    expect((await settings()).lastPush).toMatchObject({ status: 'pushed', reason: null, commitSha: sha });
  });

  it('rejects a remote that is not a repository, and keeps the previous one', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    for (const mode of ['forbid', 'notFound', 'cut', 'redirect'] as const) {
      remote.mode = mode;
      const answer = await project.put({ branch: 'other', remote: { url: remote.url } });
      expect(answer).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'remote.url' }] } });
      expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    }
    expect((await settings()).branch).toBe('main');
  });

  it('uses a token only for its host and user', async () => {
    const to = (fields: object) => project.put({ remote: { url: remote.url, ...fields }, verify: false });
    succeeded(await to({ username: 'ada', token: TOKEN }));
    expect(succeeded(await to({ username: 'ada' })).versionControl.remote?.hasCredentials).toBe(true);
    const refused = { status: 400, body: { fieldErrors: [{ field: 'remote.token' }] } };
    expect(await to({ username: 'eve' })).toMatchObject(refused);
    await using elsewhere = await startGitServer();
    expect(await to({ url: elsewhere.url, username: 'ada' })).toMatchObject(refused);
    expect(succeeded(await to({ username: 'ada', token: null })).versionControl.remote?.hasCredentials).toBe(
      false,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  it('commits on top of foreign pushes, and returns the commit of the remote', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    const { dashboard } = succeeded(await project.create({ commitMessage: 'First' }));
    await remote.commitElsewhere('main', { path: 'README.md', text: 'Ours' });
    const update = { title: 'Other', commitMessage: 'Second' };
    const { versionControl } = succeeded(await project.update(dashboard.id, update));
    expect(await subjects()).toEqual(['First', 'Change README.md elsewhere', 'Second']);
    expect(versionControl?.commitSha).toBe((await remote.git('rev-parse', 'main')).trim());
    const { versions } = await project.versions(dashboard.id);
    expect(versions.map(({ message }) => message)).toEqual(['Second', 'First']);
    expect(versions[0]?.sha).toBe(versionControl?.commitSha);
  });

  it.each([
    ['refuses them', 'hook', 'The remote refused the commits'],
    ['forbids it', 'forbid', 'The remote refused the credentials'],
    ['breaks the connection', 'cut', 'The remote could not be reached, or it broke the connection'],
    [
      'breaks it in the middle',
      { cutAfterBytes: 20 },
      'The remote could not be reached, or it broke the connection',
    ],
    ['never answers', 'hang', 'The remote did not answer in time'],
  ] as const)(
    'keeps commits for a remote that %s, reports it, and pushes them later',
    async (_, mode, reason) => {
      succeeded(await project.put({ remote: { url: remote.url } }));
      const { dashboard } = succeeded(await project.create({ commitMessage: 'First' }));
      if (mode === 'hook') await remote.setPreReceiveHook('exit 1');
      else remote.mode = mode;
      const failed = await project.update(dashboard.id, { title: 'Saved', commitMessage: 'Second' });
      expect(outcomeOf(failed)).toEqual(FAILED);
      expect(failed.body).toMatchObject({
        dashboardSaved: true,
        dashboard: { id: dashboard.id, title: 'Saved' },
      });
      expect(await project.dashboard(dashboard.id)).toMatchObject({ title: 'Saved', version: 2 });
      await expect.poll(async () => (await settings()).lastPush).toMatchObject({ status: 'failed', reason });
      expect((await project.versions(dashboard.id)).versions.map(({ message }) => message)).toEqual([
        'Second',
        'First',
      ]);
      remote.mode = 'serve';
      await remote.setPreReceiveHook('exit 0');
      await expect.poll(subjects).toEqual(['First', 'Second']);
      await expect.poll(async () => (await settings()).lastPush?.status).toBe('pushed');
      const again = await project.update(dashboard.id, { commitMessage: 'Second, requested again' });
      expect(succeeded(again).versionControl).toMatchObject({
        status: 'unchanged',
        commitSha: (await remote.git('rev-parse', 'main')).trim(),
      });
      expect(await project.git('fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    },
  );

  it('shows the secret of a new dashboard although its commit failed: it is shown only once', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    remote.mode = 'forbid';
    const { body } = await project.create({ commitMessage: 'First' });
    const { id: dashboardId, secret: dashboardSecret } = body.dashboard;
    expect((await api.requestToken({ dashboardId, dashboardSecret })).status).toBe(200);
    expect(server.errors()).not.toContain(dashboardSecret);
  });

  it('pushes the history to a remote that is set later', async () => {
    succeeded(await project.put({}));
    succeeded(await project.create({ commitMessage: 'Before there was a remote' }));
    succeeded(await project.put({ remote: { url: remote.url } }));
    await expect.poll(subjects).toEqual(['Before there was a remote']);
  });

  it('keeps all messages of concurrent saves', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    const saves = Array.from({ length: 20 }, (_, n) => project.create({ commitMessage: `Save ${n}` }));
    const results = await Promise.all(saves);
    expect(results.map(({ body }) => body.versionControl?.status)).toEqual(results.map(() => 'committed'));
    const expected = results.map((_, n) => `Save ${n}`).toSorted();
    expect((await subjects()).toSorted()).toEqual(expected);
  });

  it('sends the credentials only to the remote', async () => {
    remote.credentials = { username: 'ada', password: TOKEN };
    const told = [await project.put({ remote: { url: remote.url, username: 'ada', token: TOKEN } })];
    const { dashboard } = succeeded(await project.create({ commitMessage: 'First' }));
    remote.credentials = { username: 'ada', password: 'another' };
    await project.update(dashboard.id, { title: 'x', commitMessage: 'Refused' });
    remote.credentials = null;
    // A remote that reports the received headers.
    await remote.setPreReceiveHook(`echo "${TOKEN} ${BASIC}" >&2; exit 1`);
    const failed = await project.update(dashboard.id, { title: 'y', commitMessage: 'Refused' });
    expect(outcomeOf(failed)).toEqual(FAILED);
    const answers = JSON.stringify([told, failed, await settings(), await project.versions(dashboard.id)]);
    const commands = await git.commands();
    expect(commands).toMatch(/built-in: git push /);
    expect(commands).toMatch(/run_command: git remote-http /);
    const files = await readAll(join(server.dataDir, 'repositories'));
    expect(files).toContain('bare = true');
    const documents = await Promise.all(
      [...Object.keys(services), 'events'].map(async (name) => {
        const collections = await mongo.databases.of(name).collections();
        return Promise.all(collections.map((collection) => collection.find({}).toArray()));
      }),
    );
    const places = {
      answers,
      files,
      commands,
      log: server.errors(),
      documents: JSON.stringify(documents),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.includes(TOKEN), text.includes(BASIC)]).toEqual([place, false, false]);
    }
    expect(remote.requests.some(({ authorization }) => authorization === `Basic ${BASIC}`)).toBe(true);
  });
});

describe('without a sufficient git', () => {
  it('reports it, and saves nevertheless', async () => {
    await using server = await spawnServer('standalone', {
      GIT_PROGRAM: '/nonexistent/git',
      LOG_LEVEL: 'warn',
    });
    const { admin } = await createApi(server.credentials);
    const put = await admin.put<{ error: string; code: string }>('/version-control', {});
    expect([put.status, put.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(put.body.error).toBe('Version control is not available: git 2.37 or later is not installed');
    const { versionControl } = succeeded(
      await admin.post<Saved>('/dashboards', { title: 'x', commitMessage: 'y' }),
    );
    expect(versionControl?.status).toBe('not_configured');
    expect(server.errors()).toContain('git 2.37 or later is not installed');
  });
});
