import {
  AppError,
  invalidField,
  type AccessExplanation,
  type AccessGrant,
  type PastResource,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { findLevels, isAdmin, requireLevel, requireUser, type UserRequester } from './authorizeCaller.js';
import { factsOfUser, type DecisionDependencies, type ExplainQuery } from './explainAccess.js';
import { isAtLeast, subjectsOfUser, type ResourceFacts } from './logic/access.js';
import { effectiveAccess } from './logic/effectiveAccess.js';

/** A query about a moment in the past: an ISO 8601 time. */
type PastQuery = ExplainQuery & { at: string };

function factsOfPast({ shares, ...fields }: PastResource): ResourceFacts {
  const dated = shares.map((share) => ({
    ...share,
    expiresAt: share.expiresAt === null ? null : new Date(share.expiresAt),
  }));
  return { ...fields, shares: dated };
}

/**
 * Returns true if the requester may query the access of other users: by its present access, or as an ADMIN
 * for a deleted resource. Throws NOT_FOUND if the requester may not query the resource at all.
 */
async function mayQueryOthers(
  { kind }: DecisionDependencies,
  requester: UserRequester,
  id: string,
): Promise<boolean> {
  const resource = await kind.store.findSeen(requester.projectId, id, requester.subjects);
  if (resource !== null) {
    return isAtLeast(await requireLevel(kind, requester, { resource, wanted: 'VIEWER' }), 'CONTRIBUTOR');
  }
  if (!isAdmin(requester)) throw new AppError('NOT_FOUND');
  return true;
}

/** Returns the dashboards that the requester may see now and, for an ADMIN, the deleted ones. */
async function findVisible(
  { dashboards }: DecisionDependencies,
  requester: UserRequester,
  linkedFrom: readonly ResourceFacts[],
): Promise<Set<string>> {
  const ids = linkedFrom.map((dashboard) => dashboard.id);
  const present = await dashboards.store.findManySeen(requester.projectId, ids, requester.subjects);
  const levels = await findLevels(dashboards, requester, present);
  const hidden = new Set(present.filter((_, index) => levels[index] === null).map(({ _id }) => _id));
  const presentIds = new Set(present.map(({ _id }) => _id));
  const isVisible = (id: string) => !hidden.has(id) && (presentIds.has(id) || isAdmin(requester));
  return new Set(ids.filter(isVisible));
}

function hideUnseen(visible: ReadonlySet<string>, { dashboardId, ...grant }: AccessGrant): AccessGrant {
  return dashboardId !== undefined && visible.has(dashboardId) ? { ...grant, dashboardId } : grant;
}

/** Returns the queried user at the given time. Throws the errors of {@link explainPastAccess}. */
async function findPastUser(
  dependencies: DecisionDependencies,
  { id, userId, at }: PastQuery,
  { requester, context }: { requester: UserRequester; context: CallContext },
) {
  const { principal, user: caller } = requester;
  const mayQuery = await mayQueryOthers(dependencies, requester, id);
  if (!mayQuery && userId !== undefined && userId !== principal.userId) throw new AppError('FORBIDDEN');
  const queried = { userId: userId ?? principal.userId, at };
  const { found, recordedUntil } = await dependencies.history.user.query(queried, { context });
  if (found === null) throw new AppError('NOT_FOUND');
  const { user, basedOn } = found;
  if (caller.type === 'tenant' && user.tenantKey !== caller.tenantKey) throw new AppError('NOT_FOUND');
  // At that time the id may have belonged to another user. Such a query is one about another user.
  const isSelf = user.userKey === principal.userKey;
  if (!isSelf && userId === undefined) throw new AppError('NOT_FOUND');
  if (!isSelf && !mayQuery) throw new AppError('FORBIDDEN');
  return { user, basedOn, recordedUntil: recordedUntil ?? basedOn.time };
}

/**
 * Explains the access of a user at a time in the past: the same decision as for the present, on the recorded
 * events. Access by a dashboard token is not recorded. The requester is authorized by its present access.
 *
 * Throws INVALID_REQUEST for a time in the future, NOT_FOUND if the resource or the user did not exist at
 * that time or the requester may not see it, and FORBIDDEN below CONTRIBUTOR for a query about another user.
 */
export async function explainPastAccess(
  dependencies: DecisionDependencies,
  query: PastQuery,
  context: CallContext,
): Promise<AccessExplanation> {
  const { kind, history } = dependencies;
  const { id, at } = query;
  const requester = requireUser(context, kind.type, id);
  const now = new Date(at);
  if (now > requester.now) throw invalidField('at', 'lies in the future', 'range');
  const past = await findPastUser(dependencies, query, { requester, context });
  const user = factsOfUser(past.user);
  const queried = { type: kind.type, id, at, subjects: subjectsOfUser(user) };
  const { found } = await history.resource.query(queried, { context });
  if (found === null) throw new AppError('NOT_FOUND');
  const linkedFrom = found.linkedFrom.map(factsOfPast);
  const resource = factsOfPast(found.resource);
  const { accessLevel, ceiling, grants } = effectiveAccess({ user, resource, linkedFrom, now });
  const visible = await findVisible(dependencies, requester, linkedFrom);
  return {
    userId: past.user.userId,
    accessLevel,
    role: user.role,
    ceiling,
    grants: grants.map((grant) => hideUnseen(visible, grant)),
    at,
    basedOn: { resource: found.basedOn, user: past.basedOn, recordedUntil: past.recordedUntil },
  };
}
