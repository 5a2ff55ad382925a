import { AppError, invalidField, type TokenRequest } from '@gatehouse/contract';
import { type CallContext, duplicateKeysOf, isSecretOf, untilWritten } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import { fold } from '../logic/fold.js';
import { tokenTypeOf } from '../logic/tokenRequest.js';
import type { ProjectDocument, TenantDocument } from '../store/documents.js';
import { systemOrigin } from './origins.js';
import type { Person } from './people.js';
import { admitTenantUser } from './tenantUserWrites.js';

/** The operation, as the API names it. */
const ISSUE_TOKEN = 'issueToken';

/** Where a token is for: proven by a secret. */
export interface TokenGround {
  organizationId: string;
  projectId: string;
  dashboardId?: string;
}

/** One error for a wrong id, a wrong secret and what does not exist, so that it tells none from the other. */
function wrongCredentials(): AppError {
  return new AppError('UNAUTHENTICATED', { message: 'The id or the secret is wrong' });
}

/** Tells the audit log. It is kept in memory, and told later: nobody learns by the time it takes that there is such a project. */
function noteWrongSecret(
  { refusals }: Directory,
  { _id: projectId, organizationId }: ProjectDocument,
  { requestId }: CallContext,
): void {
  const { code, status } = wrongCredentials();
  const bearer = { organizationId, projectId, actorKind: 'anonymous' } as const;
  refusals.note({ bearer, requestId, operation: ISSUE_TOKEN, status, code, resourceId: null });
}

/** Checks the secret of a token request, with the same work whatever is wrong. Throws UNAUTHENTICATED. */
export async function authenticate(
  directory: Directory,
  request: TokenRequest,
  context: CallContext,
): Promise<TokenGround> {
  if (tokenTypeOf(request) === 'dashboard') return authenticateDashboard(directory, request, context);
  const { projectId = '', projectSecret = '' } = request;
  const project = await directory.stores.projects.findForToken(projectId);
  if (!isSecretOf(projectSecret, project?.secretHash) || !project) {
    if (project) noteWrongSecret(directory, project, context);
    throw wrongCredentials();
  }
  return { organizationId: project.organizationId, projectId };
}

async function authenticateDashboard(
  { stores, services }: Directory,
  { dashboardId = '', dashboardSecret = '', projectId }: TokenRequest,
  context: CallContext,
): Promise<TokenGround> {
  const { dashboard } = await services.access.dashboards.authenticate(context, {
    dashboardId,
    dashboardSecret,
  });
  // Looked up in any case, so that a wrong secret takes as long as a right one with a wrong project.
  const project = await stores.projects.findForToken(dashboard?.projectId ?? projectId ?? '');
  const isConsistent =
    project?.organizationId === dashboard?.organizationId &&
    (projectId === undefined || projectId === dashboard?.projectId);
  if (!dashboard || !project || !isConsistent) throw wrongCredentials();
  return { organizationId: project.organizationId, projectId: project._id, dashboardId: dashboard.id };
}

/**
 * The person that a token is to act as; null when the request names none. Throws INVALID_REQUEST naming the field when
 * there is no such person, and UNAUTHENTICATED when the person is deactivated.
 */
export async function findIdentity(
  directory: Directory,
  request: TokenRequest,
  { ground, context }: { ground: TokenGround; context: CallContext },
): Promise<Person | null> {
  const person = await findRequested(directory, request, { ground, context });
  if (person && !person.isActive)
    throw new AppError('UNAUTHENTICATED', { message: 'The user is deactivated' });
  return person;
}

async function findRequested(
  directory: Directory,
  request: TokenRequest,
  { ground, context }: { ground: TokenGround; context: CallContext },
): Promise<Person | null> {
  const { orgUsers, tenantUsers, tenants } = directory.stores;
  const { organizationId } = ground;
  const { orgUserId, endUserId, endUserEmail } = request;
  if (orgUserId !== undefined) {
    return (await orgUsers.find(organizationId, orgUserId)) ?? refuse('orgUserId', 'names no org user');
  }
  if (endUserId !== undefined) {
    const user = await tenantUsers.find(organizationId, endUserId);
    const tenant = user && (await tenants.findByKey(organizationId, user.tenantKey));
    return tenant ? user : refuse('endUserId', 'names no tenant user');
  }
  if (endUserEmail === undefined) return null;
  const tenant = await findTenant(directory, organizationId, request);
  const user = await tenantUsers.findByEmail(organizationId, tenant._id, fold(endUserEmail));
  if (user) return user;
  if (!request.autoCreateEndUser) refuse('endUserEmail', 'names no user of the tenant');
  return createEndUser(directory, { tenant, email: endUserEmail, request }, { ground, context });
}

function refuse(field: keyof TokenRequest, message: string): never {
  throw invalidField(field, message);
}

async function findTenant(
  { stores }: Directory,
  organizationId: string,
  { tenantId, tenantName }: TokenRequest,
): Promise<TenantDocument> {
  if (tenantId !== undefined) {
    return (await stores.tenants.find(organizationId, tenantId)) ?? refuse('tenantId', 'names no tenant');
  }
  const tenant = await stores.tenants.findByName(organizationId, tenantName ?? '');
  return tenant ?? refuse('tenantName', 'names no tenant');
}

/** Creates the end user. When another request is faster, the user is that one's. */
async function createEndUser(
  directory: Directory,
  { tenant, email, request }: { tenant: TenantDocument; email: string; request: TokenRequest },
  { ground, context }: { ground: TokenGround; context: CallContext },
): Promise<Person> {
  const { organizationId, projectId } = ground;
  const { role = 'VIEWER', displayName: name } = request;
  const origin = systemOrigin(context, organizationId, projectId);
  return untilWritten(async () => {
    try {
      const draft = { tenant, email, name, role, department: '', isActive: true };
      const user = await admitTenantUser(directory, draft, origin);
      return user ?? refuse(request.tenantId === undefined ? 'tenantName' : 'tenantId', 'names no tenant');
    } catch (error) {
      if (duplicateKeysOf(error)?.at(-1) !== 'emailFolded') throw error;
      return directory.stores.tenantUsers.findByEmail(organizationId, tenant._id, fold(email));
    }
  });
}
