import type { Example } from './example.js';

const tenant = { id: 'example-tenant' };
const tenantUser = { id: 'example-user' };
const orgUser = { id: '<exampleOrgUserId>' };
const group = { id: '<groupId>' };
const project = { id: '<exampleProjectId>' };

const changeTenant: Example = { parameters: tenant, body: { name: 'Example Tenant' } };
const changeTenantUser: Example = { parameters: tenantUser, body: { department: 'Stores' } };
const changeOrgUser: Example = { parameters: orgUser, body: { department: 'Finance' } };
const changeGroup: Example = { parameters: group, body: { description: 'People who try the reference' } };
const changeProject: Example = { parameters: project, body: { name: 'Example project' } };

export const organizationExamples = {
  issueToken: {
    body: {
      projectId: '<projectId>',
      projectSecret: '<projectSecret>',
      orgUserId: '<orgUserId>',
      tokenExpiry: 900,
    },
    note: 'The first start writes the project, its secret and the ADMIN to DATA_DIR/credentials.json.',
  },
  createSignInCode: {
    body: { projectId: '<projectId>', projectSecret: '<projectSecret>', orgUserId: '<orgUserId>' },
    note: 'A link `/console#sign-in=<code>` signs the user in once, within ten minutes.',
  },
  invalidateToken: { step: 'end', note: 'Revokes the token that you send it with.' },
  getSigningKeys: {},

  listSessions: { parameters: { limit: '20' } },
  revokeSession: {
    step: 'end',
    parameters: { id: '<sessionId>' },
    note: 'Signs out the browser that has been signed in longest.',
  },

  listTenants: { parameters: { search: 'harbor', limit: '20' } },
  createTenant: { step: 'make', body: { id: 'example-tenant', name: 'Example tenant' } },
  getTenant: { parameters: tenant },
  updateTenant: changeTenant,
  updateTenantByPut: changeTenant,
  deleteTenant: { step: 'end', parameters: tenant },

  listProjects: {},
  createProject: {
    step: 'make',
    body: { name: 'Example project' },
    note: 'A project cannot be deleted, so this works once.',
  },
  getProject: { parameters: project },
  updateProject: changeProject,
  updateProjectByPut: changeProject,
  rotateProjectSecret: { parameters: project },

  listOrgUsers: { parameters: { search: 'Grace' } },
  createOrgUser: {
    step: 'make',
    body: { email: 'example.author@meridian.example', name: 'Example author', role: 'AUTHOR' },
  },
  getOrgUser: { parameters: orgUser },
  updateOrgUser: changeOrgUser,
  updateOrgUserByPut: changeOrgUser,
  deleteOrgUser: { step: 'end', parameters: orgUser },

  listTenantUsers: { parameters: { tenantId: '<tenantId>', active: 'true' } },
  createTenantUser: {
    step: 'make',
    body: {
      id: 'example-user',
      tenantId: 'example-tenant',
      email: 'user@tenant.example',
      name: 'Example user',
      role: 'VIEWER',
    },
  },
  getTenantUser: { parameters: tenantUser },
  updateTenantUser: changeTenantUser,
  updateTenantUserByPut: changeTenantUser,
  deleteTenantUser: { step: 'end', parameters: tenantUser },
  batchTenantUsers: {
    body: {
      mode: 'each',
      operations: [
        { op: 'update', id: 'example-user', department: 'Logistics' },
        { op: 'delete', id: 'unknown-user' },
      ],
    },
  },

  listUnifiedUsers: { parameters: { ids: '<tenantUserId>' } },
  getUserContext: { parameters: { id: '<tenantUserId>' } },

  listGroups: { parameters: { includeMembers: 'true' } },
  createGroup: { step: 'make', body: { name: 'Example group', type: 'ORG_GROUP' } },
  getGroup: { parameters: group },
  updateGroup: changeGroup,
  updateGroupByPut: changeGroup,
  listGroupPermissions: { parameters: group },
  addGroupMembers: { parameters: group, body: { userIds: ['<orgUserId>', '<tenantUserId>'] } },
  listGroupMembers: { parameters: group },
  removeGroupMember: { parameters: { ...group, memberId: '<groupMemberId>' } },
  removeGroupMembers: { parameters: group, body: { userIds: ['<orgUserId>', '<tenantUserId>'] } },
  deleteGroup: { step: 'end', parameters: group },
} as const satisfies Readonly<Record<string, Example>>;
