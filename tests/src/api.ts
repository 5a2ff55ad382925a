import type {
  Dashboard,
  DashboardWithSecret,
  Group,
  OrgUser,
  OrgUserRole,
  ProjectWithSecret,
  ShareRecord,
  Tenant,
  TenantUser,
  TenantUserRole,
  TokenRequest,
  Visual,
} from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { exchange } from './exchange.js';

/** An HTTP response. `body` is the parsed JSON, or the text if it is not JSON. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

export interface SendOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** The identity part of a token request. Empty for the project itself. */
export type Identity = Omit<
  Partial<TokenRequest>,
  'projectId' | 'projectSecret' | 'dashboardId' | 'dashboardSecret'
>;

export interface Project {
  projectId: string;
  projectSecret: string;
}

/**
 * A bearer of one token. Paths begin after the host; those that do not begin with `/api` or `/.` get the
 * management base.
 */
export interface Session {
  token: string;
  send<T>(method: string, path: string, options?: SendOptions): Promise<Answer<T>>;
  get<T>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  patch<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  put<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  delete<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
}

const MANAGEMENT = '/api/management/v1';

function resolvePath(path: string): string {
  return path.startsWith('/api/') || /^\/(\.well-known|openapi|docs|healthz|readyz|metrics)/.test(path)
    ? path
    : MANAGEMENT + path;
}

/** Sends one request, with only the given headers. */
export async function sendRequest<T = Record<string, unknown>>(
  baseUrl: string,
  [method, path]: [method: string, path: string],
  { body, rawBody, headers = {} }: SendOptions = {},
): Promise<Answer<T>> {
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const { text, ...answer } = await exchange(new URL(baseUrl + resolvePath(path)), {
    method,
    headers: { ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: content,
  });
  return { ...answer, body: parse(text) as T };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The sessions of a token. */
export function openSession(baseUrl: string, token: string): Session {
  const send = <T>(method: string, path: string, { headers, ...options }: SendOptions = {}) =>
    sendRequest<T>(baseUrl, [method, path], {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const withBody =
    (method: string) =>
    <T>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send<T>(method, path, { body, headers });
  return {
    token,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    put: withBody('PUT'),
    delete: withBody('DELETE'),
  };
}

/** The body of a response that must be a success; otherwise throws with the response. */
export function succeeded<T>({ status, body }: Answer<T>): T {
  if (status >= 200 && status < 300) return body;
  throw new Error(`Expected success, got ${status}: ${JSON.stringify(body)}`);
}

/** A short unique text in the run. */
export function unique(prefix: string): string {
  return `${prefix}-${newKey()}`;
}

/**
 * The operations of tests on a server as its operator: tokens for any subject, and quick creation of records
 * over REST.
 */
export interface Api {
  baseUrl: string;
  /** The first project. */
  project: Project;
  /** A session of the first ADMIN in the first project. */
  admin: Session;
  /** A new token for an identity; in the first project unless another is given. */
  openSession(identity: Identity, project?: Project): Promise<Session>;
  /** The response of the token endpoint, success or error. */
  requestToken(request: Record<string, unknown>): Promise<Answer<{ accessToken: string; expiresAt: string }>>;
  createProject(name?: string): Promise<Project>;
  createTenant(fields?: { id?: string; name?: string }): Promise<Tenant>;
  createOrgUser(role: OrgUserRole, fields?: Partial<OrgUser>): Promise<OrgUser>;
  createTenantUser(
    tenantId: string,
    role?: TenantUserRole,
    fields?: Partial<TenantUser>,
  ): Promise<TenantUser>;
  /** An ORG_GROUP, or a TENANT_GROUP when a tenant is given. */
  createGroup(userIds?: string[], tenantId?: string): Promise<Group>;
  createDashboard(owner: Session, fields?: Partial<Dashboard>): Promise<DashboardWithSecret>;
  createVisual(owner: Session, fields?: Partial<Visual>): Promise<Visual>;
  /** Grants as the owner of a dashboard. */
  share(owner: Session, dashboardId: string, shares: Record<string, unknown>[]): Promise<ShareRecord[]>;
}

export async function createApi({
  baseUrl,
  projectId,
  projectSecret,
  adminOrgUserId,
}: Credentials): Promise<Api> {
  const first = { projectId, projectSecret };
  const requestToken: Api['requestToken'] = (body) =>
    sendRequest(baseUrl, ['POST', '/api/v1/token'], { body });
  const open: Api['openSession'] = async (identity, project = first) => {
    const { accessToken } = succeeded(await requestToken({ ...project, ...identity }));
    return openSession(baseUrl, accessToken);
  };
  const admin = await open({ orgUserId: adminOrgUserId });
  const create = async <T>(path: string, body: Record<string, unknown>, session = admin) =>
    succeeded(await session.post<T>(path, body));
  // A command would read a leading hyphen as that of an option.
  const email = () => `${unique('user').toLowerCase()}@example.com`;
  return {
    baseUrl,
    project: first,
    admin,
    requestToken,
    openSession: open,
    async createProject(name = unique('Project')) {
      const { project } = await create<{ project: ProjectWithSecret }>('/projects', { name });
      return { projectId: project.id, projectSecret: project.secret };
    },
    async createTenant(fields = {}) {
      return (await create<{ tenant: Tenant }>('/tenants', { name: unique('Tenant'), ...fields })).tenant;
    },
    async createOrgUser(role, fields = {}) {
      const body = { email: email(), name: unique('Org user'), role, ...fields };
      return (await create<{ user: OrgUser }>('/org-users', body)).user;
    },
    async createTenantUser(tenantId, role = 'VIEWER', fields = {}) {
      const body = { tenantId, email: email(), name: unique('Tenant user'), role, ...fields };
      return (await create<{ user: TenantUser }>('/tenant-users', body)).user;
    },
    async createGroup(userIds = [], tenantId) {
      const type = tenantId === undefined ? 'ORG_GROUP' : 'TENANT_GROUP';
      const { group } = await create<{ group: Group }>('/groups', { name: unique('Group'), type, tenantId });
      if (userIds.length > 0) await create(`/groups/${group.id}/members`, { userIds });
      return group;
    },
    async createDashboard(owner, fields = {}) {
      const body = { title: unique('Dashboard'), ...fields };
      return (await create<{ dashboard: DashboardWithSecret }>('/dashboards', body, owner)).dashboard;
    },
    async createVisual(owner, fields = {}) {
      return (await create<{ visual: Visual }>('/visuals', { title: unique('Visual'), ...fields }, owner))
        .visual;
    },
    async share(owner, dashboardId, shares) {
      const path = `/dashboards/${dashboardId}/share`;
      return (await create<{ shares: ShareRecord[] }>(path, { shares }, owner)).shares;
    },
  };
}
