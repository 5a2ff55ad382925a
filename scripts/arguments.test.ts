import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-arguments-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Run {
  code: number | string | null | undefined;
  output: string;
  errors: string;
}

/** Runs a program of an operator on a data directory without data. */
function run(program: string, ...args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const file = path.join(import.meta.dirname, `${program}.mjs`);
    const env = { ...process.env, DATA_DIR: path.join(folder, 'none'), MONGODB_URL: '', SEALING_KEYS: '' };
    execFile(process.execPath, [file, ...args], { env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : error.code, output, errors }),
    );
  });
}

it.each(['rotateKey', 'reseal', 'secrets', 'internalKey'])(
  '%s with --help changes nothing',
  async (program) => {
    const outcome = await run(program, '--help');
    expect(await readdir(path.dirname(import.meta.dirname))).not.toContain('--help');
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining('Usage: npm run '), errors: '' });
  },
);

it.each([
  ['rotateKey', 'now'],
  ['reseal', '--dry-run'],
  ['secrets', '--force'],
  ['internalKey', '--kid=x'],
])('%s rejects the unknown argument %s', async (program, argument) => {
  const outcome = await run(program, argument);
  expect(outcome).toEqual({ code: 2, output: '', errors: expect.stringContaining('Usage: npm run ') });
});

it('a verify key that is not JSON is rejected in one line', async () => {
  const errors = 'A verify key must be a JWK or a JWK set, in JSON\n';
  expect(await run('internalKey', 'not a key')).toEqual({ code: 2, output: '', errors });
});
