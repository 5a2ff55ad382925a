import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNewerLibc, systemLibcSuffices } from './newerLibc.js';

const run = promisify(execFile);

let baseDir: string;
let cacheDir: string;
let notices: string[];
const notify = (line: string) => void notices.push(line);
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'gatehouse-libc-'));
  cacheDir = join(baseDir, 'cache');
  notices = [];
});
afterEach(() => rm(baseDir, { recursive: true, force: true }));

describe('a machine that cannot have a newer libc', () => {
  it('gets an error that names what is missing', async () => {
    const file = join(baseDir, 'file');
    await writeFile(file, '');
    const failure = await findNewerLibc([join(file, 'cache')], notify).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringMatching(/glibc 2\.38 .*ENOTDIR/) as string });
    expect(notices).toEqual([]);
  });

  it('does not run files that other users could have put into the cache', async () => {
    await mkdir(cacheDir);
    await chmod(cacheDir, 0o777);
    await expect(findNewerLibc([cacheDir], notify)).rejects.toThrow('can be written by others');
  });
});

describe.runIf(!systemLibcSuffices())('a newer libc beside a system that has an older one', () => {
  it('runs Node, and is fetched once for two concurrent requests', async () => {
    const commands = await Promise.all([
      findNewerLibc([cacheDir], notify),
      findNewerLibc([cacheDir], notify),
    ]);
    expect(commands[0]).toEqual(commands[1]);
    const [loader = '', ...args] = commands[0];
    const version = 'process.report.getReport().header.glibcVersionRuntime';
    const { stdout } = await run(loader, [...args, process.execPath, '--print', version]);
    expect(Number(stdout.trim().split('.')[1])).toBeGreaterThanOrEqual(38);
    expect(await readdir(cacheDir)).toHaveLength(1);
    // The second call fetches nothing, so the directory need not be writable.
    await chmod(cacheDir, 0o500);
    expect(await findNewerLibc([join(baseDir, 'other'), cacheDir], notify)).toEqual(commands[0]);
  });

  it('is announced in one line before it is fetched, and not once it is cached', async () => {
    await findNewerLibc([cacheDir], notify);
    await findNewerLibc([cacheDir], notify);
    expect(notices).toEqual([
      expect.stringMatching(/^Downloading libc6 .*needs glibc 2\.38 .*has 2\.\d+\. Set MONGODB_URL .*\.$/),
    ]);
  });

  it('replaces a damaged one and removes the rest of interrupted fetches', async () => {
    await mkdir(join(cacheDir, 'fetch-old'), { recursive: true });
    await mkdir(join(cacheDir, 'fetch-running'));
    await utimes(join(cacheDir, 'fetch-old'), 0, 0);
    const [loader = ''] = await findNewerLibc([cacheDir], notify);
    await writeFile(join(dirname(loader), 'libc.so.6'), '');
    const [again = '', ...args] = await findNewerLibc([cacheDir], notify);
    expect((await run(again, [...args, process.execPath, '--print', '1'])).stdout).toBe('1\n');
    expect((await readdir(cacheDir)).toSorted()).toEqual([
      'fetch-running',
      expect.not.stringContaining('fetch-'),
    ]);
  });
});
