import { spawnSync } from 'node:child_process';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGitServer, type GitServer } from '@gatehouse/testing';
import { retryOnConflict } from '@gatehouse/service';
import { describe, expect, it } from 'vitest';
import { explainRemoteFault } from '../logic/remoteFaults.js';
import { explainFault } from '../reachRemote.js';
import { createTestRepository, versionOf, type TestRepository } from '../../testing/testRepository.js';
import { commitDashboards } from './dashboardCommits.js';
import { readHistory } from './history.js';
import { createGit, GitError } from './program.js';
import {
  probeRemote,
  pushBranch,
  PushRejectedError,
  readUnpushed,
  type NetworkLimits,
  type Remote,
} from './remote.js';

const LIMITS = { timeoutMs: 20_000, whileFetching: <R>(fetch: () => Promise<R>) => fetch() };
const BRANCH = 'main';

function remoteOf({ url, port }: GitServer, fields: Partial<Remote> = {}): Remote {
  return {
    url,
    destination: { host: '127.0.0.1', port, addresses: ['127.0.0.1'] },
    credentials: null,
    ...fields,
  };
}

async function commit({ bare }: TestRepository, ...versions: ReturnType<typeof versionOf>[]) {
  return retryOnConflict(() => commitDashboards(bare, BRANCH, versions));
}

const push = ({ bare }: TestRepository, remote: Remote, limits: Partial<NetworkLimits> = {}) =>
  pushBranch(bare, { remote, branch: BRANCH }, { ...LIMITS, ...limits });
const subjectsOf = async (server: GitServer) =>
  (await server.git('log', '--reverse', '--format=%s', BRANCH)).trim().split('\n');
const failureOf = (task: Promise<unknown>) =>
  task.then(
    () => new Error('It did not fail'),
    (error: unknown) => error,
  );

describe('pushing a branch', () => {
  it('pushes each commit once', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const remote = remoteOf(server);
    expect(await push(repository, remote)).toBeNull();
    const [made] = await commit(repository, versionOf('d_1', 1));
    expect((await readUnpushed(repository.bare, { url: remote.url, branch: BRANCH }, 10)).size).toBe(1);
    expect(await push(repository, remote)).toEqual({ tip: made?.sha, isNew: true });
    const requestCount = server.requests.length;
    expect(await push(repository, remote)).toEqual({ tip: made?.sha, isNew: false });
    expect(server.requests.length).toBe(requestCount);
    expect((await server.git('rev-parse', BRANCH)).trim()).toBe(made?.sha);
    expect((await readUnpushed(repository.bare, { url: remote.url, branch: BRANCH }, 10)).size).toBe(0);
    expect(await server.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
  });

  it('rebases its commits onto those that others pushed, with their authors and messages', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const remote = remoteOf(server);
    await commit(repository, versionOf('d_1', 1));
    await push(repository, remote);
    await server.commitElsewhere(BRANCH, { path: 'README.md', text: 'Ours' });
    await server.commitElsewhere(BRANCH, { path: 'dashboards/d_1.json', text: 'edited by hand' });
    const author = { name: 'Grace', email: 'grace@example.com' };
    await commit(repository, versionOf('d_1', 2, { author }), versionOf('d_2', 1));
    const pushed = await push(repository, remote);
    expect(await subjectsOf(server)).toEqual([
      'Save d_1 1',
      'Change README.md elsewhere',
      'Change dashboards/d_1.json elsewhere',
      'Save d_2 1',
      'Save d_1 2',
    ]);
    expect((await server.git('rev-parse', BRANCH)).trim()).toBe(pushed?.tip);
    expect(await server.git('show', `${BRANCH}:dashboards/d_1.json`)).toBe(versionOf('d_1', 2).file);
    expect(await server.git('show', `${BRANCH}:README.md`)).toBe('Ours');
    expect(await server.git('log', '-1', '--format=%an %ae %at', BRANCH)).toBe(
      'Grace grace@example.com 1767225600\n',
    );
    expect(await repository.faults()).toBe('');
    expect(await server.git('fsck', '--strict', '--no-progress')).toBe('');
    expect(await repository.git('for-each-ref', 'refs/gatehouse/imports')).toBe('');
  });

  it('reads foreign commits whose dates no calendar has', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(server));
    const at = 'A <a@example.com> 99999999999999 +0000';
    const head = `commit refs/heads/main\nauthor ${at}\ncommitter ${at}\ndata 6\nFuture\n`;
    const input = `${head}from refs/heads/main^0\nM 644 inline dashboards/d_1.json\ndata 2\n{}\n`;
    await createGit('git').run({ directory: server.directory, args: ['fast-import', '--quiet'], input });
    await commit(repository, versionOf('d_1', 2));
    await push(repository, remoteOf(server));
    const history = await readHistory(repository.bare, { from: BRANCH, path: 'dashboards/d_1.json' });
    expect(history.map(({ committedAt }) => committedAt.toISOString())).toEqual([
      '2026-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.000Z',
      '2026-01-01T00:00:00.000Z',
    ]);
  });

  it('explains that the remote has a commit that git does not accept', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(server));
    const by = 'A <a@example.com> 1767225600 +0000';
    const head = `commit refs/heads/main\nauthor ${by}\ncommitter ${by}\ndata 4\nHook\n`;
    const input = `${head}from refs/heads/main^0\nM 644 inline .git/config\ndata 2\n{}\n`;
    await createGit('git').run({ directory: server.directory, args: ['fast-import', '--quiet'], input });
    await commit(repository, versionOf('d_1', 2));
    const error = await failureOf(push(repository, remoteOf(server)));
    expect(explainFault(error)).toBe(
      'The branch of the remote has an object that git rejects, such as a path with a part named .git',
    );
  });

  it('does not bring back a file that others removed from the history', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const [first] = await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(server));
    await server.commitElsewhere(BRANCH, { path: 'password.txt', text: 'hunter2' });
    await commit(repository, versionOf('d_1', 2));
    await push(repository, remoteOf(server));
    await server.git('update-ref', `refs/heads/${BRANCH}`, first?.sha ?? '');
    await server.commitElsewhere(BRANCH, { path: 'README.md', text: 'Clean' });
    await commit(repository, versionOf('d_1', 3));
    await push(repository, remoteOf(server));
    expect(await subjectsOf(server)).toEqual([
      'Save d_1 1',
      'Change README.md elsewhere',
      'Save d_1 2',
      'Save d_1 3',
    ]);
    const files = await server.git('ls-tree', '-r', '--name-only', BRANCH);
    expect(files).toBe('README.md\ndashboards/d_1.json\n');
    expect(await repository.subjects()).toEqual(await subjectsOf(server));
  });

  it('does not bring back a removed commit that has the message of a save', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const [first] = await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(server));
    await server.commitElsewhere(BRANCH, { path: 'password.txt', text: 'hunter2' });
    const message = await server.git('log', '-1', '--format=%B', first?.sha ?? '');
    const amended = await server.git('commit-tree', `${BRANCH}^{tree}`, '-p', `${BRANCH}^`, '-m', message);
    await server.git('update-ref', `refs/heads/${BRANCH}`, amended.trim());
    await commit(repository, versionOf('d_1', 2));
    await push(repository, remoteOf(server));
    await server.git('update-ref', `refs/heads/${BRANCH}`, first?.sha ?? '');
    await server.commitElsewhere(BRANCH, { path: 'README.md', text: 'Clean' });
    await commit(repository, versionOf('d_1', 3));
    await push(repository, remoteOf(server));
    const files = await server.git('ls-tree', '-r', '--name-only', BRANCH);
    expect(files).toBe('README.md\ndashboards/d_1.json\n');
  });

  it('appends to a history that began elsewhere', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await server.commitElsewhere(BRANCH, { path: 'README.md', text: 'Ours' });
    await commit(repository, versionOf('d_1', 1));
    await commit(repository, versionOf('d_1', 2));
    await push(repository, remoteOf(server));
    expect(await subjectsOf(server)).toEqual(['Change README.md elsewhere', 'Save d_1 1', 'Save d_1 2']);
  });

  it('pushes the whole history to a second remote', async () => {
    await using first = await startGitServer();
    await using second = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(first));
    await push(repository, remoteOf(second));
    expect(await subjectsOf(second)).toEqual(['Save d_1 1']);
  });

  it('pushes the commits of two concurrent processes', async () => {
    await using server = await startGitServer();
    await using one = await createTestRepository();
    await using other = await createTestRepository();
    await commit(one, versionOf('d_1', 1));
    await commit(other, versionOf('d_2', 1));
    await Promise.all([one, other].map((repository) => push(repository, remoteOf(server)).catch(() => null)));
    // A process that lost every race pushes later.
    for (const repository of [one, other]) await push(repository, remoteOf(server));
    expect((await subjectsOf(server)).toSorted()).toEqual(['Save d_1 1', 'Save d_2 1']);
  });

  it.each([
    ['forbids access', 'forbid', 'The remote refused the credentials'],
    ['lacks the repository', 'notFound', 'The remote has no such repository'],
    ['breaks the connection', 'cut', 'The remote could not be reached, or it broke the connection'],
    [
      'breaks the connection in the middle',
      { cutAfterBytes: 10 },
      'The remote could not be reached, or it broke the connection',
    ],
    ['redirects', 'redirect', 'The remote redirects to another address, which is not followed'],
    ['never answers', 'hang', 'The remote did not answer in time'],
  ] as const)('fails and loses nothing when the remote %s', async (_, mode, reason) => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const [made] = await commit(repository, versionOf('d_1', 1));
    server.mode = mode;
    const error = await failureOf(
      push(repository, remoteOf(server), { timeoutMs: mode === 'hang' ? 1500 : 20_000 }),
    );
    expect(error).toBeInstanceOf(GitError);
    const { stderr, reason: cause } = error as GitError;
    expect(explainRemoteFault({ isTimeout: cause === 'timeout', stderr })).toBe(reason);
    expect(server.requests.filter(({ path }) => path.startsWith('/elsewhere'))).toEqual([]);
    expect((await repository.git('rev-parse', BRANCH)).trim()).toBe(made?.sha);
    await server.untilIdle();
    server.mode = 'serve';
    expect(await push(repository, remoteOf(server))).toEqual({ tip: made?.sha, isNew: true });
    expect(await repository.faults()).toBe('');
  });

  it('throws PushRejectedError when a hook of the remote rejects the push', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    await server.setPreReceiveHook('exit 1');
    expect(await failureOf(push(repository, remoteOf(server)))).toBeInstanceOf(PushRejectedError);
    expect(await repository.subjects()).toEqual(['Save d_1 1']);
  });

  it('removes no lock outside of the repository that a message of the remote names', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const { directory } = repository.bare;
    const foreign = join(directory, '..', 'engine.lock');
    await writeFile(foreign, '');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(foreign, longAgo, longAgo);
    await commit(repository, versionOf('d_1', 1));
    await server.setPreReceiveHook(
      `echo "Unable to create '${directory}/../engine.lock': File exists" >&2; exit 1`,
    );
    expect(await failureOf(push(repository, remoteOf(server)))).toBeInstanceOf(PushRejectedError);
    expect((await stat(foreign)).isFile()).toBe(true);
  });

  it('removes what killed attempts had received, and nothing of those that run', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    const objects = join(repository.bare.directory, 'objects');
    const [left, running] = [join(objects, 'tmp_obj_1'), join(objects, 'pack', 'tmp_pack_2')];
    await mkdir(join(objects, 'pack'), { recursive: true });
    for (const file of [left, running, join(objects, 'pack', 'tmp_pack_1')]) await writeFile(file, 'PACK');
    const longAgo = new Date(Date.now() - 60_000);
    for (const file of [left, join(objects, 'pack', 'tmp_pack_1')]) await utimes(file, longAgo, longAgo);
    server.mode = 'cut';
    await failureOf(push(repository, remoteOf(server)));
    const found = (await readdir(objects, { recursive: true })).filter((name) => name.includes('tmp_'));
    expect(found).toEqual([join('pack', 'tmp_pack_2')]);
  });

  it('rejects an object of 60 MB in a pack of 60 KB', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    const at = 'A <a@example.com> 1767225600 +0000';
    const data = '0'.repeat(60 * 2 ** 20);
    const head = `commit refs/heads/main\nauthor ${at}\ncommitter ${at}\ndata 5\nLarge\n`;
    const input = `${head}M 644 inline large\ndata ${data.length}\n${data}\n`;
    // Without the limits of the program under test.
    spawnSync('git', ['-C', server.directory, 'fast-import', '--quiet'], { input });
    await expect(push(repository, remoteOf(server))).rejects.toThrow(/over limit/);
  });

  it('takes at most 256 MiB of memory, and writes files of at most 1 GiB', async () => {
    const args = ['-c', 'alias.limits=!ulimit -v; ulimit -f', 'limits'];
    expect(await createGit('git').run({ args, isRemote: true })).toBe('262144\n2097152\n');
  });

  it('takes no more memory than an object of a dashboard needs', async () => {
    await using repository = await createTestRepository();
    const { git, directory } = repository.bare;
    const large = {
      directory,
      args: ['hash-object', '--stdin', '--path=x'],
      input: 'x'.repeat(150 * 2 ** 20),
    };
    await expect(git.run(large)).rejects.toThrow(/over limit/);
  });

  it('succeeds when an earlier push without a response arrives first', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const [made] = await commit(repository, versionOf('d_1', 1));
    // The hook fetches the objects of the earlier push, and rejects this one.
    await server.setPreReceiveHook(
      `unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      git fetch --quiet '${repository.bare.directory}' main:main && exit 1`,
    );
    const remote = remoteOf(server);
    expect(await push(repository, remote)).toEqual({ tip: made?.sha, isNew: true });
    expect((await readUnpushed(repository.bare, { url: remote.url, branch: BRANCH }, 10)).size).toBe(0);
    expect(await push(repository, remote)).toEqual({ tip: made?.sha, isNew: false });
  });

  it('ends when its signal aborts', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    await commit(repository, versionOf('d_1', 1));
    server.mode = 'hang';
    const ending = new AbortController();
    const pushing = failureOf(push(repository, remoteOf(server), { signal: ending.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    ending.abort();
    expect(await pushing).toMatchObject({ reason: 'timeout' });
  });
});

describe('a remote', () => {
  it('is the only host that receives the credentials', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    server.credentials = { username: 'ada', password: 's3cret-token' };
    const credentials = { username: 'ada', token: 's3cret-token' };
    expect(await failureOf(probeRemote(repository.bare, remoteOf(server), LIMITS))).toBeInstanceOf(GitError);
    await probeRemote(repository.bare, remoteOf(server, { credentials }), LIMITS);
    server.mode = 'redirect';
    await failureOf(probeRemote(repository.bare, remoteOf(server, { credentials }), LIMITS));
    expect(server.requests.filter(({ path }) => path.startsWith('/elsewhere'))).toEqual([]);
    expect(await repository.git('config', '--list', '--local')).not.toMatch(/s3cret|remote\.|extraheader/i);
  });

  it('is reached at the checked address, whatever its name resolves to', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const url = server.url.replace('127.0.0.1', 'git.example.com');
    const { port } = server;
    const reached = { url, destination: { host: 'git.example.com', port, addresses: ['127.0.0.1'] } };
    await probeRemote(repository.bare, remoteOf(server, reached), LIMITS);
    expect(server.requests).not.toEqual([]);
  });

  it('is listed up to 4 MiB, and with more branches is none that can be used', async () => {
    await using server = await startGitServer();
    await using repository = await createTestRepository();
    const [made] = await commit(repository, versionOf('d_1', 1));
    await push(repository, remoteOf(server));
    const lineOf = (index: number) => `${made?.sha} refs/heads/${String(index).padStart(200, '0')}\n`;
    const fill = (count: number) =>
      writeFile(
        join(server.directory, 'packed-refs'),
        Array.from({ length: count }, (_, n) => lineOf(n)),
      );
    const fitting = Math.floor((4 * 2 ** 20) / lineOf(0).length) - 1;
    await fill(fitting);
    await probeRemote(repository.bare, remoteOf(server), LIMITS);
    await fill(fitting + 2);
    const error = await failureOf(probeRemote(repository.bare, remoteOf(server), LIMITS));
    expect(error).toMatchObject({ name: 'GitError', reason: 'tooLarge' });
    expect((error as GitError).stdout.length).toBeLessThanOrEqual(4 * 2 ** 20);
    expect(explainFault(error)).toBe('The remote did not answer as a git repository does');
  });
});
