import { DestinationError, findDestination, type SealedField } from '@gatehouse/service';
import { askRemote, PushRefusedError, type Remote } from '../git/remote.js';
import { GitError } from '../git/program.js';
import { explainRemoteFault, PUSH_REFUSED } from '../logic/versionControl/pushReason.js';
import { parseRemoteUrl } from '../logic/versionControl/remoteUrl.js';
import { REPOSITORIES, type Repository, type StoredRemote } from '../store/repositories.js';
import { findBareRepository, type VersionControlParts } from './versionControlParts.js';

type Place = Pick<Repository, '_id' | 'organizationId'>;

/** What a token is sent as the password of where no user is named: hosts that take tokens do not look at it. */
const DEFAULT_USERNAME = 'git';

/** Binds a sealed token to its project and to the host that it was given for. */
const sealingContext = (projectId: string, origin: string) => `repository token ${projectId} ${origin}`;

export const SEALED_FIELDS: readonly SealedField[] = [
  {
    collection: REPOSITORIES,
    path: ['remote', 'sealedToken'],
    contextOf: ({ _id, remote }) => sealingContext(_id, remote.origin),
  },
];

export function sealToken(
  { sealer }: Pick<VersionControlParts, 'sealer'>,
  { projectId, origin }: { projectId: string; origin: string },
  token: string,
): string {
  return sealer.seal(token, sealingContext(projectId, origin));
}

/** A remote that cannot be used. Its message is for administrators and holds nothing that the remote said. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** Why a remote could not be used; undefined for a fault of another kind. */
export function explainFault(error: unknown): string | undefined {
  if (error instanceof RemoteError || error instanceof DestinationError) return error.message;
  if (error instanceof PushRefusedError) return PUSH_REFUSED;
  if (!(error instanceof GitError) || error.reason === 'missing') return undefined;
  return explainRemoteFault({ isTimeout: error.reason === 'timeout', said: error.said.errors });
}

/** The remote of a project with its checked addresses. Throws RemoteError, and DestinationError where it may not be reached. */
export async function reachRemote(
  parts: Pick<VersionControlParts, 'sealer' | 'config'>,
  projectId: string,
  stored: StoredRemote,
): Promise<Remote> {
  const address = parseRemoteUrl(stored.url);
  if (typeof address === 'string') throw new RemoteError(`The address ${address}`);
  const setting = 'REPOSITORY_HOSTS';
  const destination = await findDestination(address, { setting, value: parts.config[setting] });
  const { sealedToken, username, origin } = stored;
  const token =
    sealedToken === null ? null : parts.sealer.open(sealedToken, sealingContext(projectId, origin));
  const credentials = token === null ? null : { username: username ?? DEFAULT_USERNAME, token };
  return { url: address.url, destination, credentials };
}

/** Throws RemoteError unless the remote answers as a repository does. */
export async function verifyRemote(
  parts: VersionControlParts,
  { place, stored, timeoutMs }: { place: Place; stored: StoredRemote; timeoutMs: number },
): Promise<void> {
  const remote = await reachRemote(parts, place._id, stored);
  const { git } = await findBareRepository(parts, place);
  try {
    await askRemote({ git }, remote, { timeoutMs });
  } catch (error) {
    const reason = explainFault(error);
    throw reason === undefined ? error : new RemoteError(reason);
  }
}
