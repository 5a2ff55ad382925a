import { createHash } from 'node:crypto';
import type { Destination } from '@gatehouse/service';
import { branchRef, changeRefs, isAncestor, readRefs, type BareRepository } from './bareRepository.js';
import { GitError, type GitRun } from './program.js';
import { replayOnto } from './replay.js';

/** A remote that may be reached, and only so. */
export interface Remote {
  url: string;
  /** The addresses that were checked: no other is connected to. */
  destination: Destination;
  credentials: { username: string; token: string } | null;
}

/** How long a command may take that talks to a remote, and what ends it early. */
export interface NetworkLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const ATTEMPTS_MAX = 4;

/** What a remote is known to have of a branch. Each address has refs of its own: another remote knows nothing yet. */
function trackingRef({ url }: Pick<Remote, 'url'>, branch: string): string {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 16);
  return `refs/remotes/${name}/${branch}`;
}

/** What a remote did not take, for a reason of its own. */
export class PushRefusedError extends Error {
  override readonly name = 'PushRefusedError';
}

function basicOf({ username, token }: { username: string; token: string }): string {
  return `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
}

function bracket(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** What a command is given to reach the remote: through its environment, where other users of the machine do not look. */
function reaching(
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

/** Asks the remote for its branches. Throws GitError when it does not answer as a repository does. */
export async function askRemote(
  { git }: Pick<BareRepository, 'git'>,
  remote: Remote,
  limits: NetworkLimits,
): Promise<void> {
  await git.run({ ...reaching(remote, limits), args: ['ls-remote', '--quiet', '--heads', 'origin'] });
}

/** A branch of a remote, and how to reach it. */
export interface RemoteBranch {
  remote: Remote;
  branch: string;
}

/** Reads the branch of the remote; null where the remote has none. */
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
    await git.run({ ...reaching(remote, limits), directory, args });
  } catch (error) {
    if (error instanceof GitError && error.said.errors.includes("couldn't find remote ref")) return null;
    throw error;
  }
  const [found = null] = await readRefs(repository, [tracking]);
  return found;
}

/** Offers a commit to the remote as the next of its branch; false when the remote has not taken it. */
async function offer(
  { git, directory }: BareRepository,
  { remote, branch, tip }: RemoteBranch & { tip: string },
  limits: NetworkLimits,
): Promise<boolean> {
  const flags = ['--quiet', '--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];
  const args = ['push', ...flags, 'origin', `${tip}:${branchRef(branch)}`];
  try {
    await git.run({ ...reaching(remote, limits), directory, args });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.reason === 'failed' && /^!/m.test(error.said.output)) return false;
    throw error;
  }
}

/**
 * Gives the remote what the branch has. Where the remote has moved on, the own commits are made again on top of what it has:
 * then they have other names. Answers the tip that the remote has, and whether it is new there; null where there is
 * nothing to give.
 *
 * @throws PushRefusedError when the remote does not want it; GitError when it cannot be reached
 */
export async function pushBranch(
  repository: BareRepository,
  { remote, branch }: RemoteBranch,
  limits: NetworkLimits,
): Promise<{ tip: string; isNew: boolean } | null> {
  const deadline = performance.now() + limits.timeoutMs;
  const tracking = trackingRef(remote, branch);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const left = { ...limits, timeoutMs: Math.max(1, deadline - performance.now()) };
    const [tip = null, tracked = null] = await readRefs(repository, [branchRef(branch), tracking]);
    if (tip === null) return null;
    if (tip === tracked) return { tip, isNew: false };
    if (await offer(repository, { remote, branch, tip }, left)) {
      await changeRefs(repository, [{ ref: tracking, old: tracked, new: tip }]);
      return { tip, isNew: true };
    }
    const theirs = await fetchBranch(repository, { remote, branch }, left);
    // An earlier offer has arrived whose answer did not: the remote was still at it when this one came.
    if (theirs === tip) return { tip, isNew: true };
    if (theirs === null || (await isAncestor(repository, theirs, tip))) throw new PushRefusedError();
    await replayOnto(repository, { ref: branchRef(branch), base: theirs });
  }
  throw new PushRefusedError('The remote moves on faster than commits are made again');
}

/** The commits of the branch that the remote is not known to have, up to a number, by their names. */
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
