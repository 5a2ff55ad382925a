import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRepository, type BareRepository } from '../versionControl/git/bareRepository.js';
import type { DashboardCommit } from '../versionControl/git/dashboardCommits.js';
import { createGit } from '../versionControl/git/program.js';
import { fileOf, writeDashboardFile } from '../versionControl/logic/dashboardFile.js';

/** A new bare repository in a temporary folder. */
export interface TestRepository extends AsyncDisposable {
  bare: BareRepository;
  /** The same repository, as another process opens it. */
  elsewhere(): BareRepository;
  git(...args: string[]): Promise<string>;
  /** The output of `git fsck`, which ignores unreferenced objects. */
  faults(): Promise<string>;
  /** The subjects of the commits of a branch, oldest first. */
  subjects(branch?: string): Promise<string[]>;
}

export async function createTestRepository(branch = 'main'): Promise<TestRepository> {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-repository-'));
  const directory = join(root, 'p_1.git');
  const elsewhere = (): BareRepository => ({ git: createGit('git'), directory });
  const bare = elsewhere();
  await openRepository(bare, branch);
  const git = (...args: string[]) => bare.git.run({ directory, args });
  return {
    bare,
    elsewhere,
    git,
    faults: () =>
      git('fsck', '--strict', '--full', '--no-dangling', '--no-progress').catch((error: unknown) =>
        String(error),
      ),
    async subjects(name = branch) {
      return (await git('log', '--reverse', '--format=%s', name)).trim().split('\n').filter(Boolean);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** A version of a dashboard, whose title names the version. */
export function versionOf(
  dashboardId: string,
  version: number,
  fields: Partial<DashboardCommit> & { title?: string } = {},
): DashboardCommit {
  const { title = `${dashboardId} ${version}`, ...others } = fields;
  const content = { id: dashboardId, title, description: '', tags: [], isDataApp: false, template: null };
  return {
    dashboardId,
    path: fileOf(dashboardId),
    file: writeDashboardFile(content) ?? '',
    version,
    message: `Save ${title}`,
    author: { name: 'Ada', email: 'ada@example.com' },
    key: `key-${dashboardId}-${version}`,
    now: new Date('2026-01-01T00:00:00Z'),
    ...others,
  };
}
