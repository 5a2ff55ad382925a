import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '..');
const header = "import { expect, it } from 'vitest';\n";

/** Runs `npm test` in a temporary repository with the given test files; gives its exit code and last line. */
async function runTests(testFiles: Readonly<Record<string, string>>, ...filters: string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-test-'));
  try {
    const packageFile = { type: 'module', scripts: { build: 'true', test: 'exec node scripts/test.mjs' } };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(packageFile));
    await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
    for (const name of ['makeWay.mjs', 'systemPackages.mjs', 'prepare.mjs', 'requireNode.mjs', 'test.mjs']) {
      await cp(path.join(repository, 'scripts', name), path.join(folder, 'scripts', name));
    }
    await cp(path.join(repository, 'vitest.config.ts'), path.join(folder, 'vitest.config.ts'));
    const source = path.join(folder, 'packages/planted/src');
    await mkdir(source, { recursive: true });
    for (const [name, text] of Object.entries(testFiles))
      await writeFile(path.join(source, name), header + text);
    return await runNpmTest(folder, filters);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runNpmTest(folder: string, filters: readonly string[]) {
  // Not the whole environment: it tells a nested vitest that it is a worker of this one.
  const { PATH, HOME } = process.env;
  const npm = spawn('npm', ['test', '--silent', '--', ...filters], {
    cwd: folder,
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  npm.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(npm, 'close');
  return { exitCode: npm.exitCode, lastLine: output.trimEnd().split('\n').at(-1) };
}

const passing = "it('passes', () => expect(1).toBe(1));\n";

it('succeeds when every test passes, and says how many did', async () => {
  const result = await runTests({ 'a.test.ts': passing, 'b.test.ts': passing });
  expect(result).toEqual({ exitCode: 0, lastLine: '2 passed, 0 failed' });
});

it('runs the tests that its arguments name', async () => {
  const result = await runTests({ 'a.test.ts': passing, 'b.test.ts': passing }, 'src/b.test');
  expect(result).toEqual({ exitCode: 0, lastLine: '1 passed, 0 failed' });
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
