import {
  AppError,
  isPerson,
  type AccessLevel,
  type PersonPrincipal,
  type Principal,
  type ResourceType,
} from '@gatehouse/contract';
import { count, type CallContext } from '@gatehouse/service';
import type { ResourceHeader, ResourceKind, SeenResource } from '../resources/kind.js';
import {
  accessLevelOf,
  factsOf,
  isAtLeast,
  subjectsOfUser,
  type ResourceFacts,
  type UserAccessFacts,
} from './logic/access.js';
import { linkedFromByVisual } from './logic/linkedFrom.js';

/** The caller of an operation, as access is decided for it. */
export interface Requester {
  projectId: string;
  organizationId: string;
  /** Null for the bearer of a dashboard token without an identity. */
  user: UserAccessFacts | null;
  /** Every subject of the user. */
  subjects: readonly string[];
  subjectSet: ReadonlySet<string>;
  tokenDashboardId: string | undefined;
  now: Date;
}

/** A requester that is a user, and so has a role. */
export interface UserRequester extends Requester {
  user: UserAccessFacts;
  principal: PersonPrincipal;
}

type KnownUser = Pick<UserRequester, 'user' | 'subjects' | 'subjectSet'>;

const NO_USER = { user: null, subjects: [], subjectSet: new Set<string>() };

// Every call with the same token has the same principal object until the principal changes.
const knownUsers = new WeakMap<PersonPrincipal, KnownUser>();

function userOf(principal: PersonPrincipal): KnownUser {
  const known = knownUsers.get(principal);
  if (known) return known;
  const { userKey, role, groupIds } = principal;
  const isTenantUser = principal.kind === 'tenantUser';
  const user: UserAccessFacts = {
    type: isTenantUser ? 'tenant' : 'organization',
    userKey,
    role,
    isActive: true,
    tenantKey: isTenantUser ? principal.tenantKey : null,
    groupIds,
  };
  const subjects = subjectsOfUser(user);
  const created = { user, subjects, subjectSet: new Set(subjects) };
  knownUsers.set(principal, created);
  return created;
}

/** Throws FORBIDDEN for a dashboard token outside its own dashboard. */
function requireTokenScope(principal: Principal, type?: ResourceType, id?: string): void {
  if (principal.tokenType === 'project' && principal.dashboardId === undefined) return;
  if (type !== 'dashboard' || id === undefined || id !== principal.dashboardId)
    throw new AppError('FORBIDDEN');
}

function scopeOf({ principal, now }: CallContext) {
  const { projectId, organizationId, dashboardId } = principal;
  return { projectId, organizationId, tokenDashboardId: dashboardId, now };
}

/**
 * Returns the requester of a call about one resource. Throws FORBIDDEN for a project's service identity and
 * for a dashboard token outside its own dashboard.
 */
export function requireRequester(context: CallContext, type: ResourceType, id: string): Requester {
  const { principal } = context;
  if (principal.kind === 'service') throw new AppError('FORBIDDEN');
  requireTokenScope(principal, type, id);
  const user = isPerson(principal) ? userOf(principal) : NO_USER;
  return { ...scopeOf(context), ...user };
}

/**
 * Returns the user who calls, about one resource or, without one, about the project. Throws FORBIDDEN for a
 * caller without a role and for a dashboard token outside its own dashboard.
 */
export function requireUser(context: CallContext, type?: ResourceType, id?: string): UserRequester {
  const { principal } = context;
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  requireTokenScope(principal, type, id);
  return { ...scopeOf(context), ...userOf(principal), principal };
}

/** Throws FORBIDDEN for a role that is read-only across the platform. */
export function requireCreator(requester: UserRequester): void {
  if (requester.user.role === 'VIEWER') throw new AppError('FORBIDDEN');
}

/** Throws FORBIDDEN unless the requester is an ADMIN of the organization. */
export function requireAdmin(requester: UserRequester): void {
  if (!isAdmin(requester)) throw new AppError('FORBIDDEN');
}

export function isAdmin({ user }: UserRequester): boolean {
  return user.type === 'organization' && user.role === 'ADMIN';
}

type Resource = SeenResource | ResourceHeader;
type DecidedKind = Pick<ResourceKind, 'type' | 'links'>;

const NOT_LINKED: readonly ResourceFacts[] = [];

/** Returns the effective level without that of linked dashboards; null for no access. */
export function directLevel(kind: DecidedKind, requester: Requester, resource: Resource): AccessLevel | null {
  const { user, subjectSet: subjects, tokenDashboardId, now } = requester;
  const facts = factsOf(kind.type, resource);
  return accessLevelOf({ user, subjects, resource: facts, linkedFrom: NOT_LINKED, tokenDashboardId, now });
}

/**
 * Returns the effective level on each of the resources. A link gives the lowest level, so the links are read
 * only for resources without a direct grant.
 */
export async function findLevels(
  kind: DecidedKind,
  requester: Requester,
  resources: readonly Resource[],
): Promise<(AccessLevel | null)[]> {
  const levels = resources.map((resource) => directLevel(kind, requester, resource));
  const { user, projectId, subjects, subjectSet, now } = requester;
  if (kind.type !== 'visual' || user === null || !levels.includes(null)) return levels;
  const hidden = resources.filter((_, index) => levels[index] === null);
  const ids = hidden.map((resource) => resource._id);
  const dashboards = await kind.links.findLinking(projectId, ids, subjects);
  if (dashboards.length === 0) return levels;
  const byVisual = linkedFromByVisual(dashboards, ids);
  return resources.map((resource, index) => {
    const level = levels[index] ?? null;
    if (level !== null) return level;
    const linkedFrom = byVisual.get(resource._id) ?? [];
    const facts = factsOf(kind.type, resource);
    return accessLevelOf({ user, subjects: subjectSet, resource: facts, linkedFrom, now });
  });
}

/** Returns the effective level on one resource; null for no access. */
export async function findLevel(
  kind: DecidedKind,
  requester: Requester,
  resource: Resource,
): Promise<AccessLevel | null> {
  const [level = null] = await findLevels(kind, requester, [resource]);
  return level;
}

function denied({ type }: DecidedKind, outcome: 'hidden' | 'forbidden'): AppError {
  count('decisions', { decision: `${type}_access`, outcome });
  return new AppError(outcome === 'hidden' ? 'NOT_FOUND' : 'FORBIDDEN');
}

/**
 * Returns the effective level, at least `wanted`. Throws NOT_FOUND, as for an unknown resource, if the
 * requester may not see it, and FORBIDDEN if the requester may see it with a lower level.
 */
export async function requireLevel(
  kind: DecidedKind,
  requester: Requester,
  { resource, wanted }: { resource: Resource; wanted: AccessLevel },
): Promise<AccessLevel> {
  const level = await findLevel(kind, requester, resource);
  if (level === null) throw denied(kind, 'hidden');
  if (!isAtLeast(level, wanted)) throw denied(kind, 'forbidden');
  count('decisions', { decision: `${kind.type}_access`, outcome: 'allowed' });
  return level;
}
