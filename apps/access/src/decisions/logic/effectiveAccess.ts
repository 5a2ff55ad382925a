import {
  ACCESS_LEVELS,
  GRANT_PATHS,
  type AccessGrant,
  type AccessLevel,
  type GrantPath,
} from '@gatehouse/contract';
import {
  ceilingOf,
  groupIdOf,
  lowerOf,
  visitGrants,
  type AccessQuery,
  type ResourceFacts,
  type ShareFacts,
} from './access.js';

/** A user's access to a resource, and every grant that applies, the effective grant first. */
export interface EffectiveAccess {
  /** Null for no access. */
  accessLevel: AccessLevel | null;
  ceiling: AccessLevel;
  grants: AccessGrant[];
}

function describeGrant(
  level: AccessLevel,
  path: GrantPath,
  source?: ShareFacts | ResourceFacts,
): AccessGrant {
  const grant: AccessGrant = { level, path, wins: false };
  if (source === undefined) return grant;
  if (!('scope' in source)) return { ...grant, dashboardId: source.id };
  const groupId = groupIdOf(source.subject);
  return { ...grant, shareId: source.id, scope: source.scope, ...(groupId === undefined ? {} : { groupId }) };
}

/**
 * Orders grants by level, highest first, then by path, the most personal first, then by the id of the source.
 */
function compareGrants(a: AccessGrant, b: AccessGrant): number {
  const byLevel = ACCESS_LEVELS.indexOf(b.level) - ACCESS_LEVELS.indexOf(a.level);
  if (byLevel !== 0) return byLevel;
  const byPath = GRANT_PATHS.indexOf(a.path) - GRANT_PATHS.indexOf(b.path);
  if (byPath !== 0) return byPath;
  const [idA, idB] = [a.shareId ?? a.dashboardId ?? '', b.shareId ?? b.dashboardId ?? ''];
  if (idA === idB) return 0;
  return idA < idB ? -1 : 1;
}

/**
 * Decides access: the lower of the role's ceiling and the highest grant that applies. The level of a grant is
 * its level before the ceiling.
 */
export function effectiveAccess(query: AccessQuery): EffectiveAccess {
  const grants: AccessGrant[] = [];
  visitGrants(query, (...grant) => grants.push(describeGrant(...grant)));
  grants.sort(compareGrants);
  const ceiling = ceilingOf(query.user);
  const [winner] = grants;
  if (winner === undefined) return { accessLevel: null, ceiling, grants };
  winner.wins = true;
  return { accessLevel: lowerOf(winner.level, ceiling), ceiling, grants };
}

/** A user's access to a resource, and how the effective grant reaches the user. */
export interface ReachedAccess {
  accessLevel: AccessLevel;
  path: GrantPath;
}

/**
 * Returns the access level and the path of the first grant of `effectiveAccess`, without the others; null
 * without access. A page of viewers needs no more.
 */
export function reachedAccess(query: AccessQuery): ReachedAccess | null {
  let highest = -1;
  let firstPath: number = GRANT_PATHS.length;
  visitGrants(query, (level, path) => {
    const [rank, place] = [ACCESS_LEVELS.indexOf(level), GRANT_PATHS.indexOf(path)];
    if (rank > highest) [highest, firstPath] = [rank, place];
    else if (rank === highest) firstPath = Math.min(firstPath, place);
  });
  const [level, path] = [ACCESS_LEVELS[highest], GRANT_PATHS[firstPath]];
  if (level === undefined || path === undefined) return null;
  return { accessLevel: lowerOf(level, ceilingOf(query.user)), path };
}
