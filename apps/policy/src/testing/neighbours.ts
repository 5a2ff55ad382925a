import {
  AppError,
  type Caller,
  type Catalog,
  type ConnectionSummary,
  type InputOf,
  type OrgUserPrincipal,
  type Principal,
  type Services,
  type SqlDialect,
  type UserFacts,
} from '@gatehouse/contract';
import { functionLink, type ServiceLink } from '@gatehouse/service';

type Directory = Services['directory']['procedures'];
type Semantics = Services['semantics']['procedures'];
type Lookup = InputOf<Directory['subjects']['lookup']>;
type Describe = InputOf<Semantics['connections']['describe']>;

interface Verifier {
  verify(token: string): Promise<{ caller: Caller }>;
}
type Answers = Record<string, (input: never, principal: Principal) => unknown>;

/** A link to a stubbed service. It checks the caller's internal token, as for other services. */
function linkOf(answers: Answers, verifier: Verifier): ServiceLink {
  return functionLink(async ({ path, input: { token, input } }) => {
    const { caller } = await verifier.verify(token);
    const answer = answers[path];
    if (!answer || caller.kind === 'system') throw new AppError('UNAUTHENTICATED');
    return answer(input as never, caller);
  });
}

const TOKEN = { tokenType: 'project', tokenId: 'token', tokenExpiresAt: 4_000_000_000 } as const;

/** A stub of the directory: projects, tenants and people. Integration of the services is tested elsewhere. */
export class People {
  readonly users = new Map<string, UserFacts>();
  readonly tenants = new Map<string, { id: string; key: string; name: string }>();
  readonly projectIds = new Set<string>();
  calls = 0;
  #keys = 0;

  #newKey(): string {
    this.#keys += 1;
    return String(this.#keys).padStart(6, '0');
  }

  tenant(id: string) {
    const tenant = { id, key: `t:${this.#newKey()}`, name: `Tenant ${id}` };
    this.tenants.set(id, tenant);
    return tenant;
  }

  tenantUser(userId: string, tenantId: string): UserFacts {
    const { id, key } = this.tenants.get(tenantId) ?? this.tenant(tenantId);
    return this.#add({ userId, type: 'tenant', role: 'VIEWER', tenantId: id, tenantKey: key });
  }

  orgUser(userId: string, role: UserFacts['role']): UserFacts {
    return this.#add({ userId, type: 'organization', role, tenantId: null, tenantKey: null });
  }

  #add(person: Pick<UserFacts, 'userId' | 'type' | 'role' | 'tenantId' | 'tenantKey'>): UserFacts {
    const { userId } = person;
    const facts = {
      ...person,
      userKey: `u:${this.#newKey()}`,
      name: `Name of ${userId}`,
      email: `${userId}@example.test`.toLowerCase(),
      isActive: true,
      groupIds: [],
    };
    this.users.set(userId, facts);
    return facts;
  }

  linkFor(verifier: Verifier): ServiceLink {
    return linkOf(
      {
        'projects.get': ({ id }: { id: string }) => {
          if (!this.projectIds.has(id)) throw new AppError('NOT_FOUND');
          return { project: { id } };
        },
        'subjects.lookup': (ids: Lookup) => this.#count(this.#lookUp(ids)),
      },
      verifier,
    );
  }

  #count<T>(answer: T): T {
    this.calls += 1;
    return answer;
  }

  #lookUp({ tenantUserIds = [], orgUserIds = [], tenantIds = [] }: Partial<Lookup>) {
    const named = (ids: string[], type: UserFacts['type']) =>
      ids.flatMap((id) => {
        const user = this.users.get(id);
        if (user?.type !== type) return [];
        const { userKey: key, name, email, role, isActive, tenantId, tenantKey } = user;
        return [{ id, key, name, email, role, isActive, tenantId, tenantKey }];
      });
    return {
      tenantUsers: named(tenantUserIds, 'tenant'),
      orgUsers: named(orgUserIds, 'organization'),
      tenants: tenantIds.flatMap((id) => this.tenants.get(id) ?? []),
      groups: [],
    };
  }
}

/** Two tables of a shop, and one without a tenant column. */
export const SHOP: Catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: [
        {
          name: 'orders',
          kind: 'table',
          columns: [
            { name: 'id', type: 'integer' },
            { name: 'tenant_id', type: 'text' },
            { name: 'amount', type: 'numeric(10,2)' },
          ],
        },
        {
          name: 'customers',
          kind: 'table',
          columns: [
            { name: 'id', type: 'integer' },
            { name: 'tenant_id', type: 'text' },
            { name: 'name', type: 'text' },
          ],
        },
        { name: 'countries', kind: 'table', columns: [{ name: 'code', type: 'text' }] },
      ],
    },
  ],
};

interface KnownConnection {
  connection: ConnectionSummary;
  catalog: Catalog | null;
}

/** A stub of the semantics service: connections. */
export class Connections {
  readonly connections = new Map<string, KnownConnection>();
  calls = 0;
  /** The number of sent catalogs. */
  catalogsSent = 0;
  /** Called for each description, to change something in the middle of an operation. */
  onDescribe: () => Promise<void> | void = () => {};

  add(
    projectId: string,
    id: string,
    fields: { dialect?: SqlDialect; catalog?: Catalog | null; unassignedActors?: 'deny' | 'allow' } = {},
  ): string {
    const { dialect = 'postgres', catalog = SHOP, unassignedActors = 'deny' } = fields;
    const at = new Date(0).toISOString();
    const connection: ConnectionSummary = {
      id,
      projectId,
      name: `Name of ${id}`,
      type: 'static',
      dialect,
      config: { dialect },
      rowBarrier: false,
      unassignedActors,
      catalogVersion: catalog && 1,
      catalogReadAt: catalog && at,
      createdBy: null,
      version: 1,
      createdAt: at,
      updatedAt: at,
    };
    this.connections.set(id, { connection, catalog });
    return id;
  }

  linkFor(verifier: Verifier): ServiceLink {
    return linkOf(
      {
        'connections.describe': async (input: Describe, { projectId }) => {
          this.calls += 1;
          await this.onDescribe();
          return this.#describe(input, projectId);
        },
        'connections.names': ({ ids }: { ids: string[] }, { projectId }) => {
          this.calls += 1;
          const found = ids.flatMap((id) => this.#find(id, projectId)?.connection ?? []);
          return { connections: found.map(({ id, name, type, dialect }) => ({ id, name, type, dialect })) };
        },
      },
      verifier,
    );
  }

  #find(id: string, projectId: string): KnownConnection | undefined {
    const found = this.connections.get(id);
    return found?.connection.projectId === projectId ? found : undefined;
  }

  #describe({ connectionId, knownCatalogVersion }: Describe, projectId: string) {
    const found = this.#find(connectionId, projectId);
    if (!found) return { connection: null };
    const { connection, catalog } = found;
    if (connection.catalogVersion !== null && connection.catalogVersion === knownCatalogVersion)
      return { connection };
    this.catalogsSent += 1;
    return { connection, catalog };
  }
}

/** The principal of an org user. */
export function orgUserPrincipal(
  facts: UserFacts,
  { organizationId, projectId }: { organizationId: string; projectId: string },
): OrgUserPrincipal {
  const { userId, userKey, email, role, groupIds } = facts;
  return { kind: 'orgUser', ...TOKEN, organizationId, projectId, userId, userKey, email, role, groupIds };
}

/** The other principals: a tenant user, the project itself, the bearer of a dashboard token. */
export function otherPrincipals(
  user: UserFacts,
  ground: { organizationId: string; projectId: string },
): Principal[] {
  const { userId, userKey, email, role, groupIds, tenantId, tenantKey } = user;
  const person = { ...TOKEN, ...ground, userId, userKey, email, role, groupIds };
  return [
    { kind: 'tenantUser', ...person, tenantId: tenantId ?? '', tenantKey: tenantKey ?? '' },
    { kind: 'service', ...TOKEN, ...ground },
    { kind: 'anonymous', ...TOKEN, ...ground, tokenType: 'dashboard', dashboardId: 'd_1' },
  ];
}
