import {
  GRANT_PATHS,
  ACCESS_LEVELS,
  type AccessGrant,
  type AccessLevel,
  type GrantPath,
} from '@gatehouse/contract';
import type { AccessQuestion, ResourceFacts, ShareFacts, UserAccessFacts } from './facts.js';
import { lowerOf, roleCeiling } from './roleCeiling.js';
import { canReachType, groupIdOf, homeAudienceOf, subjectsOfUser } from './shareScope.js';
import { isExpired } from './shares.js';

/** What a user may do with a resource, and every grant that says so, the winning one first. */
export interface EffectiveAccess {
  /** Null for none. */
  accessLevel: AccessLevel | null;
  ceiling: AccessLevel;
  grants: AccessGrant[];
}

/** Told of a grant: what it gives, how, and the share or linking dashboard it comes from, if it comes from one. */
type GrantVisitor = (level: AccessLevel, path: GrantPath, source?: ShareFacts | ResourceFacts) => void;
interface DirectQuestion {
  user: UserAccessFacts;
  resource: ResourceFacts;
  now: Date;
}

// A list asks about the same user a hundred times; facts never change, so their subjects are made once.
const subjectSets = new WeakMap<UserAccessFacts, ReadonlySet<string>>();

function subjectSetOf(user: UserAccessFacts): ReadonlySet<string> {
  let subjects = subjectSets.get(user);
  if (subjects === undefined) {
    subjects = new Set(subjectsOfUser(user));
    subjectSets.set(user, subjects);
  }
  return subjects;
}

function pathOfShare(share: ShareFacts): GrantPath {
  switch (share.scope) {
    case 'specific_tenant_user':
    case 'specific_org_user':
      return 'share';
    case 'group':
      return 'group';
    case 'all_tenant_users':
    case 'all_org_users':
    case 'org_users_only':
    case 'all_tenants_only':
      return 'audience';
  }
}

/** Visits what the resource itself gives to an active user: ownership, its shares, its home audience. */
function visitDirectGrants({ user, resource, now }: DirectQuestion, visit: GrantVisitor): void {
  if (resource.ownerKey === user.userKey) visit('OWNER', 'ownership');
  const subjects = subjectSetOf(user);
  for (const share of resource.shares) {
    // Most shares are for somebody else, and that is the cheapest to see.
    if (!subjects.has(share.subject) || !canReachType(share.scope, user.type)) continue;
    if (!isExpired(share, now)) visit(share.role, pathOfShare(share), share);
  }
  const home = homeAudienceOf(resource);
  if (home !== null && subjects.has(home)) visit('VIEWER', 'audience');
}

function isReachedDirectly(question: DirectQuestion): boolean {
  let isReached = false;
  visitDirectGrants(question, () => {
    isReached = true;
  });
  return isReached;
}

/** True when a dashboard lets the user view the saved visuals that it links: when the user has any access to it. */
function isLentBy(dashboard: ResourceFacts, { user, resource: visual, now }: DirectQuestion): boolean {
  if (dashboard.type !== 'dashboard' || dashboard.projectId !== visual.projectId) return false;
  return isReachedDirectly({ user, resource: dashboard, now });
}

/** Visits every grant that applies. The only place that knows what gives access. */
function visitGrants(
  { user, resource, linkedFrom, tokenDashboardId, now }: AccessQuestion,
  visit: GrantVisitor,
): void {
  if (user !== null) {
    if (!user.isActive) return;
    const question = { user, resource, now };
    visitDirectGrants(question, visit);
    for (const dashboard of resource.type === 'visual' ? linkedFrom : []) {
      if (isLentBy(dashboard, question)) visit('VIEWER', 'linked dashboard', dashboard);
    }
  }
  if (resource.type === 'dashboard' && resource.id === tokenDashboardId) visit('VIEWER', 'token');
}

function ceilingOf(user: UserAccessFacts | null): AccessLevel {
  return user === null ? 'VIEWER' : roleCeiling(user.role);
}

/** The effective level alone, for where nobody asks why: the same decision as `effectiveAccess`. */
export function accessLevelOf(question: AccessQuestion): AccessLevel | null {
  let highest = -1;
  visitGrants(question, (level) => {
    highest = Math.max(highest, ACCESS_LEVELS.indexOf(level));
  });
  const level = ACCESS_LEVELS[highest];
  return level === undefined ? null : lowerOf(level, ceilingOf(question.user));
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

/** Highest level first; among equals the more personal path, then the id of the source. */
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
 * Decides access: the lower of the role's ceiling and the highest grant that applies. The level of a grant is what it
 * gives before the ceiling.
 */
export function effectiveAccess(question: AccessQuestion): EffectiveAccess {
  const grants: AccessGrant[] = [];
  visitGrants(question, (...grant) => grants.push(describeGrant(...grant)));
  grants.sort(compareGrants);
  const ceiling = ceilingOf(question.user);
  const [winner] = grants;
  if (winner === undefined) return { accessLevel: null, ceiling, grants };
  winner.wins = true;
  return { accessLevel: lowerOf(winner.level, ceiling), ceiling, grants };
}
