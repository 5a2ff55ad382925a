import { Id, UserType, type AccessLevel, type Viewer } from '@gatehouse/contract';
import {
  decodeCursor,
  encodeCursor,
  orNotFound,
  retryOnConflict,
  type CallContext,
} from '@gatehouse/service';
import { z } from 'zod';
import { requireLevel, requireUser } from './authorizeCaller.js';
import { collectPartedViewers, collectViewers, type LastUser, type ViewerPage } from './collectViewers.js';
import type { DecisionDependencies } from './explainAccess.js';
import { factsOf, isAtLeast } from './logic/access.js';

/** The last user of a part of the list of a resource. No list of another resource takes its cursor. */
function readLastUser(cursor: string, resourceId: string): LastUser {
  const parts = z.tuple([z.literal('viewers'), z.literal(resourceId), UserType, Id]);
  const [, , type, id] = decodeCursor(cursor, parts);
  return { type, id };
}

/** Returns the viewers of a page. Throws NOT_FOUND, and FORBIDDEN below CONTRIBUTOR. */
async function findViewers(
  dependencies: DecisionDependencies,
  id: string,
  page: ViewerPage,
): Promise<Viewer[]> {
  const { kind } = dependencies;
  const { requester } = page;
  const { projectId, subjects } = requester;
  const resource = orNotFound(await kind.store.findWholeOrParted(projectId, id, subjects));
  await requireLevel(kind, requester, { resource, wanted: 'CONTRIBUTOR' });
  const linking = kind.type === 'visual' ? await kind.links.findAllLinking(projectId, id) : [];
  const linkedFrom = linking.map((dashboard) => factsOf('dashboard', dashboard));
  if (resource.shareParts === undefined)
    return collectViewers(dependencies, { resource: factsOf(kind.type, resource), linkedFrom }, page);
  if (linkedFrom.length > 0) {
    const whole = factsOf(kind.type, await kind.store.getHeader(projectId, id));
    return collectViewers(dependencies, { resource: whole, linkedFrom }, page);
  }
  const parted = { resource: factsOf(kind.type, resource), listed: resource.shareParts };
  return collectPartedViewers(dependencies, parted, page);
}

/**
 * Lists the active users who have access to a resource; for a tenant user, only those of its own tenant.
 * Throws NOT_FOUND, FORBIDDEN below CONTRIBUTOR, and INVALID_REQUEST for an invalid cursor.
 */
export async function listViewers(
  dependencies: DecisionDependencies,
  { id, limit, cursor }: { id: string; limit: number; cursor?: string | undefined },
  context: CallContext,
): Promise<{ viewers: Viewer[]; nextCursor: string | null }> {
  const requester = requireUser(context, dependencies.kind.type, id);
  const after = cursor === undefined ? undefined : readLastUser(cursor, id);
  // One item more than requested: it exists only if there is another page.
  const page = { wanted: limit + 1, after, requester, context };
  const found = await retryOnConflict(() => findViewers(dependencies, id, page));
  const viewers = found.slice(0, limit);
  const last = found.length > viewers.length ? viewers.at(-1) : undefined;
  const nextCursor = last === undefined ? null : encodeCursor(['viewers', id, last.type, last.id]);
  return { viewers, nextCursor };
}

/** The users that one page of `listAccessSubjects` reads. */
const SUBJECTS_PAGE = 500;

/**
 * Returns one page of the users who can open a resource at a level. The rights are those of `listViewers`.
 */
export async function listAccessSubjects(
  dependencies: DecisionDependencies,
  { resourceId, level, cursor }: { resourceId: string; level: AccessLevel; cursor?: string | undefined },
  context: CallContext,
): Promise<{ resourceId: string; subjects: Viewer[]; nextCursor: string | null }> {
  const page = { id: resourceId, limit: SUBJECTS_PAGE, cursor };
  const { viewers, nextCursor } = await listViewers(dependencies, page, context);
  const subjects = viewers.filter(({ accessLevel }) => isAtLeast(accessLevel, level));
  return { resourceId, subjects, nextCursor };
}
