import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nightlyTests } from '../testRun/nightlyTests.mjs';

const repository = path.resolve(import.meta.dirname, '../..');

interface PackageFile {
  scripts?: Record<string, string>;
  workspaces?: string[];
}
const readPackage = (folder: string) =>
  JSON.parse(readFileSync(path.join(repository, folder, 'package.json'), 'utf8')) as PackageFile;

/** The folders of all packages of the workspace. */
const patterns = readPackage('.').workspaces ?? [];
const folders = patterns
  .filter((pattern) => !pattern.startsWith('!'))
  .flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(path.join(repository, parent)).map((name) => `${parent}/${name}`);
  })
  .filter((folder) => !patterns.includes(`!${folder}`))
  .filter((folder) => existsSync(path.join(repository, folder, 'package.json')));

/** The projects of vitest that hold the tests of a package. */
const projectsOf = (folder: string) => (folder === 'tests' ? ['platform', 'timed'] : [path.basename(folder)]);

describe.each(folders)('the package %s', (folder) => {
  const { scripts = {} } = readPackage(folder);

  it('has the tasks that turbo runs for each package', () => {
    const tasks = ['lint', 'test', 'types'];
    if (existsSync(path.join(repository, folder, 'tsconfig.build.json'))) tasks.push('build');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(tasks));
  });

  it('tests its own files, and succeeds without tests only while none of them run for each change', () => {
    const projects = [...(scripts['test'] ?? '').matchAll(/--project (\S+)/g)].map(([, name]) => name);
    expect(projects).toEqual(projectsOf(folder));
    const files = readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' });
    const tests = files.filter((file) => /^(?!node_modules|dist).*\.test\.ts$/.test(file));
    const hasTests = tests.some((file) => !nightlyTests.includes(`${folder}/${file}`));
    expect(scripts['test']?.includes('--passWithNoTests')).toBe(!hasTests);
  });
});

it('are not repeated because of files that git ignores, such as the secrets of a local cluster', () => {
  const secrets = path.join(repository, 'infra/k8s/overlays/local/secrets');
  const written = path.join(secrets, `packageTasks-${process.pid}`);
  const isNew = mkdirSync(secrets, { recursive: true }) !== undefined;
  writeFileSync(written, '');
  try {
    const turbo = path.join(repository, 'node_modules/turbo/bin/turbo');
    const options = { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const plan = execFileSync(process.execPath, [turbo, 'run', 'test', '--dry=json'], options);
    const { tasks } = JSON.parse(plan) as { tasks: { directory: string; inputs: object }[] };
    const inputs = tasks.flatMap(({ directory, inputs: files }) =>
      Object.keys(files).map((file) => path.join(directory, file)),
    );
    expect(inputs).toContain('tests/turbo.json');
    const { stdout } = spawnSync('git', ['check-ignore', '--stdin'], {
      ...options,
      input: inputs.join('\n'),
    });
    expect(stdout).toBe('');
  } finally {
    rmSync(written);
    // Another test may have written secrets meanwhile.
    if (isNew && readdirSync(secrets).length === 0) rmdirSync(secrets);
  }
});
