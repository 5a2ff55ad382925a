import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The oldest glibc that the engine's library loads with. */
const NEEDED_GLIBC = '2.38';
/** The Debian release whose libc6 is used: 2.41. */
const DEBIAN_RELEASE = 'trixie';
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const FETCH_TIMEOUT_MS = 120_000;
const ABANDONED_FETCH_MS = 3_600_000;
const FETCH_PREFIX = 'fetch-';

const LAYOUTS = new Map<string, { libDir: string; loader: string }>([
  ['x64', { libDir: 'usr/lib/x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' }],
  ['arm64', { libDir: 'usr/lib/aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' }],
]);

/**
 * Whether the system's own C library is recent enough for the engine. Only Linux with glibc has a version to
 * check.
 */
export function systemLibcSuffices(): boolean {
  if (process.platform !== 'linux') return true;
  const version = systemGlibcVersion();
  return version !== undefined && compareVersions(version, NEEDED_GLIBC) >= 0;
}

/**
 * The command prefix that runs a process on a newer glibc than the system's. On first use it fetches libc6
 * from the machine's own Debian mirror, without root, and keeps it in the first writable directory of
 * `cacheDirs`. Nothing else on the machine changes.
 *
 * @param notify receives one line before a fetch: what is fetched, why, and how to avoid it
 * @throws {Error} if it is not cached and cannot be fetched; the message has no full stop
 */
export async function findNewerLibc(
  cacheDirs: readonly string[],
  notify: (line: string) => void,
): Promise<string[]> {
  const layout = LAYOUTS.get(process.arch);
  const found = systemGlibcVersion() ?? 'no glibc';
  const missing = `it needs glibc ${NEEDED_GLIBC} or later, this machine has ${found}`;
  const notice =
    "Downloading libc6 from this machine's Debian mirror, because the embedded MongoDB engine needs " +
    `glibc ${NEEDED_GLIBC} or later and this machine has ${found}. Set MONGODB_URL to avoid the download.`;
  if (!layout) throw new Error(`${missing}, and is a ${process.arch}`);
  const isComplete = (root: string) =>
    areComplete([layout.loader, 'libc.so.6'].map((file) => join(root, layout.libDir, file)));
  try {
    const root = await provideLibc(cacheDirs, isComplete, () => notify(notice));
    return [join(root, layout.libDir, layout.loader), '--library-path', join(root, layout.libDir)];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new Error(`${missing}, and none could be fetched from a Debian mirror (${reason})`, { cause });
  }
}

function systemGlibcVersion(): string | undefined {
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport();
  return report.header?.glibcVersionRuntime;
}

function compareVersions(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

/** Returns the directory that libc6 is unpacked in, which may be one that this process cannot write to. */
async function provideLibc(
  cacheDirs: readonly string[],
  isComplete: (root: string) => Promise<boolean>,
  notify: () => void,
): Promise<string> {
  const name = `${DEBIAN_RELEASE}-${process.arch}`;
  for (const dir of cacheDirs) {
    if ((await isComplete(join(dir, name))) && (await isTrusted(dir))) return join(dir, name);
  }
  const cacheDir = await firstWritable(cacheDirs);
  const root = join(cacheDir, name);
  notify();
  await fetchLibc(cacheDir, async (unpacked) => {
    await rename(unpacked, root).catch(async () => {
      // Either another process was first, which is equally good, or the existing directory is damaged.
      if (await isComplete(root)) return;
      await rm(root, { recursive: true, force: true });
      await rename(unpacked, root);
    });
  });
  if (!(await isComplete(root))) throw new Error("Debian's libc6 holds no loader for this machine");
  return root;
}

async function firstWritable(dirs: readonly string[]): Promise<string> {
  let failure: unknown = new Error('no cache directory');
  for (const dir of dirs) {
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await access(dir, constants.W_OK);
      if (await isTrusted(dir)) return dir;
      failure = new Error(`${dir} can be written by others`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Whether only this user and root can have written the files that will be executed. */
async function isTrusted(dir: string): Promise<boolean> {
  const { uid, mode } = await stat(dir);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}

async function areComplete(files: readonly string[]): Promise<boolean> {
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  return sizes.every((size) => size > 0);
}

/**
 * Unpacks libc6 and passes it to `place`, which moves it as a whole: an interrupted fetch leaves nothing
 * there.
 */
async function fetchLibc(cacheDir: string, place: (unpacked: string) => Promise<void>): Promise<void> {
  await removeAbandonedFetches(cacheDir);
  const workDir = await mkdtemp(join(cacheDir, FETCH_PREFIX));
  try {
    const unpacked = join(workDir, 'root');
    await run('dpkg-deb', ['-x', await downloadLibc(workDir), unpacked]);
    await place(unpacked);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function removeAbandonedFetches(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(FETCH_PREFIX)) continue;
    const dir = join(cacheDir, name);
    const { mtimeMs } = await stat(dir).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > ABANDONED_FETCH_MS) await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Downloads libc6 into `workDir` with apt, which verifies Debian's signature, and returns the archive's path.
 */
async function downloadLibc(workDir: string): Promise<string> {
  const mirrors = await configuredMirrors();
  if (mirrors.length === 0) throw new Error('apt has no mirror configured');
  const lines = mirrors.map((mirror) => `deb [signed-by=${DEBIAN_KEYRING}] ${mirror} ${DEBIAN_RELEASE} main`);
  await mkdir(join(workDir, 'state/lists/partial'), { recursive: true });
  await mkdir(join(workDir, 'cache/archives/partial'), { recursive: true });
  await writeFile(join(workDir, 'sources.list'), lines.join('\n') + '\n');
  await writeFile(join(workDir, 'status'), '');
  const settings = [
    `Dir::Etc::SourceList=${join(workDir, 'sources.list')}`,
    'Dir::Etc::SourceParts=-',
    'Dir::Etc::Preferences=-',
    'Dir::Etc::PreferencesParts=-',
    `Dir::State=${join(workDir, 'state')}`,
    `Dir::State::Status=${join(workDir, 'status')}`,
    `Dir::Cache=${join(workDir, 'cache')}`,
    'Acquire::Languages=none',
    'APT::Sandbox::User=',
  ].flatMap((setting) => ['-o', setting]);
  const apt = (command: string[]) =>
    run('apt-get', ['-qq', ...settings, ...command], {
      cwd: workDir,
      timeout: FETCH_TIMEOUT_MS,
    });
  // An update also fails if one of several mirrors does not have the release, or a hook of the machine fails.
  const update = await apt(['update']).catch((error: unknown) => error);
  await apt(['download', 'libc6']).catch((error: unknown) => {
    throw update instanceof Error ? update : error;
  });
  const archive = (await readdir(workDir)).find((file) => file.startsWith('libc6_'));
  if (!archive) throw new Error('apt-get downloaded no libc6');
  return join(workDir, archive);
}

/**
 * The base addresses in the machine's apt configuration; which of them has Debian shows when they are used.
 */
async function configuredMirrors(): Promise<string[]> {
  const { stdout } = await run('apt-get', ['update', '--print-uris']);
  const bases = [...stdout.matchAll(/^'([^' ]+)\/dists\/[^'/]+\/InRelease'/gm)].map(([, base]) => base ?? '');
  return [...new Set(bases)];
}
