import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  invalidField,
  type InputOf,
  type OrgUserPrincipal,
  type OutputOf,
  type RemoteInput,
  type Services,
  type VersionControl,
} from '@gatehouse/contract';
import {
  createEvent,
  DestinationError,
  originOf,
  requireVersion,
  untilWritten,
  type CallContext,
} from '@gatehouse/service';
import { BranchConflictError } from '../git/bareRepository.js';
import { isWebUrl, parseRemoteUrl } from '../logic/versionControl/remoteUrl.js';
import type { Repository, RepositorySettings, StoredRemote } from '../store/repositories.js';
import { reachRemote, RemoteError, sealToken, verifyRemote } from './remotes.js';
import { remoteTimeoutMs, openBareRepository, type VersionControlParts } from './versionControlParts.js';

type Procedures = Services['lifecycle']['procedures']['versionControl'];
type Settings = OutputOf<Procedures['get']>;

/** Throws FORBIDDEN for all but an org user with the ADMIN role and a token of the project. */
function requireAdmin({ principal }: CallContext): OrgUserPrincipal {
  const isOfProject = principal.tokenType === 'project' && principal.dashboardId === undefined;
  if (principal.kind !== 'orgUser' || principal.role !== 'ADMIN' || !isOfProject)
    throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role' });
  return principal;
}

function toRecord(repository: Repository): VersionControl {
  const { _id, commitOnSave, branch, remote, lastPush, version, createdAt, updatedAt } = repository;
  return {
    projectId: _id,
    commitOnSave,
    branch,
    remote: remote && {
      url: remote.url,
      username: remote.username,
      hasCredentials: remote.sealedToken !== null,
      webUrl: remote.webUrl,
    },
    lastPush: lastPush && { ...lastPush, at: lastPush.at.toISOString() },
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

async function findConfigured(
  { store }: VersionControlParts,
  { organizationId, projectId }: OrgUserPrincipal,
): Promise<Repository | null> {
  const found = await store.find(organizationId, projectId);
  return found === null || found.isRemoved ? null : found;
}

export async function getVersionControl(parts: VersionControlParts, context: CallContext): Promise<Settings> {
  const found = await findConfigured(parts, requireAdmin(context));
  if (found === null) throw new AppError('NOT_FOUND');
  return { versionControl: toRecord(found) };
}

/** The sealed token: the one that is given, else the one that is there. Throws INVALID_REQUEST when that one would go elsewhere. */
function nextToken(
  parts: VersionControlParts,
  { token, username, origin }: { token: RemoteInput['token']; username: string | null; origin: string },
  { projectId, former }: { projectId: string; former: StoredRemote | null },
): string | null {
  if (token === null) return null;
  if (token !== undefined) return sealToken(parts, { projectId, origin }, token);
  if (former === null || former.sealedToken === null) return null;
  if (former.origin === origin && former.username === username) return former.sealedToken;
  throw invalidField('remote.token', 'has to be given again because of a new host or username');
}

/** Checks a remote as it is set. Throws INVALID_REQUEST. */
function parseRemote(
  parts: VersionControlParts,
  { url, token, username = null, webUrl = null }: RemoteInput,
  place: { projectId: string; former: StoredRemote | null },
): StoredRemote {
  const address = parseRemoteUrl(url);
  if (typeof address === 'string') throw invalidField('remote.url', address);
  if (username?.includes(':')) throw invalidField('remote.username', 'must not hold a colon');
  if (webUrl !== null && !isWebUrl(webUrl)) throw invalidField('remote.webUrl', 'must be a web address');
  const { origin } = address;
  const sealedToken = nextToken(parts, { token, username, origin }, place);
  return { url: address.url, origin, username, sealedToken, webUrl };
}

/** Throws INVALID_REQUEST unless the remote may be reached, and where that is asked for, can be. */
async function checkRemote(
  parts: VersionControlParts,
  { _id, organizationId }: Pick<Repository, '_id' | 'organizationId'>,
  { stored, verify }: { stored: StoredRemote; verify: boolean },
): Promise<void> {
  const timeoutMs = remoteTimeoutMs(parts);
  try {
    if (verify) await verifyRemote(parts, { place: { _id, organizationId }, stored, timeoutMs });
    else await reachRemote(parts, _id, stored);
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof DestinationError)) throw error;
    throw invalidField('remote.url', error.message);
  }
}

async function openBranch(
  parts: VersionControlParts,
  repository: Pick<Repository, '_id' | 'organizationId' | 'branch'>,
): Promise<void> {
  try {
    await openBareRepository(parts, repository);
  } catch (error) {
    if (!(error instanceof BranchConflictError)) throw error;
    throw invalidField('branch', 'does not go beside a branch that the repository has');
  }
}

function settingsOf({ isRemoved, commitOnSave, branch, remote }: RepositorySettings): RepositorySettings {
  return { isRemoved, commitOnSave, branch, remote };
}

/** Writes settings; null where others were written first. */
async function write(
  { store }: VersionControlParts,
  { current, settings }: { current: Repository | null; settings: RepositorySettings },
  context: CallContext,
): Promise<Repository | null> {
  const { organizationId, projectId } = context.principal;
  const { now } = context;
  const { isRemoved, commitOnSave, remote } = settings;
  const version = (current?.version ?? 0) + 1;
  const data = { projectId, commitOnSave, hasRemote: remote !== null, version };
  const type = isRemoved ? 'management.version_control.removed.v1' : 'management.version_control.updated.v1';
  const events = [createEvent(type, projectId, { origin: originOf('lifecycle', context), data })];
  const written = { settings, events, now };
  if (current === null) return store.insert(organizationId, projectId, written);
  return store.update(organizationId, current, written);
}

/** Lets the service that saves know before the event comes, which it does all the same. */
async function tellAccess(
  { services, log }: VersionControlParts,
  { commitOnSave, version }: Repository,
  context: CallContext,
): Promise<void> {
  await services.access.commitSettings.keep(context, { commitOnSave, version }).catch((err: unknown) => {
    log.warn({ err }, 'the setting to commit on saving takes effect with its event');
  });
}

/**
 * Sets up version control of the caller's project, or changes it. Throws FORBIDDEN, INVALID_REQUEST, PRECONDITION_FAILED, and
 * UNAVAILABLE where there is no git.
 */
export async function putVersionControl(
  parts: VersionControlParts,
  { commitOnSave, branch, remote, verify }: InputOf<Procedures['put']>,
  context: CallContext,
): Promise<Settings> {
  const { organizationId, projectId } = requireAdmin(context);
  const place = { _id: projectId, organizationId };
  const repository = await untilWritten(async () => {
    const current = await parts.store.find(organizationId, projectId);
    // A version is counted from one: what is not there, or not any more, is of none.
    requireVersion(context, current === null || current.isRemoved ? -1 : current.version);
    const former = current?.remote ?? null;
    const stored = remote && parseRemote(parts, remote, { projectId, former });
    if (stored !== null) await checkRemote(parts, place, { stored, verify });
    await openBranch(parts, { ...place, branch });
    const settings = { isRemoved: false, commitOnSave, branch, remote: stored };
    if (current !== null && isDeepStrictEqual(settings, settingsOf(current))) return current;
    return write(parts, { current, settings }, context);
  });
  await tellAccess(parts, repository, context);
  return { versionControl: toRecord(repository) };
}

/** Ends version control of the caller's project and forgets the remote; the repository stays as it is. */
export async function removeVersionControl(
  parts: VersionControlParts,
  context: CallContext,
): Promise<OutputOf<Procedures['remove']>> {
  const admin = requireAdmin(context);
  const repository = await untilWritten(async () => {
    const current = await findConfigured(parts, admin);
    if (current === null) throw new AppError('NOT_FOUND');
    requireVersion(context, current.version);
    const { branch } = current;
    const settings = { isRemoved: true, commitOnSave: 'off', branch, remote: null } as const;
    return write(parts, { current, settings }, context);
  });
  await tellAccess(parts, repository, context);
  return {
    message: 'Version control was ended',
    deletedVersionControl: { projectId: repository._id },
  };
}
