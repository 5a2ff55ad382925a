import type { FieldTexts } from './texts.js';

/** The fields of a share that name its target. */
export const shareTarget = {
  scope: 'The kind of target; it determines which id is required',
  tenantUserId: 'The tenant user; required for the scope `specific_tenant_user` and only allowed for it',
  tenantId: 'The tenant; required for the scope `all_tenant_users` and only allowed for it',
  orgUserId: 'The org user; required for the scope `specific_org_user` and only allowed for it',
  groupId: 'The group; required for the scope `group` and only allowed for it',
};

const AT = 'A moment in the past, whose state is derived from recorded events, as ISO 8601';

const TOTAL = {
  total: 'The number of items on all pages, exact up to 10,000; present with `includeTotal`',
};

/** Dashboards, visuals, shares and decisions on access. */
export const resourceFields: FieldTexts = {
  '*': {
    access: 'The effective access of the user, and every grant that contributes to it',
    accessLevel: 'The effective level of the caller; null only if an ADMIN lists a record without access',
    isPrivate:
      'Whether only the owner and shares grant access; if false, every user of the same organization or ' +
      'tenant as the owner may view the {noun}',
    isDataApp: 'Whether the dashboard is a Data App, which cannot be migrated',
    tags: 'The tags of the {noun}, at most 50',
    ownerId: 'The id of the user who owns the {noun}',
    ownerType: 'Whether the owner is an org user or a tenant user',
    frameObject: 'The content of the visual as a JSON object; null if it has none',
    commitMessage: 'The message of the commit; required if the project commits every save',
    shares: 'The shares; all of them are granted, or none',
    removed: 'The shares that were revoked',
    deletedDashboard: 'The dashboard that was deleted',
    deletedVisual: 'The visual that was deleted',
    viewers: 'The users on this page who have access',
    isReadable: 'Whether the caller may read the record',
    includeTotal: 'Whether the response contains `total`, which takes longer for large lists',
    tag: 'Only records with this tag',
    level: 'The level that the grant gives',
    wins: 'Whether this grant determines the effective level',
    ceiling: 'The highest level that the role of the user permits',
    grants: 'Every grant of the user, the effective one first',
    at: 'The moment in the past; absent for the present',
    basedOn:
      'The recorded events behind a response about the past; absent for the present and for tenant users',
    resource: 'The last recorded event of the dashboard or visual',
    recordedUntil: 'The time of the newest recorded event of the organization, as ISO 8601 in UTC',
    sequence: 'The place of the event among all events of its record',
    missing: 'The number of earlier events that are not recorded yet, so that they are not included',
    owner: 'The owner; null if the owner is not visible to the caller',
    specificTenantUsers: 'The shares with single tenant users',
    tenantWide: 'The shares with all users of a tenant',
    specificOrgUsers: 'The shares with single org users',
    orgWide: 'The shares with all users of the organization and of its tenants',
    orgUsersOnly: 'The shares with all org users',
    allTenantsOnly: 'The shares with all users of all tenants',
    specificGroups: 'The shares with groups',
    grantedAt: 'When the share was granted, as ISO 8601 in UTC',
    grantedBy: 'The id of the user who granted the share; present from the level CONTRIBUTOR up',
    expiresAt: 'When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end',
    resourceId: 'The id of the dashboard or visual',
    resourceType: 'Whether the record is a dashboard or a visual',
    path: 'The way in which the access was granted',
  },
  Dashboard: { tenantId: 'The tenant of an owner who is a tenant user; null for an org user' },
  DashboardSummary: { tenantId: 'The tenant of an owner who is a tenant user; null for an org user' },
  DashboardWithSecret: {
    tenantId: 'The tenant of an owner who is a tenant user; null for an org user',
    secret: 'The secret of the dashboard; only this response contains it, so store it now',
  },
  Visual: { tenantId: 'The tenant of an owner who is a tenant user; null for an org user' },
  VisualSummary: { tenantId: 'The tenant of an owner who is a tenant user; null for an org user' },
  CreateDashboardRequest: {
    template: 'The content of the dashboard as a JSON object, at most 1 MiB; null for none',
  },
  UpdateDashboardRequest: { template: 'The content of the dashboard as a JSON object; null removes it' },
  CreateVisualRequest: {
    frameObject: 'The content of the visual as a JSON object, at most 1 MiB; null for none',
  },
  UpdateVisualRequest: { frameObject: 'The content of the visual as a JSON object; null removes it' },
  DuplicateDashboardRequest: {
    title: 'The title of the copy; by default that of the original with ` (Copy)`',
  },
  DuplicateVisualRequest: { title: 'The title of the copy; by default that of the original with ` (Copy)`' },
  GrantEntry: {
    ...shareTarget,
    role: 'The level to grant, capped by the role of each user',
    expiresAt: 'When the share ends, as ISO 8601 with an offset or `Z`; null or absent if it does not end',
  },
  RevokeEntry: {
    ...shareTarget,
    role: 'Accepted and ignored, so that the entry of a grant can be sent again',
    expiresAt: 'Accepted and ignored, also null, so that the entry of a grant can be sent again',
  },
  RevokeDashboardSharesRequest: { shares: 'The shares to revoke, by scope and target' },
  RevokeVisualSharesRequest: { shares: 'The shares to revoke, by scope and target' },
  ShareRecord: {
    scope: 'The kind of target',
    role: 'The level that the share grants',
    tenantUserId: 'The tenant user; present for the scope `specific_tenant_user`',
    tenantId: 'The tenant; present for the scope `all_tenant_users`',
    orgUserId: 'The org user; present for the scope `specific_org_user`',
    groupId: 'The group; present for the scope `group`',
  },
  ShareListEntry: {
    type: 'Whether a dashboard or a visual is shared',
    scope: 'The kind of target',
    role: 'The level that the share grants',
    target: 'The target of the share; null for the scopes without one',
  },
  ShareTarget: {
    id: 'The id of the user, tenant or group',
    name: 'The name of the user, tenant or group',
    email: 'The email address of a user; absent for a tenant and a group',
  },
  ShareListOwner: {
    id: 'The id of the owner',
    name: 'The name of the owner',
    email: 'The email address of the owner',
    type: 'Whether the owner is an org user or a tenant user',
  },
  AccessExplanation: {
    accessLevel: 'The effective level of the user; null if the user has no access',
    role: 'The role of the user in the organization',
  },
  AccessExplanationBasedOn: { user: 'The last recorded event of the user' },
  AccessGrant: {
    shareId: 'The id of the share; absent for a grant without one',
    scope: 'The scope of the share; absent for a grant without one',
    groupId: 'The group through which the user has the grant; absent without one',
    dashboardId: 'The dashboard whose link to the visual is the grant; absent without one',
  },
  CheckResultDecided: {
    isAllowed: 'Whether the user has at least the level of the question',
    accessLevel: 'The effective level of the user; null for no access',
    access: 'The explanation of the level; only if `reasons` is true',
  },
  CheckResultRejected: {
    code: 'The code of the error that the explanation of this access returns to the caller',
  },
  CheckAccessRequest: {
    checks: 'The questions, each answered at the same position of `results`',
    at: AT,
    reasons: 'Whether each decision contains the grants that lead to it',
  },
  AccessCheck: {
    resourceId: 'The id of the dashboard or visual',
    userId: 'The user whose access is decided; by default the caller',
    level: 'The level that the user needs',
  },
  CheckAccessResponse: { results: 'The answers, in the order of the questions' },
  ReachedResource: { type: 'The kind of resource', accessLevel: 'The effective level of the user' },
  ListAccessRequest: {
    at: AT,
    userId: 'The user whose resources are listed; by default the caller',
    level: 'The lowest level of the listed resources',
  },
  ListAccessResponse: {
    resources: 'The resources that the user can open, the newest first; those of the past by id',
  },
  ListAccessSubjectsRequest: {
    at: AT,
    resourceId: 'The id of the dashboard or visual',
    level: 'The lowest level of the listed users',
  },
  ListAccessSubjectsResponse: {
    resourceId: 'The id of the dashboard or visual',
    subjects:
      'The users who can open the resource, org users first, each kind by id; those of the past by id',
  },
  LastEvent: { time: 'When the event happened, as ISO 8601 in UTC' },
  Viewer: {
    type: 'Whether the user belongs to the organization itself or to a tenant',
    id: 'The id of the user',
    name: 'The name of the user',
    email: 'The email address of the user',
    accessLevel: 'The effective level of the user',
  },
  ListDashboardsRequest: {
    isPrivate: 'Only dashboards that are private, or only those that are not',
    createdBy: 'Only dashboards that this user created',
    tenantId: 'Only dashboards whose owner belongs to this tenant',
    scope: '`organization` lists everything in the project, with or without access to it; ADMIN only',
    order: 'The direction of the order; by default `asc` for `title` and `desc` for the times',
  },
  ListVisualsRequest: {
    isPrivate: 'Only visuals that are private, or only those that are not',
    createdBy: 'Only visuals that this user created',
    tenantId: 'Only visuals whose owner belongs to this tenant',
    scope: '`organization` lists everything in the project, with or without access to it; ADMIN only',
    order: 'The direction of the order; by default `asc` for `title` and `desc` for the times',
  },
  ListDashboardSharesRequest: {
    scope: '`organization` lists those of any dashboard in the project, with or without access; ADMIN only',
  },
  ListVisualSharesRequest: {
    scope: '`organization` lists those of any visual in the project, with or without access; ADMIN only',
  },
  ListDashboardsResponse: TOTAL,
  ListVisualsResponse: TOTAL,
  ExplainDashboardAccessRequest: {
    userId: 'The user whose access is explained; by default the caller',
    at: AT,
  },
  ExplainVisualAccessRequest: {
    userId: 'The user whose access is explained; by default the caller',
    at: AT,
  },
};
