import { Id, UserType, type UserFacts, type Viewer } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { effectiveAccess } from '../logic/effectiveAccess.js';
import type { ResourceFacts } from '../logic/facts.js';
import { readersOf, selectorsOfReaders, type ReaderSelectors } from '../logic/shareScope.js';
import { factsOf } from '../store/resourceDocument.js';
import { requireLevel } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import { factsOfUser, type Deciding } from './explainAccess.js';
import { decodeCursor, encodeCursor, invalidCursor } from './pageCursor.js';

type LastUser = Pick<Viewer, 'type' | 'id'>;

/** One resource, and what links it, whose viewers are listed. */
interface Viewed {
  resource: ResourceFacts;
  linkedFrom: readonly ResourceFacts[];
}

function readLastUser(cursor: string): LastUser {
  const [rawType, rawId] = decodeCursor(cursor);
  const [type, id] = [UserType.safeParse(rawType), Id.safeParse(rawId)];
  if (!type.success || !id.success) throw invalidCursor();
  return { type: type.data, id: id.data };
}

/** The largest numbers of keys and groups that one lookup takes. */
const KEYS_MAX = 20_000;
const GROUPS_MAX = 10_000;

/** Selects everybody who may have access, and, where there are too many to name, everybody. */
function selectCandidates({ resource, linkedFrom }: Viewed): ReaderSelectors {
  const readers = new Set([resource, ...linkedFrom].flatMap(readersOf));
  const selectors = selectorsOfReaders([...readers]);
  const { userKeys, tenantKeys, groupIds } = selectors;
  const isTooMany =
    userKeys.length > KEYS_MAX || tenantKeys.length > KEYS_MAX || groupIds.length > GROUPS_MAX;
  if (!isTooMany) return selectors;
  return { userKeys: [], tenantKeys: [], groupIds: [], allOrgUsers: true, allTenantUsers: true };
}

function viewerOf(found: UserFacts, { resource, linkedFrom }: Viewed, now: Date): Viewer | null {
  const user = factsOfUser(found);
  const { accessLevel, grants } = effectiveAccess({ user, resource, linkedFrom, now });
  const [winner] = grants;
  if (accessLevel === null || winner === undefined) return null;
  const { type, userId: id, name, email } = found;
  return { type, id, name, email, accessLevel, path: winner.path };
}

/** The largest number of users that one lookup gives. */
const USERS_MAX = 1000;

/** The first `wanted` viewers after the given user. Goes on while users turn out to have no access. */
async function collectViewers(
  { directory }: Deciding,
  viewed: Viewed,
  {
    wanted,
    after,
    person,
    context,
  }: { wanted: number; after?: LastUser; person: Person; context: CallContext },
): Promise<Viewer[]> {
  const { user, now } = person;
  const within = user.tenantKey === null ? {} : { withinTenantKey: user.tenantKey };
  const selectors = selectCandidates(viewed);
  const viewers: Viewer[] = [];
  let last = after;
  for (;;) {
    const limit = Math.min(wanted - viewers.length, USERS_MAX);
    const { users } = await directory.subjects.listUsers(context, {
      ...selectors,
      ...within,
      after: last,
      limit,
    });
    viewers.push(...users.map((found) => viewerOf(found, viewed, now)).filter((viewer) => viewer !== null));
    const lastUser = users.at(-1);
    if (viewers.length >= wanted || users.length < limit || lastUser === undefined) return viewers;
    last = { type: lastUser.type, id: lastUser.userId };
  }
}

/**
 * Lists the active users who have access to a resource; to a tenant user, those of its own tenant. Throws NOT_FOUND,
 * FORBIDDEN below CONTRIBUTOR, and INVALID_REQUEST for a cursor that is none.
 */
export async function listViewers(
  deciding: Deciding,
  { id, limit, cursor }: { id: string; limit: number; cursor?: string | undefined },
  context: CallContext,
): Promise<{ viewers: Viewer[]; nextCursor: string | null }> {
  const { kind } = deciding;
  const person = requirePerson(context, kind.type, id);
  const after = cursor === undefined ? {} : { after: readLastUser(cursor) };
  const { projectId } = person;
  const header = await kind.store.getHeader(projectId, id);
  await requireLevel(kind, person, { resource: header, wanted: 'CONTRIBUTOR' });
  const dashboards = kind.type === 'visual' ? await kind.links.findAllLinking(projectId, id) : [];
  const linkedFrom = dashboards.map((dashboard) => factsOf('dashboard', dashboard));
  const viewed = { resource: factsOf(kind.type, header), linkedFrom };
  // One more than asked for tells whether there is another page.
  const found = await collectViewers(deciding, viewed, { wanted: limit + 1, ...after, person, context });
  const viewers = found.slice(0, limit);
  const last = found.length > viewers.length ? viewers.at(-1) : undefined;
  return { viewers, nextCursor: last === undefined ? null : encodeCursor([last.type, last.id]) };
}
