import {
  AppError,
  isPerson,
  type PersonPrincipal,
  type Principal,
  type ResourceType,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { UserAccessFacts } from '../logic/facts.js';
import { subjectsOfUser } from '../logic/shareScope.js';

/** Whom a resource is read, changed or listed for, and when. */
export interface Asker {
  projectId: string;
  organizationId: string;
  /** Null for the bearer of a dashboard token without an identity. */
  user: UserAccessFacts | null;
  /** Every subject under which the user is reached. */
  subjects: readonly string[];
  tokenDashboardId: string | undefined;
  now: Date;
}

/** An asker with a role. */
export interface Person extends Asker {
  user: UserAccessFacts;
  principal: PersonPrincipal;
}

type KnownUser = Pick<Person, 'user' | 'subjects'>;

// The same principal comes with every call of a token, for as long as it is as it is.
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
  const made = { user, subjects: subjectsOfUser(user) };
  knownUsers.set(principal, made);
  return made;
}

/** A dashboard token reaches its own dashboard and nothing else. */
function requireReach(principal: Principal, type?: ResourceType, id?: string): void {
  if (principal.tokenType === 'project' && principal.dashboardId === undefined) return;
  if (type !== 'dashboard' || id === undefined || id !== principal.dashboardId)
    throw new AppError('FORBIDDEN');
}

function boundsOf({ principal, now }: CallContext) {
  const { projectId, organizationId, dashboardId } = principal;
  return { projectId, organizationId, tokenDashboardId: dashboardId, now };
}

/** Who asks about one resource. Throws FORBIDDEN for a project's service identity and outside the token's dashboard. */
export function requireAsker(context: CallContext, type: ResourceType, id: string): Asker {
  const { principal } = context;
  if (principal.kind === 'service') throw new AppError('FORBIDDEN');
  requireReach(principal, type, id);
  const user = isPerson(principal) ? userOf(principal) : { user: null, subjects: [] };
  return { ...boundsOf(context), ...user };
}

/**
 * The person who asks, about one resource or, without one, about the project. Throws FORBIDDEN for those without a role
 * and outside the token's dashboard.
 */
export function requirePerson(context: CallContext, type?: ResourceType, id?: string): Person {
  const { principal } = context;
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  requireReach(principal, type, id);
  return { ...boundsOf(context), ...userOf(principal), principal };
}

/** Throws FORBIDDEN for a role that is read-only across the platform. */
export function requireCreator(person: Person): void {
  if (person.user.role === 'VIEWER') throw new AppError('FORBIDDEN');
}

/** Throws FORBIDDEN for all but an ADMIN of the organization. */
export function requireAdmin(person: Person): void {
  if (!isAdmin(person)) throw new AppError('FORBIDDEN');
}

export function isAdmin({ user }: Person): boolean {
  return user.type === 'organization' && user.role === 'ADMIN';
}
