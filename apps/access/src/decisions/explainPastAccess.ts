import { AppError, type AccessExplanation } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { requireUser } from './authorizeCaller.js';
import { decidePast, requirePast } from './decidePast.js';
import type { DecisionDependencies, ExplainQuery } from './explainAccess.js';
import { readPastResources, readPastUsers } from './pastFacts.js';

/**
 * Explains the access of a user at a time in the past: the same decision as for the present, on the recorded
 * events. Access by a dashboard token is not recorded. The requester is authorized by its present access.
 *
 * Throws INVALID_REQUEST for a time in the future, NOT_FOUND if the resource or the user did not exist at
 * that time or the requester may not see it, and FORBIDDEN below CONTRIBUTOR for a query about another user.
 */
export async function explainPastAccess(
  dependencies: DecisionDependencies,
  { id, userId, at }: ExplainQuery & { at: string },
  context: CallContext,
): Promise<AccessExplanation> {
  const requester = requireUser(context, dependencies.kind.type, id);
  requirePast(at, requester);
  const reader = { requester, at, context };
  const ids = [userId ?? requester.principal.userId];
  const { users } = await readPastUsers(dependencies, { ids }, reader);
  const subjects = new Set([...users.values()].flatMap((past) => [...past.subjects]));
  const resources = await readPastResources(dependencies, { selection: { ids: [id] }, subjects }, reader);
  const decided = decidePast({ resourceId: id, userId }, { users, resources }, reader);
  if (typeof decided === 'string') throw new AppError(decided);
  return decided;
}
