import { readdir, readFile } from 'node:fs/promises';
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

/** Everything below a folder, as text. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n');
}

/** The arguments of every process of the machine, again and again until it is stopped. */
function watchArguments() {
  const seen = new Set<string>();
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      for (const id of ids) seen.add(await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
    }
  })();
  return async () => {
    isStopped = true;
    await watching;
    return [...seen];
  };
}

describe('version control with a remote', () => {
  let mongo: TestMongo;
  let server: SpawnedServer;
  let api: Api;
  let project: VersionedProject;
  let remote: GitServer;

  beforeAll(async () => {
    mongo = await startTestMongo();
    const place = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    server = await spawnServer('standalone', { ...SETTINGS, ...place, LOG_LEVEL: 'trace' });
    api = await createApi(server.credentials);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
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

  it('pushes what is saved before it answers, and says where the commit can be seen', async () => {
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

  it('refuses a remote that does not answer as a repository does, and keeps the one before', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    for (const mode of ['forbid', 'notFound', 'cut', 'redirect'] as const) {
      remote.mode = mode;
      const answer = await project.put({ branch: 'other', remote: { url: remote.url } });
      expect(answer).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'remote.url' }] } });
      expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    }
    expect((await settings()).branch).toBe('main');
  });

  it('keeps a token for the host and user that it was given for alone', async () => {
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

  it('commits on top of what others have pushed, and answers the commit that the remote has', async () => {
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
    'keeps commits for a remote that %s, says so, and pushes them later',
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
      await expect.poll(subjects, { timeout: 60_000 }).toEqual(['First', 'Second']);
      await expect.poll(async () => (await settings()).lastPush?.status, { timeout: 60_000 }).toBe('pushed');
      const again = await project.update(dashboard.id, { commitMessage: 'Second, asked for again' });
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
    await expect.poll(subjects, { timeout: 60_000 }).toEqual(['Before there was a remote']);
  });

  it('keeps all messages of many saves at once', async () => {
    succeeded(await project.put({ remote: { url: remote.url } }));
    const saves = Array.from({ length: 20 }, (_, n) => project.create({ commitMessage: `Save ${n}` }));
    const results = await Promise.all(saves);
    expect(results.map(({ body }) => body.versionControl?.status)).toEqual(results.map(() => 'committed'));
    const expected = results.map((_, n) => `Save ${n}`).toSorted();
    expect((await subjects()).toSorted()).toEqual(expected);
  });

  it('shows the credentials to the remote alone', async () => {
    const stopWatching = watchArguments();
    remote.credentials = { username: 'ada', password: TOKEN };
    const told = [await project.put({ remote: { url: remote.url, username: 'ada', token: TOKEN } })];
    const { dashboard } = succeeded(await project.create({ commitMessage: 'First' }));
    remote.credentials = { username: 'ada', password: 'another' };
    await project.update(dashboard.id, { title: 'x', commitMessage: 'Refused' });
    remote.credentials = null;
    // A remote that says what it was sent.
    await remote.setPreReceiveHook(`echo "${TOKEN} ${BASIC}" >&2; exit 1`);
    const failed = await project.update(dashboard.id, { title: 'y', commitMessage: 'Refused' });
    expect(outcomeOf(failed)).toEqual(FAILED);
    const answers = JSON.stringify([told, failed, await settings(), await project.versions(dashboard.id)]);
    const seen = await stopWatching();
    expect(seen.some((line) => line.startsWith('git\0push'))).toBe(true);
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
      seen: seen.join('\n'),
      log: server.errors(),
      documents: JSON.stringify(documents),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.includes(TOKEN), text.includes(BASIC)]).toEqual([place, false, false]);
    }
    expect(remote.requests.some(({ authorization }) => authorization === `Basic ${BASIC}`)).toBe(true);
  });
});

describe('without a git that will do', () => {
  it('says so, and saves all the same', async () => {
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
