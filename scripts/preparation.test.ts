import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '..');
const NEEDED = ['apps/standalone', 'apps/docs', 'apps/console', 'packages/cli', 'dev/bundle'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-preparation-'));
  for (const file of ['package-lock.json', 'scripts/installed.mjs', 'scripts/progress.mjs'])
    await cp(path.join(repository, file), path.join(folder, file));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a program in the folder, which is a repository without packages. */
async function evaluate(source: string): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ['--input-type=module', '--eval', source], { cwd: folder });
}

describe('the packages of a start', () => {
  type Packages = Record<string, { version?: string; optional?: boolean }>;

  /** Whether they count as installed if npm has installed these. */
  async function areInstalled(packages: Packages): Promise<boolean> {
    await mkdir(path.join(folder, 'node_modules'), { recursive: true });
    await writeFile(path.join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    const { stdout } = await evaluate(`
      const { areInstalled } = await import('./scripts/installed.mjs');
      console.log(areInstalled(${JSON.stringify(NEEDED)}));`);
    return stdout.trim() === 'true';
  }

  it('are installed without the packages of tests and checks, and not without one of their own', async () => {
    const { packages } = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Packages;
    };
    const without = (...names: string[]) =>
      Object.fromEntries(
        Object.entries(packages).filter(([place]) => !names.includes(place.replace(/^node_modules\//, ''))),
      );
    expect(await areInstalled(packages)).toBe(true);
    expect(await areInstalled(without('vitest', 'turbo', 'knip', 'testcontainers', 'playwright-core'))).toBe(
      true,
    );
    for (const name of ['fastify', 'rolldown', 'typescript', '@electric-sql/pglite', 'vue', 'commander'])
      expect(await areInstalled(without(name))).toBe(false);
    const older = { ...packages, 'node_modules/fastify': { version: '0.0.1' } };
    expect(await areInstalled(older)).toBe(false);
  });
});

describe('the steps of a preparation', () => {
  const imports = `const { runQuietly, runSteps } = await import('./scripts/progress.mjs');`;

  it('are lines with number, title and seconds where there is no terminal', async () => {
    const { stderr, stdout } = await evaluate(`${imports}
      const run = async () => {};
      await runSteps([{ title: 'First', run }, { title: 'Second', run }], { total: 3 });`);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([
      '[1/3] First ...',
      '[1/3] First: 0 s',
      '[2/3] Second ...',
      '[2/3] Second: 0 s',
    ]);
  });

  it('are not shown if they end before the delay, or at all', async () => {
    const { stderr } = await evaluate(`${imports}
      const { setTimeout: sleep } = await import('node:timers/promises');
      const steps = [{ title: 'Fast', run: async () => {} }, { title: 'Slow', run: () => sleep(1000) }];
      await runSteps(steps, { delayMs: 10 });
      await runSteps(steps, { delayMs: null });`);
    expect(stderr.trim().split('\n')).toEqual([
      '[2/2] Slow ...',
      expect.stringMatching(/^\[2\/2\] Slow: \d+ s$/),
    ]);
  });

  it('show the output of a command only if it fails, and end with its code', async () => {
    const failure = evaluate(`${imports}
      await runQuietly('sh', ['-c', 'echo succeeded']);
      await runQuietly('sh', ['-c', 'echo failed >&2; exit 3']);`);
    await expect(failure).rejects.toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^\nsh -c .* failed\.\nfailed\n/),
    });
    await expect(evaluate(`${imports} await runQuietly('no-such-program', []);`)).rejects.toMatchObject({
      code: 127,
      stderr: expect.stringContaining('ENOENT'),
    });
  });
});
