/** The git repositories of projects, each as a bundle, which git creates consistently during writes. */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** @typedef {import('@gatehouse/service').ArchiveItem} ArchiveItem */

/**
 * Starts git and gives its output, and a promise that rejects when it fails.
 * @param {string} program
 * @param {readonly string[]} args
 */
function startGit(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(undefined);
      else void errors.then((said) => reject(new Error(`git ${args.join(' ')} failed: ${said.trim()}`)));
    });
  });
  ended.catch(() => {});
  return { output: child.stdout, ended };
}

/** @param {string} program @param {readonly string[]} args @returns {Promise<string>} */
async function runGit(program, args) {
  const { output, ended } = startGit(program, args);
  const said = await text(output);
  await ended;
  return said.trim();
}

/**
 * The bare repositories of a folder: `<organization>/<project>.git`. @param {string} folder @returns
 * {Promise<string[]>}
 */
async function listRepositories(folder) {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => (await readdir(path.join(folder, name))).map((each) => path.join(name, each)));
  return (await Promise.all(nested))
    .flat()
    .filter((place) => place.endsWith('.git'))
    .toSorted();
}

/** Throws unless there is no repository. @param {string} folder */
export async function requireNoRepositories(folder) {
  if ((await listRepositories(folder)).length === 0) return;
  throw new Error(`${folder} has repositories. Nothing was restored: set another REPOSITORY_DIR.`);
}

/**
 * @param {string} folder
 * @param {string} git the program
 * @returns {AsyncGenerator<ArchiveItem>}
 */
export async function* readRepositories(folder, git) {
  for (const place of await listRepositories(folder)) {
    const directory = `--git-dir=${path.join(folder, place)}`;
    const head = await runGit(git, [directory, 'symbolic-ref', 'HEAD']);
    // A repository without a commit is created again when it is needed.
    if ((await runGit(git, [directory, 'for-each-ref', '--count=1'])) === '') continue;
    yield { kind: 'repository', path: place, head };
    const { output, ended } = startGit(git, [directory, 'bundle', 'create', '--quiet', '-', '--all']);
    for await (const bytes of output) yield { kind: 'chunk', bytes };
    await ended;
  }
}

/**
 * The refs of the highest committed versions of dashboards. A repository is read after the dashboards, which
 * may have been saved meanwhile. The restored dashboards count their versions from an earlier one, so that
 * the next commits would count as late, and remain beneath content that no dashboard has.
 */
const VERSION_REFS = 'refs/gatehouse/versions/*';

/** Creates the repositories from an archive's items, which arrive in order. */
export class RepositoryWriter {
  /** @param {string} folder @param {string} git the program */
  constructor(folder, git) {
    this.folder = folder;
    this.git = git;
    /**
     * @type {{ place: string, head: string, bundle: string, stream: import('node:fs').WriteStream } | null}
     */
    this.current = null;
    this.count = 0;
  }

  /** @param {ArchiveItem} item */
  async write(item) {
    if (item.kind === 'chunk') {
      const { current } = this;
      if (current === null) throw new Error('The archive has a part of no repository');
      const bytes = Buffer.from(item.bytes);
      await new Promise((resolve, reject) => {
        current.stream.write(bytes, (error) => (error ? reject(error) : resolve(undefined)));
      });
      return;
    }
    await this.flush();
    if (item.kind !== 'repository') return;
    const scratch = await mkdtemp(path.join(tmpdir(), 'gatehouse-restore-'));
    const bundle = path.join(scratch, 'bundle');
    this.current = { place: item.path, head: item.head, bundle, stream: createWriteStream(bundle) };
  }

  async flush() {
    if (this.current === null) return;
    const { place, head, bundle, stream } = this.current;
    this.current = null;
    await new Promise((resolve) => {
      stream.end(() => resolve(undefined));
    });
    try {
      const target = path.join(this.folder, place);
      if (!target.startsWith(this.folder + path.sep)) throw new Error('The archive names a foreign folder');
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await mkdir(target, { recursive: true, mode: 0o700 });
      await runGit(this.git, ['init', '--quiet', '--bare', '--template=', target]);
      const refs = ['+refs/*:refs/*', `^${VERSION_REFS}`];
      await runGit(this.git, [`--git-dir=${target}`, 'fetch', '--quiet', bundle, ...refs]);
      await runGit(this.git, [`--git-dir=${target}`, 'symbolic-ref', 'HEAD', head]);
      this.count += 1;
    } finally {
      await rm(path.dirname(bundle), { recursive: true });
    }
  }
}
