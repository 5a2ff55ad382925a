import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RepositorySpace, RepositorySpaceError } from './repositorySpace.js';

const LIMIT = 1_000_000;
const MINUTE_MS = 60_000;
const OURS = 'o_ours';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-space-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true });
});

const start = (limit = LIMIT) => new RepositorySpace({ REPOSITORY_DIR: root, QUOTA_REPOSITORY_BYTES: limit });

async function write(organizationId: string, name: string, bytes: number): Promise<string> {
  const folder = join(root, organizationId, 'p_1.git', 'objects', 'ab');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), randomBytes(bytes));
  return join(folder, name);
}

const commit = (space: RepositorySpace, bytes: number, organizationId = OURS) =>
  space.whileCommitting(organizationId, bytes, async () => 'committed');
const fetch = (space: RepositorySpace, bytes: number) =>
  space.whileFetching(OURS, () => write(OURS, 'fetched', bytes));
const pass = (ms: number) => {
  const later = performance.now() + ms;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
};

it('rejects a commit that does not fit, and measures the folders of an organization alone', async () => {
  await write(OURS, 'one', 700_000);
  const space = start();
  await expect(commit(space, 400_000)).rejects.toThrow(RepositorySpaceError);
  expect(await commit(space, 200_000)).toBe('committed');
  expect(await commit(space, 900_000, 'o_theirs')).toBe('committed');
});

it('counts the commits since the last measurement', async () => {
  const space = start();
  for (let index = 0; index < 4; index += 1) await commit(space, 250_000);
  await expect(commit(space, 1)).rejects.toThrow(RepositorySpaceError);
});

it('accepts no more concurrent commits than fit', async () => {
  const space = start();
  const commits = Array.from({ length: 10 }, () => commit(space, 250_000));
  const outcomes = await Promise.allSettled(commits);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
});

it('measures again while a commit runs that is far below the limit', async () => {
  const space = start();
  await commit(space, 1);
  pass(15 * MINUTE_MS);
  let isRunning = false;
  const second = space.whileCommitting(OURS, 1, async () => (isRunning = true));
  await setImmediate();
  expect(isRunning).toBe(true);
  await second;
});

it('counts nothing for a commit that failed', async () => {
  const space = start();
  const failing = async () => Promise.reject(new Error('git failed'));
  await expect(space.whileCommitting(OURS, 900_000, failing)).rejects.toThrow('git failed');
  expect(await commit(space, 900_000)).toBe('committed');
});

it('counts what a remote has sent, and then fetches no more', async () => {
  const space = start();
  await fetch(space, 1_200_000);
  await expect(fetch(space, 1)).rejects.toThrow(RepositorySpaceError);
  await expect(commit(space, 1)).rejects.toThrow(RepositorySpaceError);
});

it('measures again soon after it was full, because an operator may have made room', async () => {
  const space = start();
  const large = await write(OURS, 'large', 1_200_000);
  await expect(commit(space, 1)).rejects.toThrow(RepositorySpaceError);
  await rm(large);
  pass(MINUTE_MS);
  expect(await commit(space, 1)).toBe('committed');
});

it('sees what other processes have written', async () => {
  const space = start();
  await commit(space, 1);
  await write(OURS, 'elsewhere', 1_200_000);
  pass(15 * MINUTE_MS);
  const outcome = () => commit(space, 1).catch((error: unknown) => error);
  await expect.poll(outcome).toBeInstanceOf(RepositorySpaceError);
});

it('has no limit of 0', async () => {
  await write(OURS, 'large', 1_200_000);
  expect(await commit(start(0), 1_000_000)).toBe('committed');
});
