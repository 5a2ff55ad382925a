import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRepositories, RepositoryWriter } from './repositories.mjs';

const run = promisify(execFile);
const git = async (directory: string, ...args: string[]) =>
  (await run('git', args, { cwd: directory })).stdout.trim();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-repositories-'));
});
afterAll(() => rm(folder, { recursive: true }));

const PLACE = 'o_one/p_one.git';

it('a repository is restored without the highest versions of dashboards, which may be older', async () => {
  const source = path.join(folder, 'source', PLACE);
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', source);
  const tree = await git(source, 'write-tree');
  const ident = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];
  const commit = await git(source, ...ident, 'commit-tree', '-m', 'Fourth version', tree);
  const heads = ['refs/heads/main', 'refs/remotes/0f/main'];
  for (const ref of [...heads, 'refs/gatehouse/versions/d_one']) await git(source, 'update-ref', ref, commit);
  const writer = new RepositoryWriter(path.join(folder, 'target'), 'git');
  for await (const item of readRepositories(path.join(folder, 'source'), 'git')) await writer.write(item);
  await writer.flush();
  const listed = await git(path.join(folder, 'target', PLACE), 'for-each-ref', '--format=%(refname)');
  expect(listed.split('\n')).toEqual(heads);
});
