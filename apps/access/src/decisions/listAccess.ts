import type { AccessLevel, ReachedResource } from '@gatehouse/contract';
import { CursorTime, decodeCursor, encodeCursor, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import type { ResourceKind } from '../resources/kind.js';
import { findLevels, requireUser, type Requester, type UserRequester } from './authorizeCaller.js';
import { findExplainedUser, type DecisionDependencies } from './explainAccess.js';
import { isAtLeast, subjectsOfUser } from './logic/access.js';

/** The resources that one page reads. */
const PAGE = 500;

const Position = z.tuple([CursorTime, z.string()]);

/** What is listed: of a user, and with which access to it. */
export interface ListQuery {
  /** Default: the requester. */
  userId?: string | undefined;
  level: AccessLevel;
  cursor?: string | undefined;
}

/** The user whose resources are listed, as a requester of its own. */
async function findListed(
  dependencies: DecisionDependencies,
  userId: string | undefined,
  { requester, context }: { requester: UserRequester; context: CallContext },
): Promise<{ userId: string; listed: Requester; isSelf: boolean }> {
  const { principal } = requester;
  const isSelf = userId === undefined || userId === principal.userId;
  if (isSelf) return { userId: principal.userId, listed: requester, isSelf };
  const { user } = await findExplainedUser(dependencies, { userId }, { requester, context });
  const subjects = subjectsOfUser(user);
  const listed = { ...requester, user, subjects, subjectSet: new Set(subjects) };
  return { userId, listed, isSelf };
}

/** One read of the resources that reach the user, of which a part may grant nothing. */
async function readPage(kind: ResourceKind, listed: Requester, { cursor, subjects }: PageQuery) {
  const { projectId } = listed;
  const [time, id] = cursor === undefined ? [] : decodeCursor(cursor, Position);
  const after = time === undefined || id === undefined ? null : { value: time, id };
  const alsoIds = kind.type === 'visual' ? await kind.links.findLinkedIds(projectId, listed.subjects) : [];
  const selection = { readers: listed.subjects, alsoIds };
  const page = { sort: 'createdAt', order: 'desc', after, limit: PAGE, subjects } as const;
  const { resources, end } = await kind.store.findPage(projectId, selection, page);
  const nextCursor = end === null ? null : encodeCursor([Number(end.value), end.id]);
  return { resources, nextCursor };
}

interface PageQuery {
  cursor: string | undefined;
  /** The subjects whose shares are read. */
  subjects: readonly string[];
}

/**
 * Returns one page of the dashboards or visuals that a user can open at a level, the newest first. About
 * another user, it contains only those whose access the requester may see: with CONTRIBUTOR or higher. Throws
 * NOT_FOUND for an unknown user and, for a tenant user, for a user outside its tenant.
 */
export async function listAccess(
  dependencies: DecisionDependencies,
  { userId: namedId, level, cursor }: ListQuery,
  context: CallContext,
): Promise<{ userId: string; resources: ReachedResource[]; nextCursor: string | null }> {
  const { kind } = dependencies;
  const requester = requireUser(context);
  const { userId, listed, isSelf } = await findListed(dependencies, namedId, { requester, context });
  const subjects = [...new Set([...listed.subjects, ...requester.subjects])];
  const { resources, nextCursor } = await readPage(kind, listed, { cursor, subjects });
  const levels = await findLevels(kind, listed, resources);
  const ownLevels = isSelf ? levels : await findLevels(kind, requester, resources);
  const shown = resources.flatMap(({ _id: id, title }, index) => {
    const accessLevel = levels[index] ?? null;
    const isShown = isSelf || isAtLeast(ownLevels[index] ?? null, 'CONTRIBUTOR');
    if (!isShown || accessLevel === null || !isAtLeast(accessLevel, level)) return [];
    return [{ id, type: kind.type, title, accessLevel }];
  });
  return { userId, resources: shown, nextCursor };
}
