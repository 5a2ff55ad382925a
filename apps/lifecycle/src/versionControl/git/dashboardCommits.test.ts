import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { retryOnConflict, WriteConflict } from '@gatehouse/service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toIdent } from '../logic/commitText.js';
import { CommitQueue } from '../commitQueue.js';
import { createTestRepository, versionOf, type TestRepository } from '../../testing/testRepository.js';
import { openRepository, type BareRepository } from './bareRepository.js';
import { commitDashboards, type CommittedDashboard, type DashboardCommit } from './dashboardCommits.js';
import { readHistory } from './history.js';

/** Many runs of git on a machine that may be busy. */
const MINUTE_MS = 60_000;

async function commit(bare: BareRepository, ...commits: DashboardCommit[]): Promise<CommittedDashboard[]> {
  return retryOnConflict(() => commitDashboards(bare, 'main', commits));
}

async function titleAtTip({ git }: TestRepository, id: string): Promise<string> {
  return (JSON.parse(await git('show', `main:dashboards/${id}.json`)) as { title: string }).title;
}

describe('committing dashboards', () => {
  it('writes the file, the author and the message, and only refs of the service', async () => {
    await using repository = await createTestRepository();
    const author = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const [made] = await commit(
      repository.bare,
      versionOf('d_1', 1, { message: 'First\n\nWith a body', author }),
    );
    expect(made).toEqual({ sha: (await repository.git('rev-parse', 'main')).trim(), isNew: true });
    expect(await repository.git('log', '-1', '--format=%an <%ae>%n%cn%n%B', 'main')).toBe(
      'Ada Lovelace <ada@example.com>\nGatehouse\nFirst\n\nWith a body\n\nDashboard-Version: 1\nGatehouse-Key: key-d_1-1\n\n',
    );
    expect(await repository.git('show', 'main:dashboards/d_1.json')).toBe(versionOf('d_1', 1).file);
    expect(await repository.git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/gatehouse/versions/d_1\nrefs/heads/main\n',
    );
    expect(await repository.faults()).toBe('');
  });

  it('does not change other files', async () => {
    await using repository = await createTestRepository();
    await commit(repository.bare, versionOf('d_1', 1), versionOf('d_2', 1));
    await commit(repository.bare, versionOf('d_1', 2));
    expect(await repository.git('ls-tree', '-r', '--name-only', 'main')).toBe(
      'dashboards/d_1.json\ndashboards/d_2.json\n',
    );
    expect(await titleAtTip(repository, 'd_2')).toBe('d_2 1');
  });

  it('makes no commit for unchanged content, and returns the commit that last changed it', async () => {
    await using repository = await createTestRepository();
    const [first] = await commit(repository.bare, versionOf('d_1', 1));
    await commit(repository.bare, versionOf('d_2', 1));
    const again = versionOf('d_1', 2, { title: 'd_1 1' });
    expect(await commit(repository.bare, again)).toEqual([{ sha: first?.sha, isNew: false }]);
    expect(await repository.subjects()).toEqual(['Save d_1 1', 'Save d_2 1']);
  });

  it('commits a late version beneath the later one, which stays at the tip', async () => {
    await using repository = await createTestRepository();
    await commit(repository.bare, versionOf('d_1', 1));
    await commit(repository.bare, versionOf('d_1', 3));
    const [late] = await commit(repository.bare, versionOf('d_1', 2));
    expect(late?.isNew).toBe(true);
    expect(await titleAtTip(repository, 'd_1')).toBe('d_1 3');
    expect(await repository.subjects()).toEqual(['Save d_1 1', 'Save d_1 3', 'Save d_1 2', 'Keep version 3']);
    expect(await repository.git('show', `${late?.sha}:dashboards/d_1.json`)).toBe(versionOf('d_1', 2).file);
    expect(await repository.faults()).toBe('');
  });

  it('commits a late version although others have replaced the file by a folder', async () => {
    await using repository = await createTestRepository();
    const { bare } = repository;
    await commit(bare, versionOf('d_1', 3));
    const by = 'A <a@example.com> 1767225600 +0000';
    const head = `commit refs/heads/main\nauthor ${by}\ncommitter ${by}\ndata 6\nFolder\n`;
    const input = `${head}from refs/heads/main^0\nM 644 inline dashboards/d_1.json/a\ndata 2\n{}\n`;
    await bare.git.run({ directory: bare.directory, args: ['fast-import', '--quiet'], input });
    const [late] = await commit(bare, versionOf('d_1', 2));
    expect(await repository.git('show', `${late?.sha}:dashboards/d_1.json`)).toBe(versionOf('d_1', 2).file);
    expect(await repository.faults()).toBe('');
  });

  it('records a version without changes as the latest one', async () => {
    await using repository = await createTestRepository();
    await commit(repository.bare, versionOf('d_1', 1));
    await commit(repository.bare, versionOf('d_1', 3, { title: 'd_1 1' }));
    await commit(repository.bare, versionOf('d_1', 2));
    expect(await titleAtTip(repository, 'd_1')).toBe('d_1 1');
  });

  it('returns the first commit for a repeated key, also below later ones and within a batch', async () => {
    await using repository = await createTestRepository();
    const request = versionOf('d_1', 1);
    const [first, twin] = await commit(repository.bare, request, { ...request });
    expect(twin).toEqual(first);
    await commit(repository.bare, versionOf('d_1', 2));
    expect(await commit(repository.bare, request)).toEqual([first]);
    expect(await repository.subjects()).toEqual(['Save d_1 1', 'Save d_1 2']);
  });

  it(
    'ends with the latest version and keeps every message, in any order and batches',
    async () => {
      const order = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6 });
      const titles = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 6, maxLength: 6 });
      const property = fc.asyncProperty(
        order,
        titles,
        fc.integer({ min: 1, max: 3 }),
        async (versions, names, size) => {
          await using repository = await createTestRepository();
          const commits = versions.map((version) =>
            versionOf('d_1', version, { title: names[version - 1] ?? '' }),
          );
          const results: CommittedDashboard[] = [];
          for (let at = 0; at < commits.length; at += size)
            results.push(...(await commit(repository.bare, ...commits.slice(at, at + size))));
          expect(await titleAtTip(repository, 'd_1')).toBe(names[5]);
          const messages = await repository.git('log', '--format=%H %B', 'main');
          results.forEach(({ sha, isNew }, index) => {
            const line = `Gatehouse-Key: ${commits[index]?.key}\n`;
            expect(messages.includes(line)).toBe(isNew);
            expect(messages).toContain(String(sha));
          });
          expect(await repository.faults()).toBe('');
        },
      );
      await fc.assert(property, { numRuns: 8 });
    },
    MINUTE_MS,
  );

  it(
    'keeps each of 200 commits of four concurrent processes, with the latest versions on top',
    async () => {
      await using repository = await createTestRepository();
      const processes = Array.from({ length: 4 }, () => repository.elsewhere());
      const commits = Array.from({ length: 200 }, (_, n) => versionOf(`d_${n % 5}`, Math.floor(n / 5) + 1));
      const limits = { count: 20, weight: 1_000_000, weightOf: () => 1 };
      const perProcess = processes.map((bare, index) => {
        const queue = new CommitQueue<DashboardCommit, CommittedDashboard>(limits);
        const own = commits.filter((_, n) => n % 4 === index);
        return Promise.all(own.map((each) => queue.add('main', each, (batch) => commit(bare, ...batch))));
      });
      const results = (await Promise.all(perProcess)).flat();
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(200);
      const history = await readHistory(repository.bare, { from: 'main' });
      const own = history.filter(({ text }) => text.startsWith('Save '));
      expect(new Set(own.map(({ sha }) => sha))).toEqual(new Set(results.map(({ sha }) => sha)));
      for (const id of ['d_0', 'd_1', 'd_2', 'd_3', 'd_4'])
        expect(await titleAtTip(repository, id)).toBe(`${id} 40`);
      expect(await repository.faults()).toBe('');
      expect(await repository.git('for-each-ref', 'refs/gatehouse/imports')).toBe('');
    },
    MINUTE_MS,
  );

  it.each([
    ['a message like an option', { message: '--upload-pack=touch /tmp/owned\n-n\n\n..' }],
    [
      'a message like the stream of an import',
      { message: 'x\ndone\nreset refs/heads/main\nfrom 0\n\nD dashboards' },
    ],
    ['a message that claims a version', { message: 'x\n\nDashboard-Version: 99\nGatehouse-Key: forged' }],
    [
      'an author of punctuation and line breaks',
      { author: { name: '<>\n"', email: '\n<a@b>\ncommitter x' } },
    ],
    ['an empty author', { author: { name: '', email: '' } }],
  ])('accepts %s unchanged', async (_, fields) => {
    await using repository = await createTestRepository();
    const made = versionOf('d_1', 1, fields);
    await commit(repository.bare, { ...made, author: toIdent(made.author) });
    const [{ text } = { text: '' }] = await readHistory(repository.bare, { from: 'main' });
    expect(text).toContain(made.message.trimEnd());
    expect((await repository.git('rev-list', '--count', 'main')).trim()).toBe('1');
    expect(await repository.git('ls-tree', '-r', '--name-only', 'main')).toBe('dashboards/d_1.json\n');
    expect(await repository.faults()).toBe('');
  });

  it.each(['refs/heads/main', 'refs/gatehouse/versions/d_1', 'packed-refs'])(
    'recovers from the lock of %s that a killed process left',
    async (name) => {
      await using repository = await createTestRepository();
      await commit(repository.bare, versionOf('d_1', 1));
      const lock = join(repository.bare.directory, `${name}.lock`);
      await writeFile(lock, '');
      const late = commitDashboards(repository.bare, 'main', [versionOf('d_1', 2)]);
      await expect(late).rejects.toBeInstanceOf(WriteConflict);
      const longAgo = new Date(Date.now() - 3_600_000);
      await utimes(lock, longAgo, longAgo);
      expect(await commit(repository.bare, versionOf('d_1', 2))).toMatchObject([{ isNew: true }]);
      expect(await repository.faults()).toBe('');
    },
  );

  it('switches the branch although a killed process left the lock of HEAD', async () => {
    await using repository = await createTestRepository();
    await commit(repository.bare, versionOf('d_1', 1));
    const lock = join(repository.bare.directory, 'HEAD.lock');
    await writeFile(lock, '');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(lock, longAgo, longAgo);
    await expect(openRepository(repository.bare, 'other')).rejects.toThrow('HEAD.lock');
    await openRepository(repository.bare, 'other');
    expect(await repository.git('symbolic-ref', 'HEAD')).toBe('refs/heads/other\n');
  });
});
