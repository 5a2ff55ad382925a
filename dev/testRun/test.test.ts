import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nightlyTests } from './nightlyTests.mjs';

const repository = path.resolve(import.meta.dirname, '../..');
const header = "import { expect, it } from 'vitest';\n";

type Files = Readonly<Record<string, string>>;

const COPIED = [
  '.gitignore',
  'turbo.json',
  'vitest.config.ts',
  'packages/testing/src/childProcesses.ts',
  'packages/testing/src/endProcesses.ts',
  ...['installed', 'prepare', 'progress'].map((name) => `scripts/${name}.mjs`),
  'scripts/requireNode.mjs',
  ...['leftProcesses', 'lowPriority', 'nightlyTests', 'reports', 'systemPackages', 'test'].map(
    (name) => `dev/testRun/${name}.mjs`,
  ),
];

/** Runs `npm test` in a temporary repository with the given test files; gives its exit code and last line. */
async function runTests(testFiles: Files, ...filters: string[]) {
  await using planted = await plantRepository(testFiles);
  return await planted.test(...filters);
}

/** A repository of packages with test files. A file without a folder belongs to the package `planted`. */
async function plantRepository(testFiles: Files) {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-test-'));
  const write = async (name: string, text: string) => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  for (const name of COPIED) await cp(path.join(repository, name), path.join(folder, name));
  const scripts = { build: 'true', test: 'exec node dev/testRun/test.mjs' };
  const root = { name: 'root', private: true, type: 'module', packageManager: 'npm@11.19.1' };
  await write('package.json', JSON.stringify({ ...root, workspaces: ['packages/*'], scripts }));
  await mkdir(path.join(folder, 'apps'));
  await write('packages/testing/package.json', JSON.stringify({ name: '@gatehouse/testing' }));
  const names = new Set<string>(['planted']);
  for (const [name, text] of Object.entries(testFiles)) {
    const [file = '', owner = 'planted'] = name.split('/').toReversed();
    names.add(owner);
    await write(`packages/${owner}/src/${file}`, header + text);
  }
  for (const name of names) {
    const test = `vitest run --root ../.. --project ${name}`;
    await write(`packages/${name}/package.json`, JSON.stringify({ name, type: 'module', scripts: { test } }));
  }
  return {
    write,
    test: (...filters: string[]) => runNpmTest(folder, filters),
    testAll: () => runNpmTest(folder, [], { ALL_TESTS: '1' }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function runNpmTest(folder: string, filters: readonly string[], settings = {}) {
  // Not the whole environment, because a nested vitest would assume that it is a worker of this one.
  const { PATH, HOME } = process.env;
  const npm = spawn('npm', ['test', '--silent', '--', ...filters], {
    cwd: folder,
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  npm.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.output += chunk));
  npm.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.errors += chunk));
  await once(npm, 'close');
  const result = { exitCode: npm.exitCode, lastLine: texts.output.trimEnd().split('\n').at(-1) };
  // Not enumerable, so that most tests compare only the result.
  return Object.defineProperties(result, {
    output: { value: texts.output },
    errors: { value: texts.errors },
  }) as typeof result & typeof texts;
}

const passing = "it('passes', () => expect(1).toBe(1));\n";

it('succeeds when every test passes, and counts them', async () => {
  const result = await runTests({ 'a.test.ts': passing, 'b.test.ts': passing });
  expect(result).toEqual({ exitCode: 0, lastLine: '2 passed, 0 failed' });
});

it('runs the tests that its arguments name', async () => {
  const result = await runTests({ 'a.test.ts': passing, 'b.test.ts': passing }, 'src/b.test');
  expect(result).toEqual({ exitCode: 0, lastLine: '1 passed, 0 failed' });
});

it('runs a nightly test only in a run of all tests, and when its path is given', async () => {
  const [nightly = ''] = nightlyTests.filter((name) => name.startsWith('packages/'));
  const [, owner, name] = /^packages\/(\w+)\/src\/([\w.]+)$/.exec(nightly) ?? [];
  const files = { 'a.test.ts': passing, [`${owner}/b.test.ts`]: passing, [`${owner}/${name}`]: passing };
  await using planted = await plantRepository(files);
  expect(await planted.test()).toEqual({ exitCode: 0, lastLine: '2 passed, 0 failed' });
  expect(await planted.test(nightly)).toEqual({ exitCode: 0, lastLine: '1 passed, 0 failed' });
  expect(await planted.testAll()).toEqual({ exitCode: 0, lastLine: '3 passed, 0 failed' });
});

it('counts the tests of all packages, also of those that did not change since the last run', async () => {
  await using planted = await plantRepository({ 'a.test.ts': passing, 'other/b.test.ts': passing });
  const all = { exitCode: 0, lastLine: '2 passed, 0 failed' };
  expect(await planted.test()).toEqual(all);
  const again = await planted.test();
  expect(again).toEqual(all);
  expect(again.output).toMatch(/Cached: +2 cached, 2 total/);
  await planted.write('packages/other/src/b.test.ts', header + passing + passing);
  const changed = await planted.test();
  expect(changed).toEqual({ exitCode: 0, lastLine: '3 passed, 0 failed' });
  expect(changed.output).toMatch(/Cached: +1 cached, 2 total/);
});

it('names a failed package at the end, and runs the others', async () => {
  const failing = "it('fails', () => expect(1).toBe(2));\n";
  const result = await runTests({ 'a.test.ts': failing, 'other/b.test.ts': passing });
  expect(result).toEqual({ exitCode: 1, lastLine: '1 passed, 1 failed' });
  expect(result.output.trimEnd().split('\n').slice(-6).join('\n')).toMatch(/Failed: +planted#test/);
});

it('counts failed tests, skipped tests, and a file that cannot be loaded', async () => {
  const result = await runTests({
    'a.test.ts': `${passing}it('fails', () => expect(1).toBe(2));\nit.runIf(false)('is skipped', () => {});\n`,
    'b.test.ts': "import './missing.js';\n",
  });
  expect(result).toEqual({ exitCode: 1, lastLine: '1 passed, 2 failed, 1 skipped' });
});

it('fails when all tests pass but something went wrong beside them', async () => {
  const result = await runTests({
    'a.test.ts': "it('leaves a rejection behind', () => void Promise.reject(new Error('stray')));\n",
  });
  expect(result).toEqual({ exitCode: 1, lastLine: '1 passed, 1 failed' });
});

it('fails when no test runs', async () => {
  expect(await runTests({})).toEqual({ exitCode: 1, lastLine: '0 passed, 1 failed' });
});

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The start of a test file that writes down the id of a process that it starts. */
const starting = (file: string, options: string) => `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const start = () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], ${options});
  writeFileSync(${JSON.stringify(file)}, String(child.pid));
  return child;
};
`;

describe('a process that a test starts', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-left-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const readPid = async (file: string) => Number(await readFile(file, 'utf8'));

  it('ends with that test when it fails or times out, and releases its port', async () => {
    const file = path.join(folder, 'ended');
    const gone = `it('starts when that one has ended', () => {
      const pid = Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    });\n`;
    const result = await runTests({
      'a.test.ts': `import { readFileSync } from 'node:fs';${starting(file, "{ stdio: 'ignore' }")}
        it('fails', () => void start() ?? expect(1).toBe(2));\n${gone}
        it('hangs', { timeout: 300 }, () => void start() ?? new Promise(() => {}));\n${gone}`,
    });
    expect(result).toEqual({ exitCode: 1, lastLine: '2 passed, 2 failed' });
  });

  it('ends with its file and fails that when the test passes and leaves it', async () => {
    const file = path.join(folder, 'left');
    const result = await runTests({
      'a.test.ts': `${starting(file, "{ stdio: 'ignore', detached: true }")}it('leaves one', () => void start());\n`,
    });
    expect(result).toEqual({ exitCode: 1, lastLine: '1 passed, 1 failed' });
    expect(isAlive(await readPid(file))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('is ended and named when nothing else ends it', async () => {
    const file = path.join(folder, 'hidden');
    // The child of a shell that ends by itself is no child of the test any more.
    const result = await runTests({
      'a.test.ts': `import { execFileSync } from 'node:child_process';
        it('leaves one', () => {
          execFileSync('sh', ['-c', 'sleep 600 > /dev/null 2>&1 & echo $! > ${file}']);
        });\n`,
    });
    expect(result).toMatchObject({ exitCode: 1, lastLine: '1 passed, 1 failed' });
    expect(result.output + result.errors).toMatch(/left running.*\n.*sleep 600/);
    const pid = await readPid(file);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
