import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
