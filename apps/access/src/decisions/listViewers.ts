import { Id, UserType, type AccessLevel, type UserFacts, type Viewer } from '@gatehouse/contract';
import { decodeCursor, encodeCursor, orNotFound, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import { requireLevel, requireUser, type UserRequester } from './authorizeCaller.js';
import { factsOfUser, type DecisionDependencies } from './explainAccess.js';
import { factsOf, isAtLeast, readersOf, subjectsOfUser, type ResourceFacts } from './logic/access.js';
import { effectiveAccess } from './logic/effectiveAccess.js';
import { partsBySubject, type ReachedPart } from './logic/reachedParts.js';
import { selectorsOfReaders, type ReaderSelectors } from './logic/readerSelectors.js';

type LastUser = Pick<Viewer, 'type' | 'id'>;

/** The resource whose viewers are listed, and the dashboards that link it. */
interface Viewed {
  resource: ResourceFacts;
  linkedFrom: readonly ResourceFacts[];
}

/** The last user of a part of the list of a resource. No list of another resource takes its cursor. */
function readLastUser(cursor: string, resourceId: string): LastUser {
  const parts = z.tuple([z.literal('viewers'), z.literal(resourceId), UserType, Id]);
  const [, , type, id] = decodeCursor(cursor, parts);
  return { type, id };
}

/** The largest numbers of keys and groups in one lookup. */
const KEYS_MAX = 20_000;
const GROUPS_MAX = 10_000;

/** Selects every user who may have access; null if there are too many keys for one lookup. */
function selectCandidates({ resource, linkedFrom }: Viewed): ReaderSelectors | null {
  const readers = new Set([resource, ...linkedFrom].flatMap(readersOf));
  const selectors = selectorsOfReaders([...readers]);
  const { userKeys, tenantKeys, groupIds } = selectors;
  const isTooMany =
    userKeys.length > KEYS_MAX || tenantKeys.length > KEYS_MAX || groupIds.length > GROUPS_MAX;
  return isTooMany ? null : selectors;
}

const EVERYONE: ReaderSelectors = {
  userKeys: [],
  tenantKeys: [],
  groupIds: [],
  allOrgUsers: true,
  allTenantUsers: true,
};

interface ViewedParts {
  resource: ReachedPart;
  linkedFrom: readonly ReachedPart[];
}

function viewerOf(found: UserFacts, parts: ViewedParts, now: Date): Viewer | null {
  const user = factsOfUser(found);
  const reached = subjectsOfUser(user);
  const resource = parts.resource(reached);
  const linkedFrom = parts.linkedFrom.map((partOf) => partOf(reached));
  const subjects = new Set(reached);
  const { accessLevel, grants } = effectiveAccess({ user, subjects, resource, linkedFrom, now });
  const [winner] = grants;
  if (accessLevel === null || winner === undefined) return null;
  const { type, userId: id, name, email } = found;
  return { type, id, name, email, accessLevel, path: winner.path };
}

/** The users with all of their groups. A list names only the groups that select its users. */
async function withAllGroups(
  directory: DecisionDependencies['directory'],
  users: readonly UserFacts[],
  context: CallContext,
): Promise<UserFacts[]> {
  const userIds = users.map(({ userId }) => userId);
  const found = (await directory.subjects.getUsers.query({ userIds }, { context })).users;
  const byKey = new Map(found.map((user) => [user.userKey, user]));
  return users.flatMap(({ userKey }) => byKey.get(userKey) ?? []);
}

/** The largest number of users that one lookup returns. */
const USERS_MAX = 1000;

/** Returns the first `wanted` viewers after the given user. Reads on while users have no access. */
async function collectViewers(
  { directory }: DecisionDependencies,
  viewed: Viewed,
  {
    wanted,
    after,
    requester,
    context,
  }: { wanted: number; after?: LastUser; requester: UserRequester; context: CallContext },
): Promise<Viewer[]> {
  const { user, now } = requester;
  const within = user.tenantKey === null ? {} : { withinTenantKey: user.tenantKey };
  const selectors = selectCandidates(viewed);
  const resource = partsBySubject(viewed.resource);
  const parts = { resource, linkedFrom: viewed.linkedFrom.map(partsBySubject) };
  const viewers: Viewer[] = [];
  let last = after;
  for (;;) {
    const limit = Math.min(wanted - viewers.length, USERS_MAX);
    const { users } = await directory.subjects.listUsers.query(
      {
        ...(selectors ?? EVERYONE),
        ...within,
        after: last,
        limit,
      },
      { context },
    );
    const known = selectors === null ? await withAllGroups(directory, users, context) : users;
    viewers.push(...known.map((found) => viewerOf(found, parts, now)).filter((viewer) => viewer !== null));
    const lastUser = users.at(-1);
    if (viewers.length >= wanted || users.length < limit || lastUser === undefined) return viewers;
    last = { type: lastUser.type, id: lastUser.userId };
  }
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
  const { kind } = dependencies;
  const requester = requireUser(context, kind.type, id);
  const after = cursor === undefined ? {} : { after: readLastUser(cursor, id) };
  const { projectId } = requester;
  const resource = orNotFound(await kind.store.findWithAllShares(projectId, id));
  await requireLevel(kind, requester, { resource, wanted: 'CONTRIBUTOR' });
  const dashboards = kind.type === 'visual' ? await kind.links.findAllLinking(projectId, id) : [];
  const linkedFrom = dashboards.map((dashboard) => factsOf('dashboard', dashboard));
  const viewed = { resource: factsOf(kind.type, resource), linkedFrom };
  // One item more than requested: it exists only if there is another page.
  const found = await collectViewers(dependencies, viewed, {
    wanted: limit + 1,
    ...after,
    requester,
    context,
  });
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
