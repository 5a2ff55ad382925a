import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  invalidField,
  type CommitOnSave,
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
  retryOnConflict,
  type CallContext,
} from '@gatehouse/service';
import { BranchConflictError } from './git/bareRepository.js';
import { parseRemoteUrl, parseWebUrl } from './logic/remoteUrl.js';
import {
  openBareRepository,
  remoteTimeoutMs,
  type VersionControlDependencies,
} from './openLocalRepository.js';
import type { RepositoryKey } from './pushQueue.js';
import { reachRemote, RemoteError, sealToken, verifyRemote } from './reachRemote.js';
import type { Repository, RepositorySettings, StoredRemote } from './store.js';

type Procedures = Services['lifecycle']['procedures']['versionControl'];
type Settings = OutputOf<Procedures['get']>;

/** Throws FORBIDDEN unless the caller is an org user with the ADMIN role and a project token. */
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
  { store }: VersionControlDependencies,
  { organizationId, projectId }: Pick<OrgUserPrincipal, 'organizationId' | 'projectId'>,
): Promise<Repository | null> {
  const found = await store.find(organizationId, projectId);
  return found === null || found.isRemoved ? null : found;
}

/** Whether saving a dashboard of a project commits it; `off` for a project without version control. */
export async function findCommitOnSave(
  deps: VersionControlDependencies,
  organizationId: string,
  projectId: string,
): Promise<CommitOnSave> {
  return (await findConfigured(deps, { organizationId, projectId }))?.commitOnSave ?? 'off';
}

export async function getVersionControl(
  deps: VersionControlDependencies,
  context: CallContext,
): Promise<Settings> {
  const found = await findConfigured(deps, requireAdmin(context));
  if (found === null) throw new AppError('NOT_FOUND');
  return { versionControl: toRecord(found) };
}

/**
 * The sealed token: the one in the request, else the stored one. Throws INVALID_REQUEST when the host or the
 * username changed.
 */
function nextToken(
  deps: VersionControlDependencies,
  { token, username, origin }: { token: RemoteInput['token']; username: string | null; origin: string },
  { projectId, former }: { projectId: string; former: StoredRemote | null },
): string | null {
  if (token === null) return null;
  if (token !== undefined) return sealToken(deps, { projectId, origin }, token);
  if (former === null || former.sealedToken === null) return null;
  if (former.origin === origin && former.username === username) return former.sealedToken;
  throw invalidField('remote.token', 'has to be given again because of a new host or username', 'required');
}

/** Parses the remote of a request. Throws INVALID_REQUEST. */
function parseRemote(
  deps: VersionControlDependencies,
  { url, token, username = null, webUrl = null }: RemoteInput,
  project: { projectId: string; former: StoredRemote | null },
): StoredRemote {
  const address = parseRemoteUrl(url);
  if (typeof address === 'string') throw invalidField('remote.url', address, 'format');
  if (username?.includes(':')) throw invalidField('remote.username', 'must not hold a colon', 'format');
  const shownUrl = webUrl === null ? null : parseWebUrl(webUrl);
  if (webUrl !== null && shownUrl === null)
    throw invalidField('remote.webUrl', 'must be a web address', 'format');
  const { origin } = address;
  const sealedToken = nextToken(deps, { token, username, origin }, project);
  return { url: address.url, origin, username, sealedToken, webUrl: shownUrl };
}

/** Throws INVALID_REQUEST unless the remote's address is allowed and, with `verify`, the remote responds. */
async function checkRemote(
  deps: VersionControlDependencies,
  repository: RepositoryKey,
  { stored, verify }: { stored: StoredRemote; verify: boolean },
): Promise<void> {
  const timeoutMs = remoteTimeoutMs(deps);
  try {
    if (verify) await verifyRemote(deps, { repository, stored, timeoutMs });
    else await reachRemote(deps, repository._id, stored);
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof DestinationError)) throw error;
    throw invalidField('remote.url', error.message);
  }
}

async function openBranch(
  deps: VersionControlDependencies,
  repository: Pick<Repository, '_id' | 'organizationId' | 'branch'>,
): Promise<void> {
  try {
    await openBareRepository(deps, repository);
  } catch (error) {
    if (!(error instanceof BranchConflictError)) throw error;
    throw invalidField('branch', 'does not go beside a branch that the repository has', 'duplicate');
  }
}

function settingsOf({ isRemoved, commitOnSave, branch, remote }: RepositorySettings): RepositorySettings {
  return { isRemoved, commitOnSave, branch, remote };
}

/** Writes settings. Throws WriteConflict when they were changed since they were read. */
async function writeSettings(
  { store }: VersionControlDependencies,
  { current, settings }: { current: Repository | null; settings: RepositorySettings },
  context: CallContext,
): Promise<Repository> {
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

/** Notifies the access service at once, rather than by the event alone. */
async function notifyAccess(
  { services, log }: VersionControlDependencies,
  { commitOnSave, version }: Repository,
  context: CallContext,
): Promise<void> {
  await services.access.commitSettings.keep
    .mutate({ commitOnSave, version }, { context })
    .catch((err: unknown) => {
      log.warn({ err }, 'the setting to commit on saving takes effect with its event');
    });
}

/**
 * Creates or replaces the version control settings of the caller's project. Throws FORBIDDEN,
 * INVALID_REQUEST, PRECONDITION_FAILED, and UNAVAILABLE without git.
 */
export async function putVersionControl(
  deps: VersionControlDependencies,
  { commitOnSave, branch, remote, verify }: InputOf<Procedures['put']>,
  context: CallContext,
): Promise<Settings> {
  const { organizationId, projectId } = requireAdmin(context);
  const repository = await retryOnConflict(async () => {
    const current = await deps.store.find(organizationId, projectId);
    // Versions start at 1, so -1 matches none: there is nothing to match yet, or no longer.
    requireVersion(context, current === null || current.isRemoved ? -1 : current.version);
    const former = current?.remote ?? null;
    const stored = remote && parseRemote(deps, remote, { projectId, former });
    if (stored !== null) await checkRemote(deps, { _id: projectId, organizationId }, { stored, verify });
    await openBranch(deps, { _id: projectId, organizationId, branch });
    const settings = { isRemoved: false, commitOnSave, branch, remote: stored };
    if (current !== null && isDeepStrictEqual(settings, settingsOf(current))) return current;
    return writeSettings(deps, { current, settings }, context);
  });
  await notifyAccess(deps, repository, context);
  return { versionControl: toRecord(repository) };
}

/**
 * Removes the version control settings of the caller's project, with the remote. The local repository stays.
 */
export async function removeVersionControl(
  deps: VersionControlDependencies,
  context: CallContext,
): Promise<OutputOf<Procedures['remove']>> {
  const admin = requireAdmin(context);
  const repository = await retryOnConflict(async () => {
    const current = await findConfigured(deps, admin);
    if (current === null) throw new AppError('NOT_FOUND');
    requireVersion(context, current.version);
    const { branch } = current;
    const settings = { isRemoved: true, commitOnSave: 'off', branch, remote: null } as const;
    return writeSettings(deps, { current, settings }, context);
  });
  await notifyAccess(deps, repository, context);
  return {
    message: 'Version control was ended',
    deletedVersionControl: { projectId: repository._id },
  };
}
