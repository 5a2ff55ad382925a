import {
  AppError,
  invalidField,
  type SemanticDomainAccess,
  type TokenRequest,
  withName,
} from '@gatehouse/contract';
import {
  type CallContext,
  duplicateKeysOf,
  isSecretOf,
  retryOnConflict,
  WriteConflict,
} from '@gatehouse/service';
import { systemOrigin, type Directory } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import { insertTenantUser } from '../people/insertTenantUser.js';
import type { ProjectDocument, TenantDocument } from '../records/documents.js';
import { fold } from '../records/logic/foldedFields.js';
import { tokenTypeOf } from './logic/validateRequest.js';

/** The operation id in the API. */
const ISSUE_TOKEN = 'issueToken';

/** The scope of a token, for which the request presented the secret. */
export interface TokenScope {
  organizationId: string;
  projectId: string;
  dashboardId?: string;
  /** The only tenant as whose users the token may act: that of the user who got the secret. */
  tenantKey?: string | null;
  /** The only semantic domains that the token may see: those of the token that got the secret. */
  domainAccess?: SemanticDomainAccess | undefined;
}

/**
 * The same error for a wrong id, a wrong secret and a missing resource: the response does not disclose which.
 */
function wrongCredentials(): AppError {
  return new AppError('UNAUTHENTICATED', { message: 'The id or the secret is wrong' });
}

/**
 * Reports a wrong secret to the audit log. The report is buffered in memory and published later, so that the
 * response time does not disclose that the project exists.
 */
function reportWrongSecret(
  { refusals }: Directory,
  { _id: projectId, organizationId }: ProjectDocument,
  { requestId }: CallContext,
): void {
  const { code, status } = wrongCredentials();
  const bearer = { organizationId, projectId, actorKind: 'anonymous' } as const;
  refusals.note({ bearer, requestId, operation: ISSUE_TOKEN, status, code, resourceId: null });
}

/** Checks the secret of a token request. The work is the same for every failure. Throws UNAUTHENTICATED. */
export async function authenticateRequest(
  directory: Directory,
  request: TokenRequest,
  context: CallContext,
): Promise<TokenScope> {
  if (tokenTypeOf(request) === 'dashboard') return authenticateDashboard(directory, request, context);
  const { projectId = '', projectSecret = '' } = request;
  const project = await directory.stores.projects.findForToken(projectId);
  if (!isSecretOf(projectSecret, project?.secretHash) || !project) {
    if (project) reportWrongSecret(directory, project, context);
    throw wrongCredentials();
  }
  return { organizationId: project.organizationId, projectId };
}

async function authenticateDashboard(
  { stores, services }: Directory,
  { dashboardId = '', dashboardSecret = '', projectId }: TokenRequest,
  context: CallContext,
): Promise<TokenScope> {
  const { dashboard } = await services.access.dashboards.authenticate.query(
    {
      dashboardId,
      dashboardSecret,
    },
    { context },
  );
  // Always look up the project, so that a wrong secret takes as long as a correct one with a wrong project.
  const project = await stores.projects.findForToken(dashboard?.projectId ?? projectId ?? '');
  const isConsistent =
    project?.organizationId === dashboard?.organizationId &&
    (projectId === undefined || projectId === dashboard?.projectId);
  if (!dashboard || !project || !isConsistent) throw wrongCredentials();
  const { organizationId, _id } = project;
  const { id, tenantKey, domainAccess } = dashboard;
  return { organizationId, projectId: _id, dashboardId: id, tenantKey, domainAccess };
}

/**
 * Finds the user that a token acts as; null when the request names none.
 *
 * @throws AppError INVALID_REQUEST with the field when the user does not exist; UNAUTHENTICATED when the user
 * is deactivated.
 */
export async function findTokenUser(
  directory: Directory,
  request: TokenRequest,
  { scope, context }: { scope: TokenScope; context: CallContext },
): Promise<Person | null> {
  const person = await findRequestedUser(directory, request, { scope, context });
  if (person && !person.isActive)
    throw new AppError('UNAUTHENTICATED', { message: 'The user is deactivated' });
  return person;
}

/**
 * Returns true if the secret may issue tokens for users of a tenant, or for org users (null). A secret that a
 * tenant user got reaches its own tenant alone: users elsewhere do not exist for it.
 */
function reaches({ tenantKey: own = null }: TokenScope, tenantKey: string | null): boolean {
  return own === null || own === tenantKey;
}

async function findRequestedUser(
  directory: Directory,
  request: TokenRequest,
  { scope, context }: { scope: TokenScope; context: CallContext },
): Promise<Person | null> {
  const { orgUsers, tenantUsers, tenants } = directory.stores;
  const { organizationId } = scope;
  const { orgUserId, endUserId, endUserEmail } = request;
  if (orgUserId !== undefined) {
    const user = await orgUsers.find(organizationId, orgUserId);
    return user && reaches(scope, null) ? user : rejectField('orgUserId', 'names no org user', orgUserId);
  }
  if (endUserId !== undefined) {
    const user = await tenantUsers.find(organizationId, endUserId);
    const tenant = user && (await tenants.findByKey(organizationId, user.tenantKey));
    if (user && tenant && reaches(scope, tenant._id)) return user;
    return rejectField('endUserId', 'names no tenant user', endUserId);
  }
  if (endUserEmail === undefined) return null;
  const tenant = await findTenant(directory, scope, request);
  const user = await tenantUsers.findByEmail(organizationId, tenant._id, fold(endUserEmail));
  if (user) return user;
  if (!request.autoCreateEndUser) rejectField('endUserEmail', 'names no user of the tenant', endUserEmail);
  return createEndUser(directory, { tenant, email: endUserEmail, request }, { scope, context });
}

function rejectField(field: keyof TokenRequest, message: string, given: string): never {
  throw invalidField(field, withName(message, given), 'reference');
}

async function findTenant(
  { stores }: Directory,
  scope: TokenScope,
  { tenantId, tenantName = '' }: TokenRequest,
): Promise<TenantDocument> {
  const { organizationId } = scope;
  const tenant =
    tenantId === undefined
      ? await stores.tenants.findByName(organizationId, tenantName)
      : await stores.tenants.find(organizationId, tenantId);
  if (tenant && reaches(scope, tenant._id)) return tenant;
  if (tenantId === undefined) return rejectField('tenantName', 'names no tenant', tenantName);
  return rejectField('tenantId', 'names no tenant', tenantId);
}

/** Creates the end user, or finds the user that a concurrent request created. */
async function createEndUser(
  directory: Directory,
  { tenant, email, request }: { tenant: TenantDocument; email: string; request: TokenRequest },
  { scope, context }: { scope: TokenScope; context: CallContext },
): Promise<Person> {
  const { organizationId, projectId, dashboardId } = scope;
  const { role = 'VIEWER', displayName: name } = request;
  if (dashboardId !== undefined && role !== 'VIEWER')
    throw invalidField('role', 'must be VIEWER for a user that a dashboard secret creates', 'conflict');
  const origin = systemOrigin(context, organizationId, projectId);
  return retryOnConflict(async () => {
    try {
      const draft = { tenant, email, name, role, department: '', isActive: true };
      const user = await insertTenantUser(directory, draft, origin);
      if (user) return user;
      const [field, given] =
        request.tenantId === undefined ? ['tenantName', tenant.name] : ['tenantId', tenant.id];
      return rejectField(field as keyof TokenRequest, 'names no tenant', given);
    } catch (error) {
      if (duplicateKeysOf(error)?.at(-1) !== 'emailFolded') throw error;
      const user = await directory.stores.tenantUsers.findByEmail(organizationId, tenant._id, fold(email));
      // The user that had the e-mail was deleted after the insertion.
      if (user === null) throw new WriteConflict();
      return user;
    }
  });
}
