import type { UserFacts, UserType, Viewer } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ListedParts } from '../resources/kind.js';
import type { UserRequester } from './authorizeCaller.js';
import { factsOfUser, type DecisionDependencies } from './explainAccess.js';
import { readersOf, subjectsOfUser, type ResourceFacts } from './logic/access.js';
import { reachedAccess } from './logic/effectiveAccess.js';
import { partsBySubject, type ReachedPart } from './logic/reachedParts.js';
import { selectorsOfReaders, type ReaderSelectors } from './logic/readerSelectors.js';

export type LastUser = Pick<Viewer, 'type' | 'id'>;

/** The resource whose viewers are listed, and the dashboards that link it. */
export interface Viewed {
  resource: ResourceFacts;
  linkedFrom: readonly ResourceFacts[];
}

/** How many viewers are wanted, after which user, and who wants them. */
export interface ViewerPage {
  wanted: number;
  after?: LastUser | undefined;
  requester: UserRequester;
  context: CallContext;
}

/** The largest numbers of keys and groups in one lookup. */
const KEYS_MAX = 20_000;
const GROUPS_MAX = 10_000;

/** Selects every user that the subjects reach; null if there are too many keys for one lookup. */
function selectUsers(readers: readonly string[]): ReaderSelectors | null {
  const selectors = selectorsOfReaders([...new Set(readers)]);
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
  const reachedBy = reachedAccess({ user, subjects, resource, linkedFrom, now });
  if (reachedBy === null) return null;
  const { type, userId: id, name, email } = found;
  return { type, id, name, email, ...reachedBy };
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

/** The next users of a list, and whether others may follow. */
interface NextUsers {
  users: UserFacts[];
  last: LastUser | undefined;
  isEnd: boolean;
}

async function readUsers(
  directory: DecisionDependencies['directory'],
  selectors: ReaderSelectors | null,
  { wanted, after, requester, context }: ViewerPage,
): Promise<NextUsers> {
  const { tenantKey } = requester.user;
  const within = tenantKey === null ? {} : { withinTenantKey: tenantKey };
  const limit = Math.min(wanted, USERS_MAX);
  const query = { ...(selectors ?? EVERYONE), ...within, after, limit };
  const { users } = await directory.subjects.listUsers.query(query, { context });
  const last = users.at(-1);
  const known = selectors === null ? await withAllGroups(directory, users, context) : users;
  return {
    users: known,
    last: last && { type: last.type, id: last.userId },
    isEnd: users.length < limit,
  };
}

/** Returns the first `wanted` viewers after the given user. Reads on while users have no access. */
export async function collectViewers(
  { directory }: DecisionDependencies,
  viewed: Viewed,
  page: ViewerPage,
): Promise<Viewer[]> {
  const { wanted, requester } = page;
  const selectors = selectUsers([viewed.resource, ...viewed.linkedFrom].flatMap(readersOf));
  const linkedFrom = viewed.linkedFrom.map(partsBySubject);
  const parts = { resource: partsBySubject(viewed.resource), linkedFrom };
  const viewers: Viewer[] = [];
  let { after } = page;
  for (;;) {
    const next = { ...page, wanted: wanted - viewers.length, after };
    const { users, last, isEnd } = await readUsers(directory, selectors, next);
    for (const user of users) {
      const viewer = viewerOf(user, parts, requester.now);
      if (viewer !== null) viewers.push(viewer);
    }
    if (viewers.length >= wanted || isEnd || last === undefined) return viewers;
    after = last;
  }
}

const RANK: Record<UserType, number> = { organization: 0, tenant: 1 };

const isUpTo = ({ type, userId }: UserFacts, end: LastUser): boolean =>
  type === end.type ? userId <= end.id : RANK[type] < RANK[end.type];

/** A resource with very many shares: with those that are not for single users, and the parts of all. */
export interface PartedResource {
  resource: ResourceFacts;
  listed: ListedParts;
}

/**
 * Returns the same for a resource with very many shares that no dashboard links. The shares of single users
 * are read in the order of the users, as many as the page needs. Throws WriteConflict if a part was replaced.
 */
export async function collectPartedViewers(
  { directory, kind }: DecisionDependencies,
  { resource, listed }: PartedResource,
  page: ViewerPage,
): Promise<Viewer[]> {
  const { wanted, requester } = page;
  const selectors = selectUsers(readersOf(resource));
  const { tenantKey } = requester.user;
  const viewers: Viewer[] = [];
  let { after } = page;
  // Many of the users may be inactive.
  for (let size = wanted; ; size *= 2) {
    const next = { ...page, wanted: wanted - viewers.length, after };
    const count = Math.min(size, USERS_MAX);
    const wantedShares = { after, count, tenantKey };
    const { shares, end } = await kind.store.findUserShares(requester.projectId, listed, wantedShares);
    const keys = shares.map(({ subject }) => subject);
    const among = selectors && { ...selectors, userKeys: [...selectors.userKeys, ...keys] };
    const { users, last, isEnd } = await readUsers(directory, among, next);
    const all = { ...resource, shares: [...resource.shares, ...shares] };
    const parts = { resource: partsBySubject(all), linkedFrom: [] };
    // The shares of the users after the end were not read.
    const known = end === null ? users : users.filter((user) => isUpTo(user, end));
    for (const user of known) {
      const viewer = viewerOf(user, parts, requester.now);
      if (viewer !== null) viewers.push(viewer);
    }
    if (viewers.length >= wanted || (isEnd && end === null)) return viewers;
    const isCut = isEnd || known.length < users.length;
    after = isCut && end !== null ? end : last;
  }
}
