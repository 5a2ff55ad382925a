import { invalidField, type AccessExplanation, type AccessGrant } from '@gatehouse/contract';
import type { UserRequester } from './authorizeCaller.js';
import { effectiveAccess } from './logic/effectiveAccess.js';
import type { PastReader, PastResources, PastUser, PastUsers } from './pastFacts.js';

/** A question about the access of a user, by default the requester, to a resource. */
export interface PastQuestion {
  resourceId: string;
  userId?: string | undefined;
}

/** The decision, or the code with which the question is rejected. */
export type PastDecision = AccessExplanation | 'NOT_FOUND' | 'FORBIDDEN';

/** Throws INVALID_REQUEST for a moment in the future. */
export function requirePast(at: string, { now }: UserRequester): void {
  if (new Date(at) > now) throw invalidField('at', 'lies in the future', 'range');
}

/** Whether the requester may query this user, who had the id then, about a resource that it may see. */
function mayQueryUser(
  { facts }: PastUser,
  { userId }: PastQuestion,
  { requester, mayQueryOthers }: { requester: UserRequester; mayQueryOthers: boolean },
): true | 'NOT_FOUND' | 'FORBIDDEN' {
  // At that time the id may have belonged to another user. Such a question is one about another user.
  if (facts.userKey === requester.principal.userKey) return true;
  if (userId === undefined) return 'NOT_FOUND';
  return mayQueryOthers ? true : 'FORBIDDEN';
}

function hideUnseen(visible: ReadonlySet<string>, { dashboardId, ...grant }: AccessGrant): AccessGrant {
  return dashboardId !== undefined && visible.has(dashboardId) ? { ...grant, dashboardId } : grant;
}

/** Decides one question about a moment in the past, by the facts of that moment and the rights of today. */
export function decidePast(
  question: PastQuestion,
  { users, resources }: { users: PastUsers['users']; resources: PastResources },
  { requester, at }: Pick<PastReader, 'requester' | 'at'>,
): PastDecision {
  const { resourceId, userId } = question;
  const right = resources.rights.get(resourceId);
  if (right === undefined) return 'NOT_FOUND';
  const { mayQueryOthers } = right;
  const { userId: ownId } = requester.principal;
  if (!mayQueryOthers && userId !== undefined && userId !== ownId) return 'FORBIDDEN';
  const past = users.get(userId ?? ownId);
  if (past === undefined) return 'NOT_FOUND';
  const allowed = mayQueryUser(past, question, { requester, mayQueryOthers });
  if (allowed !== true) return allowed;
  const then = resources.found.get(resourceId);
  if (then === undefined) return 'NOT_FOUND';
  const { user, subjects, recordedUntil } = past;
  const { resource, linkedFrom } = then;
  const query = { user, subjects, resource, linkedFrom, now: new Date(at) };
  const { accessLevel, ceiling, grants } = effectiveAccess(query);
  const basedOn = { resource: then.basedOn, user: past.basedOn, recordedUntil };
  return {
    userId: past.facts.userId,
    accessLevel,
    role: user.role,
    ceiling,
    grants: grants.map((grant) => hideUnseen(resources.visibleDashboards, grant)),
    at,
    // The last events may concern other tenants.
    ...(requester.user.type === 'organization' ? { basedOn } : {}),
  };
}
