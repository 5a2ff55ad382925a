import { createHash } from 'node:crypto';
import type { Destination } from '@gatehouse/service';
import { branchRef, changeRefs, isAncestor, readRefs, type BareRepository } from './bareRepository.js';
import { GitError, type GitRun } from './program.js';
import { rebaseOnto } from './rebase.js';

/** A remote with the addresses that git may connect to. */
export interface Remote {
  url: string;
  /** The checked addresses. Git connects to no other. */
  destination: Destination;
  credentials: { username: string; token: string } | null;
}

/** The limits of a command that calls a remote. */
export interface NetworkLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The limits of a push. */
export interface PushLimits extends NetworkLimits {
  /** Runs a fetch, or rejects if the repository has no room for what a remote sends. */
  whileFetching<R>(fetch: () => Promise<R>): Promise<R>;
}

const ATTEMPTS_MAX = 4;
/** The most that is read of the list of a remote's branches: with ordinary names, 50,000 of them. */
const BRANCHES_MAX_BYTES = 4 * 1024 * 1024;

/**
 * The ref of the last known tip of a remote's branch. Each URL has its own ref, because another remote has
 * none of it yet.
 */
function trackingRef({ url }: Pick<Remote, 'url'>, branch: string): string {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 16);
  return `refs/remotes/${name}/${branch}`;
}

/** The remote rejected a push. */
export class PushRejectedError extends Error {
  override readonly name = 'PushRejectedError';
}

function basicOf({ username, token }: { username: string; token: string }): string {
  return `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
}

function bracket(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/**
 * Options of a command that calls the remote. Secrets are in its environment, which other users cannot read.
 */
function remoteOptions(
  { url, destination, credentials }: Remote,
  { timeoutMs, signal }: NetworkLimits,
): Omit<GitRun, 'args'> {
  const { host, port, addresses } = destination;
  const settings: [string, string][] = [['remote.origin.url', url]];
  if (!addresses.includes(host))
    settings.push(['http.curloptResolve', `${host}:${port}:${addresses.map(bracket).join(',')}`]);
  if (credentials !== null) settings.push(['http.extraHeader', basicOf(credentials)]);
  const environment = { GIT_ALLOW_PROTOCOL: new URL(url).protocol.replace(':', '') };
  return { settings, environment, timeoutMs, signal, isRemote: true };
}

/**
 * Lists the branches of the remote. Throws GitError when it does not respond as a git repository, or when it
 * has too many branches.
 */
export async function probeRemote(
  { git }: Pick<BareRepository, 'git'>,
  remote: Remote,
  limits: NetworkLimits,
): Promise<void> {
  const args = ['ls-remote', '--quiet', '--heads', 'origin'];
  await git.run({ ...remoteOptions(remote, limits), args, outputMax: BRANCHES_MAX_BYTES });
}

/** A branch of a remote. */
export interface RemoteBranch {
  remote: Remote;
  branch: string;
}

/** Fetches the branch of the remote; null when the remote does not have it. */
async function fetchBranch(
  repository: BareRepository,
  { remote, branch }: RemoteBranch,
  limits: NetworkLimits,
): Promise<string | null> {
  const { git, directory } = repository;
  const tracking = trackingRef(remote, branch);
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const args = ['fetch', ...flags, 'origin', `+${branchRef(branch)}:${tracking}`];
  try {
    await git.run({ ...remoteOptions(remote, limits), directory, args });
  } catch (error) {
    if (error instanceof GitError && error.stderr.includes("couldn't find remote ref")) return null;
    throw error;
  }
  const [found = null] = await readRefs(repository, [tracking]);
  return found;
}

/** Pushes a commit as the new tip of the remote's branch. Returns false when the remote rejects it. */
async function tryPush(
  { git, directory }: BareRepository,
  { remote, branch, tip }: RemoteBranch & { tip: string },
  limits: NetworkLimits,
): Promise<boolean> {
  const flags = ['--quiet', '--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];
  const args = ['push', ...flags, 'origin', `${tip}:${branchRef(branch)}`];
  try {
    await git.run({ ...remoteOptions(remote, limits), directory, args });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.reason === 'failed' && /^!/m.test(error.stdout)) return false;
    throw error;
  }
}

/**
 * Pushes a branch. If the remote has other commits, the local commits are rebased onto them and get new
 * names. Returns the tip of the remote, and whether this push moved it; null when the branch has no commits.
 *
 * @throws PushRejectedError when the remote rejects the push; GitError when it cannot be reached; what
 * `whileFetching` throws
 */
export async function pushBranch(
  repository: BareRepository,
  { remote, branch }: RemoteBranch,
  limits: PushLimits,
): Promise<{ tip: string; isNew: boolean } | null> {
  const deadline = performance.now() + limits.timeoutMs;
  const tracking = trackingRef(remote, branch);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const left = { ...limits, timeoutMs: Math.max(1, deadline - performance.now()) };
    const [tip = null, tracked = null] = await readRefs(repository, [branchRef(branch), tracking]);
    if (tip === null) return null;
    if (tip === tracked) return { tip, isNew: false };
    if (await tryPush(repository, { remote, branch, tip }, left)) {
      await changeRefs(repository, [{ ref: tracking, old: tracked, new: tip }]);
      return { tip, isNew: true };
    }
    const theirs = await limits.whileFetching(() => fetchBranch(repository, { remote, branch }, left));
    // An earlier push succeeded although its response was lost. The remote still processed it when this one
    // arrived.
    if (theirs === tip) return { tip, isNew: true };
    if (theirs === null || (await isAncestor(repository, theirs, tip))) throw new PushRejectedError();
    await rebaseOnto(repository, { ref: branchRef(branch), base: theirs, former: tracked });
  }
  throw new PushRejectedError('The remote moves on faster than commits are made again');
}

/** Reads the names of commits that the remote is not known to have, up to `limit`. */
export async function readUnpushed(
  repository: BareRepository,
  { url, branch }: { url: string; branch: string },
  limit: number,
): Promise<ReadonlySet<string>> {
  const { git, directory } = repository;
  const [tip, tracked] = await readRefs(repository, [branchRef(branch), trackingRef({ url }, branch)]);
  if (!tip || tip === tracked) return new Set();
  const args = ['rev-list', `--max-count=${limit}`, tip, ...(tracked ? [`^${tracked}`] : []), '--'];
  return new Set((await git.run({ directory, args })).trim().split('\n'));
}
