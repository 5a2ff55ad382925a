import { AppError, Id, type AccessLevel, type ReachedResource, type Viewer } from '@gatehouse/contract';
import { decodeCursor, encodeCursor, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import { requireUser } from './authorizeCaller.js';
import { decidePast, requirePast } from './decidePast.js';
import type { DecisionDependencies } from './explainAccess.js';
import type { ListQuery } from './listAccess.js';
import { isAtLeast } from './logic/access.js';
import { partsBySubjects, readPastResources, readPastUsers } from './pastFacts.js';

const Position = z.tuple([z.literal('past'), Id]);

const afterIdOf = (cursor: string | undefined) =>
  cursor === undefined ? undefined : decodeCursor(cursor, Position)[1];
const cursorOf = (nextAfterId: string | null) =>
  nextAfterId === null ? null : encodeCursor(['past', nextAfterId]);

/**
 * Returns one page of the dashboards or visuals that a user could open at a moment in the past, in the order
 * of their ids: those for which `explainPastAccess` returns the level to the same caller. Throws
 * INVALID_REQUEST for a moment in the future, and NOT_FOUND for a user who did not exist then.
 */
export async function listPastAccess(
  dependencies: DecisionDependencies,
  { userId, level, cursor, at }: ListQuery & { at: string },
  context: CallContext,
): Promise<{ userId: string; resources: ReachedResource[]; nextCursor: string | null }> {
  const requester = requireUser(context);
  requirePast(at, requester);
  const reader = { requester, at, context };
  const { userId: ownId, userKey: ownKey } = requester.principal;
  const { users } = await readPastUsers(dependencies, { ids: [userId ?? ownId] }, reader);
  const [past] = users.values();
  const isStranger = userId === undefined && past?.facts.userKey !== ownKey;
  if (past === undefined || isStranger) throw new AppError('NOT_FOUND');
  const selection = { selection: { afterId: afterIdOf(cursor) }, subjects: past.subjects };
  const resources = await readPastResources(dependencies, selection, reader);
  const reached = [...resources.found.keys()].flatMap((id): ReachedResource[] => {
    const decided = decidePast({ resourceId: id, userId }, { users, resources }, reader);
    if (typeof decided === 'string' || decided.accessLevel === null) return [];
    if (!isAtLeast(decided.accessLevel, level)) return [];
    // A deleted resource has no title of today.
    const title = resources.rights.get(id)?.title ?? id;
    return [{ id, type: dependencies.kind.type, title, accessLevel: decided.accessLevel }];
  });
  return { userId: userId ?? ownId, resources: reached, nextCursor: cursorOf(resources.nextAfterId) };
}

interface SubjectsQuery {
  resourceId: string;
  level: AccessLevel;
  cursor?: string | undefined;
  at: string;
}

/**
 * Returns one page of the users who could open a resource at a moment in the past, in the order of their ids.
 * The rights are those of `listViewers` today. Throws INVALID_REQUEST for a moment in the future, and
 * NOT_FOUND for a resource that did not exist then.
 */
export async function listPastAccessSubjects(
  dependencies: DecisionDependencies,
  { resourceId, level, cursor, at }: SubjectsQuery,
  context: CallContext,
): Promise<{ resourceId: string; subjects: Viewer[]; nextCursor: string | null }> {
  const requester = requireUser(context, dependencies.kind.type, resourceId);
  requirePast(at, requester);
  const reader = { requester, at, context };
  const page = await readPastUsers(dependencies, { afterId: afterIdOf(cursor) }, reader);
  const viewers: Viewer[] = [];
  for (const { users, subjects } of partsBySubjects(page.users.values())) {
    const selection = { selection: { ids: [resourceId] }, subjects };
    const resources = await readPastResources(dependencies, selection, reader);
    requireListed(resourceId, resources);
    for (const [userId, { facts }] of users) {
      const decided = decidePast({ resourceId, userId }, { users, resources }, reader);
      if (typeof decided === 'string' || decided.accessLevel === null) continue;
      const [winner] = decided.grants;
      if (winner === undefined || !isAtLeast(decided.accessLevel, level)) continue;
      const { type, name, email } = facts;
      viewers.push({ type, id: userId, name, email, accessLevel: decided.accessLevel, path: winner.path });
    }
  }
  return { resourceId, subjects: viewers, nextCursor: cursorOf(page.nextAfterId) };
}

/** Throws NOT_FOUND for a resource that is hidden or did not exist then, and FORBIDDEN below CONTRIBUTOR. */
function requireListed(id: string, { rights, found }: Awaited<ReturnType<typeof readPastResources>>): void {
  const right = rights.get(id);
  if (right === undefined) throw new AppError('NOT_FOUND');
  if (!right.mayQueryOthers) throw new AppError('FORBIDDEN');
  if (!found.has(id)) throw new AppError('NOT_FOUND');
}
