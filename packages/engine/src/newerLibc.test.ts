import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNewerLibc, systemLibcSuffices } from './newerLibc.js';
import { EngineUnavailableError } from './unavailableError.js';

const run = promisify(execFile);

const FETCH_LIMIT = { timeout: 120_000 };

let baseDir: string;
let cacheDir: string;
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'gatehouse-libc-'));
  cacheDir = join(baseDir, 'cache');
});
afterEach(() => rm(baseDir, { recursive: true, force: true }));

describe('a machine that cannot have a newer libc', () => {
  it('is told what is missing and what to use instead', async () => {
    const file = join(baseDir, 'file');
    await writeFile(file, '');
    const failure = await findNewerLibc([join(file, 'cache')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineUnavailableError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/glibc 2\.38 .*ENOTDIR.* MONGODB_URL .*infra\/compose\.yaml/) as string,
    });
  });

  it('does not run what others could have put into the cache', async () => {
    await mkdir(cacheDir);
    await chmod(cacheDir, 0o777);
    await expect(findNewerLibc([cacheDir])).rejects.toThrow('can be written by others');
  });
});

describe.runIf(!systemLibcSuffices())('a newer libc beside a system that has an older one', () => {
  it('runs Node, and is there once when it is asked for twice at the same time', FETCH_LIMIT, async () => {
    const commands = await Promise.all([findNewerLibc([cacheDir]), findNewerLibc([cacheDir])]);
    expect(commands[0]).toEqual(commands[1]);
    const [loader = '', ...args] = commands[0];
    const version = 'process.report.getReport().header.glibcVersionRuntime';
    const { stdout } = await run(loader, [...args, process.execPath, '--print', version]);
    expect(Number(stdout.trim().split('.')[1])).toBeGreaterThanOrEqual(38);
    expect(await readdir(cacheDir)).toHaveLength(1);
    // The second time nothing is fetched, so the directory need not be writable.
    await chmod(cacheDir, 0o500);
    expect(await findNewerLibc([join(baseDir, 'other'), cacheDir])).toEqual(commands[0]);
  });

  it('replaces a damaged one and removes what interrupted fetches left', FETCH_LIMIT, async () => {
    await mkdir(join(cacheDir, 'fetch-old'), { recursive: true });
    await mkdir(join(cacheDir, 'fetch-running'));
    await utimes(join(cacheDir, 'fetch-old'), 0, 0);
    const [loader = ''] = await findNewerLibc([cacheDir]);
    await writeFile(join(dirname(loader), 'libc.so.6'), '');
    const [again = '', ...args] = await findNewerLibc([cacheDir]);
    expect((await run(again, [...args, process.execPath, '--print', '1'])).stdout).toBe('1\n');
    expect((await readdir(cacheDir)).toSorted()).toEqual([
      'fetch-running',
      expect.not.stringContaining('fetch-'),
    ]);
  });
});
