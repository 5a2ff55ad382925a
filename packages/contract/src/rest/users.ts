import { BATCH_ERRORS, defineRoute, defineUpdates } from './define.js';

const BASE = '/api/management/v1';
const changesPrincipals = true;
const CONFLICT = ['CONFLICT'] as const;

const orgUsers = `${BASE}/org-users`;
export const orgUserRoutes = [
  defineRoute(['GET', orgUsers], {
    operationId: 'listOrgUsers',
    summary: 'List the users of the organization itself',
    tag: 'Users',
    procedure: 'directory.orgUsers.list',
  }),
  defineRoute(
    ['POST', orgUsers],
    {
      operationId: 'createOrgUser',
      summary: 'Create an org user',
      tag: 'Users',
      procedure: 'directory.orgUsers.create',
    },
    { success: 201, record: 'user', errors: CONFLICT },
  ),
  defineRoute(
    ['GET', `${orgUsers}/{id}`],
    {
      operationId: 'getOrgUser',
      summary: 'Read an org user',
      tag: 'Users',
      procedure: 'directory.orgUsers.get',
    },
    { record: 'user' },
  ),
  ...defineUpdates(
    `${orgUsers}/{id}`,
    {
      operationId: 'updateOrgUser',
      summary: 'Change an org user; the organization keeps at least one active ADMIN',
      tag: 'Users',
      procedure: 'directory.orgUsers.update',
    },
    { record: 'user', errors: CONFLICT, changesPrincipals },
  ),
  defineRoute(
    ['DELETE', `${orgUsers}/{id}`],
    {
      operationId: 'deleteOrgUser',
      summary: 'Delete an org user; the last active ADMIN stays',
      tag: 'Users',
      procedure: 'directory.orgUsers.delete',
    },
    { record: 'deletedUser', errors: CONFLICT, changesPrincipals },
  ),
];

const tenantUsers = `${BASE}/tenant-users`;
const area = 'tenantUsers' as const;
export const tenantUserRoutes = [
  defineRoute(
    ['GET', tenantUsers],
    {
      operationId: 'listTenantUsers',
      summary: 'List tenant users across the organization',
      tag: 'Users',
      procedure: 'directory.tenantUsers.list',
    },
    { area },
  ),
  defineRoute(
    ['POST', tenantUsers],
    {
      operationId: 'createTenantUser',
      summary: 'Create a tenant user',
      tag: 'Users',
      procedure: 'directory.tenantUsers.create',
    },
    { area, success: 201, record: 'user', errors: CONFLICT },
  ),
  defineRoute(
    ['GET', `${tenantUsers}/{id}`],
    {
      operationId: 'getTenantUser',
      summary: 'Read a tenant user',
      tag: 'Users',
      procedure: 'directory.tenantUsers.get',
    },
    { area, record: 'user' },
  ),
  ...defineUpdates(
    `${tenantUsers}/{id}`,
    {
      operationId: 'updateTenantUser',
      summary: 'Change a tenant user',
      tag: 'Users',
      procedure: 'directory.tenantUsers.update',
    },
    { area, record: 'user', errors: CONFLICT, changesPrincipals },
  ),
  defineRoute(
    ['DELETE', `${tenantUsers}/{id}`],
    {
      operationId: 'deleteTenantUser',
      summary: "Delete a tenant user who is not its tenant's default owner",
      tag: 'Users',
      procedure: 'directory.tenantUsers.delete',
    },
    { area, record: 'deletedUser', errors: CONFLICT, changesPrincipals },
  ),
  defineRoute(
    ['POST', `${tenantUsers}:batch`],
    {
      operationId: 'batchTenantUsers',
      summary: 'Create, update and delete up to 500 tenant users',
      tag: 'Users',
      procedure: 'directory.tenantUsers.batch',
    },
    { area, lane: 'long', errors: BATCH_ERRORS, changesPrincipals },
  ),
];

const unifiedUsers = `${BASE}/unified-users`;
export const unifiedUserRoutes = [
  defineRoute(['GET', unifiedUsers], {
    operationId: 'listUnifiedUsers',
    summary: 'List org users and tenant users together',
    tag: 'Users',
    procedure: 'directory.unifiedUsers.list',
  }),
  defineRoute(['GET', `${unifiedUsers}/{id}`], {
    operationId: 'getUserContext',
    summary: "Read a user's role and what it permits",
    tag: 'Users',
    procedure: 'directory.unifiedUsers.get',
  }),
];

const groups = `${BASE}/groups`;
const group = `${groups}/{id}`;
export const groupRoutes = [
  defineRoute(['GET', groups], {
    operationId: 'listGroups',
    summary: 'List groups',
    tag: 'Groups',
    procedure: 'directory.groups.list',
  }),
  defineRoute(
    ['POST', groups],
    {
      operationId: 'createGroup',
      summary: 'Create a group',
      tag: 'Groups',
      procedure: 'directory.groups.create',
    },
    { success: 201, record: 'group', errors: CONFLICT },
  ),
  defineRoute(
    ['GET', group],
    { operationId: 'getGroup', summary: 'Read a group', tag: 'Groups', procedure: 'directory.groups.get' },
    { record: 'group' },
  ),
  ...defineUpdates(
    group,
    {
      operationId: 'updateGroup',
      summary: 'Change a group',
      tag: 'Groups',
      procedure: 'directory.groups.update',
    },
    { record: 'group', errors: CONFLICT },
  ),
  defineRoute(
    ['DELETE', group],
    {
      operationId: 'deleteGroup',
      summary: 'Delete a group that nothing is shared with',
      tag: 'Groups',
      procedure: 'directory.groups.delete',
    },
    { record: 'deletedGroup', errors: CONFLICT, changesPrincipals },
  ),
  defineRoute(['GET', `${group}/permissions`], {
    operationId: 'listGroupPermissions',
    summary: 'List what is shared with a group',
    tag: 'Groups',
    procedure: 'access.groups.permissions',
  }),
  defineRoute(['GET', `${group}/members`], {
    operationId: 'listGroupMembers',
    summary: 'List the members of a group',
    tag: 'Groups',
    procedure: 'directory.groups.members',
  }),
  defineRoute(
    ['POST', `${group}/members`],
    {
      operationId: 'addGroupMembers',
      summary: 'Add users to a group: all of them or none',
      tag: 'Groups',
      procedure: 'directory.groups.addMembers',
    },
    { changesPrincipals },
  ),
  defineRoute(
    ['DELETE', `${group}/members`],
    {
      operationId: 'removeGroupMembers',
      summary: 'Remove users from a group',
      tag: 'Groups',
      procedure: 'directory.groups.removeMembers',
    },
    { body: ['userIds'], changesPrincipals },
  ),
  defineRoute(
    ['DELETE', `${group}/members/{memberId}`],
    {
      operationId: 'removeGroupMember',
      summary: 'Remove one member, by membership id or user id',
      tag: 'Groups',
      procedure: 'directory.groups.removeMember',
    },
    { changesPrincipals },
  ),
];
