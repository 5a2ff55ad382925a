import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeDataDir, runGit } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';
import type { Saved } from './src/versionControl/world.js';

/** Milliseconds after the first request: from before the first commit to after the last one. */
const MOMENTS_MS = [60, 150, 300, 500, 900];
const AT_ONCE = 12;

/** The children of a process, and theirs. */
async function descendantsOf(pid: number): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = ids.map(async (id) => {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    const [, parent = ''] = /\) \w (\d+) /.exec(stat) ?? [];
    return { id: Number(id), parent: Number(parent), isGit: stat.includes('(git') };
  });
  const all = await Promise.all(read);
  const below = (parent: number): number[] =>
    all
      .filter((process) => process.parent === parent && process.isGit)
      .flatMap(({ id }) => [id, ...below(id)]);
  return below(pid);
}

describe('a crash in the middle of commits', () => {
  let dataDir: string;
  let server: SpawnedServer;
  const start = () => spawnServer('standalone', { DATA_DIR: dataDir });

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
    server = await start();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await removeDataDir(dataDir);
  });

  it('loses no confirmed save, and leaves a valid repository that accepts more', async () => {
    const answered = new Map<string, string>();
    let { admin } = await createApi(server.credentials);
    succeeded(await admin.put('/version-control', {}));
    const made = succeeded(await admin.post<Saved>('/dashboards', { title: 'x', commitMessage: 'Begin' }));
    const { id } = made.dashboard;
    const { organizationId, projectId } = server.credentials;
    const directory = join(dataDir, 'repositories', organizationId, `${projectId}.git`);
    const save = async (title: string, path = `/dashboards/${id}`) => {
      const { body } = await admin.patch<Saved>(path, { title, commitMessage: `Save ${title}` });
      const { status, commitSha } = body.versionControl ?? {};
      if (status === 'committed' && commitSha) answered.set(commitSha, `Save ${title}`);
      return status;
    };
    for (const [round, momentMs] of MOMENTS_MS.entries()) {
      const saves = Array.from({ length: AT_ONCE }, (_, n) => save(`${round}.${n}`).catch(() => 'lost'));
      await sleep(momentMs);
      const children = await descendantsOf(server.pid);
      const ended = server.end('SIGKILL');
      for (const child of children) {
        try {
          process.kill(child, 'SIGKILL');
        } catch {
          // It has exited by itself.
        }
      }
      await Promise.all([ended, ...saves]);
      // The disk has at least as many commits: some responses were lost.
      expect(await runGit(directory, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
      const log = await runGit(directory, 'log', '--format=%H %s', 'main');
      for (const [sha, message] of answered) expect(log).toContain(`${sha} ${message}`);
      server = await start();
      ({ admin } = await createApi(server.credentials));
      const title = `After ${round}`;
      await expect.poll(() => save(title)).toMatch(/committed|unchanged/);
      const tip = JSON.parse(await runGit(directory, 'show', `main:dashboards/${id}.json`)) as {
        title: string;
      };
      expect(tip.title).toBe(title);
    }
    expect(answered.size).toBeGreaterThan(MOMENTS_MS.length - 1);
  });
});
