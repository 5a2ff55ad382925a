import { z } from 'zod';
import { AccessLevel, GroupType, Id, ResourceType, Timestamp, UserRole, UserType } from '../vocabulary.js';

const Versioned = { version: z.number().int(), createdAt: Timestamp, updatedAt: Timestamp };

export const Project = z.object({ id: Id, name: z.string(), organizationId: Id, ...Versioned });
export type Project = z.infer<typeof Project>;
/** A project in the response that creates its secret, which is shown only there. */
export const ProjectWithSecret = Project.extend({ secret: z.string() });
export type ProjectWithSecret = z.infer<typeof ProjectWithSecret>;

export const Tenant = z.object({
  id: Id,
  name: z.string(),
  organizationId: Id,
  /** A tenant user who inherits what deleted users of the tenant owned. */
  defaultOwnerId: Id.nullable(),
  ...Versioned,
});
export type Tenant = z.infer<typeof Tenant>;

export const OrgUser = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  role: UserRole,
  department: z.string(),
  isActive: z.boolean(),
  organizationId: Id,
  organizationName: z.string(),
  type: z.literal('organization'),
  ...Versioned,
});
export type OrgUser = z.infer<typeof OrgUser>;

export const TenantUser = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  role: UserRole,
  department: z.string(),
  isActive: z.boolean(),
  tenantId: Id,
  tenantName: z.string(),
  organizationName: z.string(),
  type: z.literal('tenant'),
  ...Versioned,
});
export type TenantUser = z.infer<typeof TenantUser>;

export const UnifiedUser = z.object({
  id: Id,
  type: UserType,
  email: z.string(),
  name: z.string(),
  role: UserRole,
  isActive: z.boolean(),
  tenantId: Id.nullable(),
  tenantName: z.string().nullable(),
  createdAt: Timestamp,
});
export type UnifiedUser = z.infer<typeof UnifiedUser>;

export const UserPermissions = z.object({
  canEdit: z.boolean(),
  canCreateDashboard: z.boolean(),
  canShare: z.boolean(),
  canShareWithTenants: z.boolean(),
  canShareWithOrgUsers: z.boolean(),
  canShareWithOtherTenants: z.boolean(),
  canManageGroups: z.boolean(),
  canManageUsers: z.boolean(),
  canManageSecurity: z.boolean(),
});
export type UserPermissions = z.infer<typeof UserPermissions>;

/** The permissions of a user's role, independent of any grant. */
export const UserContext = z.object({
  userId: Id,
  type: UserType,
  role: UserRole,
  permissions: UserPermissions,
});
export type UserContext = z.infer<typeof UserContext>;

/** The caller of the tenant-user list. A service identity has neither user, tenant nor role. */
export const CallerContext = z.object({
  type: z.enum(['organization', 'tenant', 'project']),
  userId: Id.nullable(),
  tenantId: Id.nullable(),
  organizationId: Id,
  role: UserRole.nullable(),
  isSuperAdmin: z.boolean(),
  permissions: UserPermissions.pick({
    canShareWithTenants: true,
    canShareWithOrgUsers: true,
    canShareWithOtherTenants: true,
  }),
});
export type CallerContext = z.infer<typeof CallerContext>;

export const GroupMember = z.object({
  /** The membership's id. */
  id: Id,
  userId: Id,
  userType: UserType,
  name: z.string(),
  email: z.string(),
  addedAt: Timestamp,
  addedBy: Id.nullable(),
});
export type GroupMember = z.infer<typeof GroupMember>;

export const Group = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  type: GroupType,
  organizationId: Id,
  tenantId: Id.nullable(),
  createdBy: Id.nullable(),
  memberCount: z.number().int(),
  permissions: z.object({ canEdit: z.boolean(), canDelete: z.boolean(), canManageMembers: z.boolean() }),
  members: z.array(GroupMember).optional(),
  ...Versioned,
});
export type Group = z.infer<typeof Group>;

/** One resource that is shared with a group. */
export const GroupPermission = z.object({
  shareId: Id,
  resourceType: ResourceType,
  resourceId: Id,
  title: z.string(),
  role: AccessLevel,
  grantedAt: Timestamp,
  expiresAt: Timestamp.nullable(),
});
export type GroupPermission = z.infer<typeof GroupPermission>;

/** The public half of a signing key, as RFC 8037 writes an Ed25519 key. */
export const PublicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});
export type PublicKey = z.infer<typeof PublicKey>;

/** The facts about a user that access is decided on. */
export const UserFacts = z.object({
  userId: Id,
  userKey: z.string(),
  type: UserType,
  name: z.string(),
  email: z.string(),
  role: UserRole,
  isActive: z.boolean(),
  tenantId: Id.nullable(),
  tenantKey: z.string().nullable(),
  groupIds: z.array(Id),
});
export type UserFacts = z.infer<typeof UserFacts>;
