import type { Connection, Dashboard, ValidationResult } from '@gatehouse/contract';
import { succeeded, unique, type Api, type Identity, type Project, type Session } from './api.js';
import { addTenantUser, type Person } from './people.js';

export const VALIDATE = '/api/v1/dashboard/validate';
export const VALIDATE_ALL = '/api/v1/dashboard/validate-all';
export const FIX = '/api/v1/dashboard/fix';

/** The answer of validate-all. */
export interface Batch {
  projectId: string;
  totalDashboards: number;
  validDashboards: number;
  invalidDashboards: number;
  failedDashboards: number;
  results: (ValidationResult | { dashboardId: string; error: string })[];
}

type Tables = Record<string, string[]>;

const catalogOf = (tables: Tables) => ({
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: Object.entries(tables).map(([name, columns]) => ({
        name,
        columns: columns.map((column) => ({ name: column, type: 'text' })),
      })),
    },
  ],
});

/** A connection whose catalog has these tables; without one when there are none. */
export async function createStaticConnection(admin: Session, tables?: Tables): Promise<string> {
  const catalog = tables === undefined ? {} : { catalog: catalogOf(tables) };
  const body = { name: unique('Connection'), type: 'static', config: { dialect: 'postgres' }, ...catalog };
  const answer = await admin.post<{ connection: Connection }>('/api/v1/connections', body);
  return succeeded(answer).connection.id;
}

/** Gives a connection another catalog. */
export async function replaceCatalog(admin: Session, connectionId: string, tables: Tables): Promise<void> {
  const path = `/api/v1/connections/${connectionId}/introspect`;
  succeeded(await admin.post(path, { catalog: catalogOf(tables) }));
}

async function createRecord(admin: Session, path: string, body: Record<string, unknown>): Promise<string> {
  const answer = succeeded(await admin.post<Record<string, { id: string }>>(path, body));
  return Object.values(answer)[0]?.id ?? '';
}

/** A card that shows columns of a table. */
export function cardOf(connectionId: string, table: string, ...columns: string[]) {
  return {
    id: unique('card'),
    title: `Of ${table}`,
    dataSource: { connectionId, mode: 'database', selectedEntities: [{ table }] },
    fields: { columns: columns.map((column) => ({ column })) },
  };
}

export function templateOf(...cards: object[]) {
  return { sheets: [{ id: 's1', title: 'Overview', frames: [{ id: 'f1', cards }] }] };
}

/**
 * A project with a connection, a domain, a data model and an assistant profile, and two users of different
 * tenants.
 */
export interface ValidationWorld {
  api: Api;
  /** An ADMIN in the project. */
  admin: Session;
  /** The project itself. */
  service: Session;
  project: Project;
  projectId: string;
  connectionId: string;
  unreadConnectionId: string;
  domainId: string;
  datamodelId: string;
  assistantProfileId: string;
  tenantId: string;
  tenantUser: Person;
  otherTenantUser: Person;
  /** A session of the ADMIN by a token that may know these domains. */
  narrowSession(semanticDomainAccess: Identity['semanticDomainAccess']): Promise<Session>;
  /** A dashboard of the ADMIN, or of another user. */
  createDashboard(template: object | null, owner?: Session): Promise<Dashboard>;
  validateAll(body?: Record<string, unknown>, by?: Session): Promise<Batch>;
}

const TABLES = { orders: ['id', 'region', 'amount'], customers: ['id', 'name'] };

/** Makes the world in a new project, so that what is validated there is known. */
export async function makeValidationWorld(api: Api, adminId: string): Promise<ValidationWorld> {
  const project = await api.createProject();
  const admin = await api.openSession({ orgUserId: adminId }, project);
  const connectionId = await createStaticConnection(admin, TABLES);
  const datasets = [{ name: 'Orders', connectionId, table: 'orders' }];
  const domainId = await createRecord(admin, '/api/v1/domains', { name: 'sales', label: 'Sales' });
  succeeded(await admin.put(`/api/v1/domains/${domainId}/template`, { datasets }));
  const model = {
    name: 'Orders',
    connectionId,
    template: { datasets: [{ name: 'Orders', table: 'orders' }] },
  };
  const tenant = await api.createTenant();
  const otherTenant = await api.createTenant();
  const personOf = async (tenantId: string): Promise<Person> => {
    const { id } = await addTenantUser(api, tenantId, 'POWER_USER');
    return { id, session: await api.openSession({ endUserId: id }, project) };
  };
  const createDashboard: ValidationWorld['createDashboard'] = (template, owner = admin) =>
    api.createDashboard(owner, { template: template as Dashboard['template'] });
  return {
    api,
    admin,
    service: await api.openSession({}, project),
    project,
    projectId: project.projectId,
    connectionId,
    unreadConnectionId: await createStaticConnection(admin),
    domainId,
    datamodelId: await createRecord(admin, '/api/v1/datamodels', model),
    assistantProfileId: await createRecord(admin, '/api/v1/assistant-profiles', { name: 'Guide' }),
    tenantId: tenant.id,
    tenantUser: await personOf(tenant.id),
    otherTenantUser: await personOf(otherTenant.id),
    narrowSession: (semanticDomainAccess) =>
      api.openSession({ orgUserId: adminId, ...(semanticDomainAccess && { semanticDomainAccess }) }, project),
    createDashboard,
    validateAll: async (body = {}, by = admin) => succeeded(await by.post<Batch>(VALIDATE_ALL, body)),
  };
}
