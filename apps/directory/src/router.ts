import type { directory as contract } from '@gatehouse/contract';
import type { CallContext, Handlers } from '@gatehouse/service';
import type { Directory } from './directory.js';
import * as groupMembers from './operations/groupMembers.js';
import * as groups from './operations/groups.js';
import * as idempotency from './operations/idempotency.js';
import { bootstrapOrganization } from './operations/organizations.js';
import * as orgUsers from './operations/orgUsers.js';
import { resolvePrincipal } from './operations/principals.js';
import * as projects from './operations/projects.js';
import { listPublicKeys, rotateSigningKey } from './operations/signingKeys.js';
import * as subjects from './operations/subjects.js';
import * as tenants from './operations/tenants.js';
import * as tenantUsers from './operations/tenantUsers.js';
import { invalidateToken, issueToken } from './operations/tokens.js';
import { getUserContext, listUnifiedUsers } from './operations/unifiedUsers.js';

/** Gives an operation the directory that it works with. */
function binderOf(directory: Directory) {
  return <I, O>(operation: (directory: Directory, input: I, context: CallContext) => Promise<O>) =>
    (input: I, context: CallContext) =>
      operation(directory, input, context);
}
type Binder = ReturnType<typeof binderOf>;

function organizationHandlers(by: Binder) {
  return {
    organizations: { bootstrap: by(bootstrapOrganization) },
    projects: {
      list: by(projects.listProjects),
      create: by(projects.createProject),
      get: by(projects.getProject),
      update: by(projects.updateProject),
      rotateSecret: by(projects.rotateProjectSecret),
    },
    tenants: {
      list: by(tenants.listTenants),
      create: by(tenants.createTenant),
      get: by(tenants.getTenant),
      update: by(tenants.updateTenant),
      delete: by(tenants.deleteTenant),
    },
  };
}

function userHandlers(by: Binder) {
  return {
    orgUsers: {
      list: by(orgUsers.listOrgUsers),
      create: by(orgUsers.createOrgUser),
      get: by(orgUsers.getOrgUser),
      update: by(orgUsers.updateOrgUser),
      delete: by(orgUsers.deleteOrgUser),
    },
    tenantUsers: {
      list: by(tenantUsers.listTenantUsers),
      create: by(tenantUsers.createTenantUser),
      get: by(tenantUsers.getTenantUser),
      update: by(tenantUsers.updateTenantUser),
      delete: by(tenantUsers.deleteTenantUser),
    },
    unifiedUsers: { list: by(listUnifiedUsers), get: by(getUserContext) },
    groups: {
      list: by(groups.listGroups),
      create: by(groups.createGroup),
      get: by(groups.getGroup),
      update: by(groups.updateGroup),
      delete: by(groups.deleteGroup),
      members: by(groupMembers.listGroupMembers),
      addMembers: by(groupMembers.addGroupMembers),
      removeMembers: by(groupMembers.removeGroupMembers),
      removeMember: by(groupMembers.removeGroupMember),
    },
  };
}

/** The operation that answers each procedure. */
export function createHandlers(directory: Directory): Handlers<typeof contract.procedures> {
  const by = binderOf(directory);
  return {
    ...organizationHandlers(by),
    ...userHandlers(by),
    tokens: {
      issue: by(issueToken),
      invalidate: by(invalidateToken),
      keys: by(listPublicKeys),
      rotateKey: by(rotateSigningKey),
    },
    principals: { resolve: by(resolvePrincipal) },
    subjects: {
      lookup: by(subjects.lookUpSubjects),
      getProject: by(subjects.getSubjectProject),
      getUser: by(subjects.getSubjectUser),
      listUsers: by(subjects.listSubjectUsers),
    },
    idempotency: {
      claim: by(idempotency.claimRequest),
      complete: by(idempotency.completeRequest),
      release: by(idempotency.releaseRequest),
    },
  };
}
