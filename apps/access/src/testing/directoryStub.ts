import {
  services as contracts,
  type GroupType,
  type OrgUserRole,
  type PersonPrincipal,
  type Principal,
  type TenantUserRole,
  type UserFacts,
} from '@gatehouse/contract';
import { implement, type CallContext, type Handlers, type ImplementOptions } from '@gatehouse/service';

interface KnownTenant {
  id: string;
  key: string;
  name: string;
}
interface KnownGroup {
  id: string;
  key: string;
  name: string;
  type: GroupType;
  tenantId: string | null;
  tenantKey: string | null;
}

/** The organization and the project of a user. */
export interface Home {
  organizationId: string;
  projectId: string;
}

const { subjects } = contracts.directory.procedures;
const contract = { name: 'directory', procedures: { subjects } };

const byTypeAndId = (a: UserFacts, b: UserFacts) =>
  a.type === b.type ? (a.userId < b.userId ? -1 : 1) : a.type === 'organization' ? -1 : 1;

/**
 * A stub of the directory service with the users, tenants and groups of a test. It returns the facts that
 * decisions need, by the directory's contract. Platform tests run this service with the real directory.
 */
export class DirectoryStub {
  readonly users = new Map<string, { facts: UserFacts; home: Home }>();
  readonly tenants = new Map<string, KnownTenant>();
  readonly groups = new Map<string, KnownGroup>();
  /** The number of target lookups. */
  lookups = 0;
  /** The number of requests for a list of users. */
  lists = 0;
  /** The groups among which each request for one user looked; undefined for all groups. */
  readonly groupsOfRequests: (readonly string[] | undefined)[] = [];
  #keys = 0;

  #newKey(): string {
    this.#keys += 1;
    return String(this.#keys).padStart(6, '0');
  }

  /** Returns an unused id. */
  newId(name: string): string {
    return `${name}-${this.#newKey()}`;
  }

  tenant(id: string): KnownTenant {
    const tenant = { id, key: `t:${this.#newKey()}`, name: `Tenant ${id}` };
    this.tenants.set(id, tenant);
    return tenant;
  }

  group(id: string, tenant: KnownTenant | null = null): KnownGroup {
    const type = tenant === null ? 'ORG_GROUP' : 'TENANT_GROUP';
    const belongsTo = { tenantId: tenant?.id ?? null, tenantKey: tenant?.key ?? null };
    const group = { id, key: `g:${id}`, name: `Group ${id}`, type, ...belongsTo } as const;
    this.groups.set(id, group);
    return group;
  }

  orgUser(
    userId: string,
    role: OrgUserRole,
    options: { home: Home; groups?: KnownGroup[] },
  ): PersonPrincipal {
    return this.#add({ userId, role, type: 'organization' }, { tenant: null, ...options });
  }

  tenantUser(
    userId: string,
    role: TenantUserRole,
    options: { home: Home; tenant: KnownTenant; groups?: KnownGroup[] },
  ): PersonPrincipal {
    return this.#add({ userId, role, type: 'tenant' }, options);
  }

  #add(
    person: Pick<UserFacts, 'userId' | 'role' | 'type'>,
    { tenant, groups = [], home }: { tenant: KnownTenant | null; groups?: KnownGroup[]; home: Home },
  ): PersonPrincipal {
    const facts: UserFacts = {
      ...person,
      userKey: `u:${this.#newKey()}`,
      name: `Name of ${person.userId}`,
      email: `${person.userId}@example.test`.toLowerCase(),
      isActive: true,
      tenantId: tenant?.id ?? null,
      tenantKey: tenant?.key ?? null,
      groupIds: groups.map((group) => group.id),
    };
    this.users.set(person.userId, { facts, home });
    return principalOf(facts, home);
  }

  /** Returns the router of the stub. */
  router(options: ImplementOptions) {
    return implement(contract, this.#handlers(), options);
  }

  #usersOf({ principal }: CallContext): UserFacts[] {
    const users = [...this.users.values()].filter(
      ({ home }) => home.organizationId === principal.organizationId,
    );
    return users.map(({ facts }) => facts);
  }

  #handlers(): Handlers<typeof contract.procedures> {
    return {
      subjects: {
        lookup: async ({ tenantUserIds, orgUserIds, tenantIds, groupIds }, context) => {
          this.lookups += 1;
          const named = (ids: string[], type: UserFacts['type']) =>
            this.#usersOf(context).filter((user) => user.type === type && ids.includes(user.userId));
          return {
            tenantUsers: named(tenantUserIds, 'tenant').map(
              ({ userId, userKey, name, email, role, isActive, tenantId, tenantKey }) => ({
                id: userId,
                key: userKey,
                name,
                email,
                role,
                isActive,
                tenantId: tenantId ?? '',
                tenantKey: tenantKey ?? '',
              }),
            ),
            orgUsers: named(orgUserIds, 'organization').map(
              ({ userId: id, userKey: key, name, email, role, isActive }) => {
                return { id, key, name, email, role, isActive };
              },
            ),
            tenants: [...this.tenants.values()].filter(({ id }) => tenantIds.includes(id)),
            groups: [...this.groups.values()].filter(({ id }) => groupIds.includes(id)),
          };
        },
        getProject: async () => ({ project: null }),
        listNames: async () => ({ people: [] }),
        getUser: async ({ userId, groupIds }, context) => {
          this.groupsOfRequests.push(groupIds);
          const user = this.#usersOf(context).find((each) => each.userId === userId) ?? null;
          if (user === null || groupIds === undefined) return { user };
          return { user: { ...user, groupIds: user.groupIds.filter((id) => groupIds.includes(id)) } };
        },
        getUsers: async ({ userIds }, context) => ({
          users: this.#usersOf(context).filter((user) => userIds.includes(user.userId)),
        }),
        listUsers: async (query, context) => {
          this.lists += 1;
          const reached = this.#usersOf(context).filter(
            (user) =>
              user.isActive &&
              (query.withinTenantKey === undefined || user.tenantKey === query.withinTenantKey) &&
              (query.userKeys.includes(user.userKey) ||
                query.tenantKeys.includes(user.tenantKey ?? '') ||
                user.groupIds.some((id) => query.groupIds.includes(id)) ||
                (user.type === 'organization' ? query.allOrgUsers : query.allTenantUsers)),
          );
          const { after, limit } = query;
          const isLater = (user: UserFacts) =>
            after === undefined || byTypeAndId({ ...user, type: after.type, userId: after.id }, user) < 0;
          const named = (user: UserFacts) => user.groupIds.filter((id) => query.groupIds.includes(id));
          const page = reached.toSorted(byTypeAndId).filter(isLater).slice(0, limit);
          return { users: page.map((user) => ({ ...user, groupIds: named(user) })) };
        },
      },
    };
  }
}

const TOKEN = { tokenType: 'project', tokenId: 'token', tokenExpiresAt: 4_000_000_000 } as const;

function principalOf(facts: UserFacts, home: Home): PersonPrincipal {
  const { userId, userKey, email, role, groupIds, tenantId, tenantKey } = facts;
  const person = { ...TOKEN, ...home, userId, userKey, email, role, groupIds };
  if (tenantId === null || tenantKey === null) return { kind: 'orgUser', ...person };
  return { kind: 'tenantUser', ...person, tenantId, tenantKey };
}

/** Returns the principal of a project token without a user. */
export function serviceIdentity({ organizationId, projectId }: Home): Principal {
  return { kind: 'service', ...TOKEN, organizationId, projectId };
}

/** Returns the principal of a dashboard token without an identity. */
export function anonymousBearer(dashboardId: string, { organizationId, projectId }: Home): Principal {
  const token = { ...TOKEN, tokenType: 'dashboard', dashboardId } as const;
  return { kind: 'anonymous', ...token, organizationId, projectId };
}

/** Returns a user who calls with a dashboard token. */
export function dashboardBearer(dashboardId: string, person: PersonPrincipal): PersonPrincipal {
  return { ...person, tokenType: 'dashboard', dashboardId };
}

/** Creates users of every kind and role in two tenants and one project. Each call creates new ones. */
export function createFixture(directory: DirectoryStub) {
  const home = { organizationId: 'o_acme', projectId: directory.newId('p') };
  const north = directory.tenant(directory.newId('north'));
  const south = directory.tenant(directory.newId('south'));
  const orgUser = (name: string, role: OrgUserRole) =>
    directory.orgUser(directory.newId(`ou_${name}`), role, { home });
  const tenantUser = (name: string, role: TenantUserRole, tenant = north) =>
    directory.tenantUser(directory.newId(name), role, { home, tenant });
  return {
    ...home,
    home,
    north,
    south,
    root: orgUser('root', 'ADMIN'),
    ada: orgUser('ada', 'AUTHOR'),
    otto: orgUser('otto', 'AUTHOR'),
    vera: orgUser('vera', 'VIEWER'),
    nora: tenantUser('nora', 'POWER_USER'),
    nils: tenantUser('nils', 'POWER_USER'),
    nick: tenantUser('nick', 'VIEWER'),
    sara: tenantUser('sara', 'POWER_USER', south),
  };
}
export type Fixture = ReturnType<typeof createFixture>;
