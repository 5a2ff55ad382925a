import { DestinationError, findDestination, type SealedField } from '@gatehouse/service';
import { GitError } from './git/program.js';
import { probeRemote, PushRejectedError, type Remote } from './git/remote.js';
import { explainRemoteFault, PUSH_REJECTED } from './logic/remoteFaults.js';
import { parseRemoteUrl } from './logic/remoteUrl.js';
import { findBareRepository, type VersionControlDependencies } from './openLocalRepository.js';
import type { RepositoryKey } from './pushQueue.js';
import { RepositorySpaceError } from './repositorySpace.js';
import { REPOSITORIES, type StoredRemote } from './store.js';

/** The username of a token without one. Hosts that accept tokens ignore the username. */
const DEFAULT_USERNAME = 'git';

/** Binds a sealed token to its project and its host, so that it opens for no other. */
const sealingContext = (projectId: string, origin: string) => `repository token ${projectId} ${origin}`;

export const SEALED_FIELDS: readonly SealedField[] = [
  {
    collection: REPOSITORIES,
    path: ['remote', 'sealedToken'],
    contextOf: ({ _id, remote }) => sealingContext(_id, remote.origin),
  },
];

export function sealToken(
  { sealer }: Pick<VersionControlDependencies, 'sealer'>,
  { projectId, origin }: { projectId: string; origin: string },
  token: string,
): string {
  return sealer.seal(token, sealingContext(projectId, origin));
}

/**
 * A remote that cannot be used. The message is shown to administrators and quotes nothing from the remote.
 */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** Explains why a remote could not be used; undefined for any other error. */
export function explainFault(error: unknown): string | undefined {
  if (error instanceof RemoteError || error instanceof DestinationError) return error.message;
  if (error instanceof RepositorySpaceError) return error.message;
  if (error instanceof PushRejectedError) return PUSH_REJECTED;
  if (!(error instanceof GitError) || error.reason === 'missing') return undefined;
  return explainRemoteFault({ isTimeout: error.reason === 'timeout', stderr: error.stderr });
}

/**
 * Resolves the remote of a project and checks its addresses. Throws RemoteError, and DestinationError for a
 * forbidden address.
 */
export async function reachRemote(
  deps: Pick<VersionControlDependencies, 'sealer' | 'config'>,
  projectId: string,
  stored: StoredRemote,
): Promise<Remote> {
  const address = parseRemoteUrl(stored.url);
  if (typeof address === 'string') throw new RemoteError(`The address ${address}`);
  const setting = 'REPOSITORY_HOSTS';
  const destination = await findDestination(address, { setting, value: deps.config[setting] });
  const { sealedToken, username, origin } = stored;
  const token =
    sealedToken === null ? null : deps.sealer.open(sealedToken, sealingContext(projectId, origin));
  const credentials = token === null ? null : { username: username ?? DEFAULT_USERNAME, token };
  return { url: address.url, destination, credentials };
}

/** Throws RemoteError unless the remote responds as a git repository. */
export async function verifyRemote(
  deps: VersionControlDependencies,
  { repository, stored, timeoutMs }: { repository: RepositoryKey; stored: StoredRemote; timeoutMs: number },
): Promise<void> {
  const remote = await reachRemote(deps, repository._id, stored);
  const { git } = await findBareRepository(deps, repository);
  try {
    await probeRemote({ git }, remote, { timeoutMs });
  } catch (error) {
    const reason = explainFault(error);
    throw reason === undefined ? error : new RemoteError(reason);
  }
}
