import { AppError, type AccessExplanation, type AccessGrant, type UserFacts } from '@gatehouse/contract';
import {
  findAppError,
  orNotFound,
  retryOnConflict,
  type CallContext,
  type ServiceClients,
} from '@gatehouse/service';
import type { ResourceKind, SeenResource } from '../resources/kind.js';
import { requireLevel, requireUser, type UserRequester } from './authorizeCaller.js';
import {
  accessLevelOf,
  factsOf,
  groupIdOf,
  subjectsOfUser,
  type ResourceFacts,
  type UserAccessFacts,
} from './logic/access.js';
import { effectiveAccess } from './logic/effectiveAccess.js';

/** The dependencies of decisions about one kind of resource. */
export interface DecisionDependencies {
  kind: ResourceKind;
  /** The kind whose bodies link visuals. */
  dashboards: ResourceKind;
  directory: ServiceClients['directory'];
  history: ServiceClients['audit']['history'];
}

/** The resource and the user of an explanation. The user defaults to the requester. */
export interface ExplainQuery {
  id: string;
  userId?: string | undefined;
}

/** The user whose access is explained. */
interface ExplainedUser {
  userId: string;
  user: UserAccessFacts;
  /** The dashboard of the requester's own dashboard token. */
  tokenDashboardId?: string | undefined;
}

/** Converts a user of the directory into the facts that access depends on. */
export function factsOfUser({
  type,
  userKey,
  role,
  isActive,
  tenantKey,
  groupIds,
}: UserFacts): UserAccessFacts {
  return { type, userKey, role, isActive, tenantKey, groupIds };
}

/** Whether the requester may not know the user: a tenant user knows those of its own tenant alone. */
export function isHiddenFrom({ user }: UserRequester, { tenantKey }: Pick<UserFacts, 'tenantKey'>): boolean {
  return user.type === 'tenant' && tenantKey !== user.tenantKey;
}

/**
 * Finds a user with all of its groups, or with those among some. Throws NOT_FOUND for an unknown user and,
 * for a tenant user, for a user outside its tenant.
 */
export async function findExplainedUser(
  { directory }: Pick<DecisionDependencies, 'directory'>,
  named: { userId: string; groupIds?: string[] },
  { requester, context }: { requester: UserRequester; context: CallContext },
): Promise<ExplainedUser> {
  const { userId } = named;
  const { user: found } = await directory.subjects.getUser.query(named, { context });
  if (found === null || isHiddenFrom(requester, found)) throw new AppError('NOT_FOUND');
  return { userId, user: factsOfUser(found) };
}

/** Returns the function that removes the id of a linking dashboard that the requester may not see. */
export function hideUnseenIn(
  dashboards: readonly ResourceFacts[],
  { user, subjectSet: subjects, now }: UserRequester,
): (grant: AccessGrant) => AccessGrant {
  const byId = new Map(dashboards.map((dashboard) => [dashboard.id, dashboard]));
  return (grant) => {
    const { dashboardId, ...unnamed } = grant;
    const resource = dashboardId === undefined ? undefined : byId.get(dashboardId);
    if (resource === undefined) return grant;
    return accessLevelOf({ user, subjects, resource, linkedFrom: [], now }) === null ? unnamed : grant;
  };
}

/** The groups that a resource is shared with. */
const groupIdsOf = ({ shares, shareParts }: SeenResource): string[] =>
  [...shares.map(({ subject }) => subject), ...(shareParts?.subjects ?? [])].flatMap(
    (subject) => groupIdOf(subject) ?? [],
  );

function nullIfNotFound(error: unknown): null {
  if (findAppError(error)?.code === 'NOT_FOUND') return null;
  throw error;
}

/** The user whose access is explained, or null, and the resource with the shares of both users. */
async function readExplained(
  dependencies: DecisionDependencies,
  { id, userId }: ExplainQuery,
  { requester, context }: { requester: UserRequester; context: CallContext },
): Promise<{ explained: ExplainedUser | null; seen: SeenResource }> {
  const { kind } = dependencies;
  const { principal, projectId, tokenDashboardId } = requester;
  const isSelf = userId === undefined || userId === principal.userId;
  // A user may be in very many groups, of which only those with a share of the dashboard matter.
  const whole = isSelf || kind.type === 'visual' ? null : await kind.store.findWhole(projectId, id);
  const named = {
    userId: userId ?? principal.userId,
    ...(whole !== null && { groupIds: groupIdsOf(whole) }),
  };
  const explained = isSelf
    ? { userId: principal.userId, user: requester.user, tokenDashboardId }
    : await findExplainedUser(dependencies, named, { requester, context }).catch(nullIfNotFound);
  const userSubjects = explained === null ? [] : subjectsOfUser(explained.user);
  const subjects = [...new Set([...userSubjects, ...requester.subjects])];
  const seen =
    whole === null
      ? orNotFound(await kind.store.findSeen(projectId, id, subjects))
      : await kind.store.addReaching(projectId, whole, subjects);
  return { explained, seen };
}

/**
 * Explains a user's access: its level, and every grant that applies, the effective grant first. Throws
 * NOT_FOUND, and FORBIDDEN below CONTRIBUTOR for a query about another user.
 */
export async function explainAccess(
  dependencies: DecisionDependencies,
  query: ExplainQuery,
  context: CallContext,
): Promise<AccessExplanation> {
  const { kind } = dependencies;
  const { id, userId } = query;
  const requester = requireUser(context, kind.type, id);
  const { principal, projectId, now } = requester;
  const isSelf = userId === undefined || userId === principal.userId;
  const { explained, seen } = await retryOnConflict(() =>
    readExplained(dependencies, query, { requester, context }),
  );
  await requireLevel(kind, requester, { resource: seen, wanted: isSelf ? 'VIEWER' : 'CONTRIBUTOR' });
  const known = orNotFound(explained);
  const subjects = [...new Set([...subjectsOfUser(known.user), ...requester.subjects])];
  const dashboards = kind.type === 'visual' ? await kind.links.findLinking(projectId, [id], subjects) : [];
  const linkedFrom = dashboards.map((dashboard) => factsOf('dashboard', dashboard));
  const resource = factsOf(kind.type, seen);
  const { accessLevel, ceiling, grants } = effectiveAccess({ ...known, resource, linkedFrom, now });
  const shown = grants.map(hideUnseenIn(linkedFrom, requester));
  return { userId: known.userId, accessLevel, role: known.user.role, ceiling, grants: shown };
}
