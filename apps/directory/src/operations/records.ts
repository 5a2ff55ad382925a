import type {
  Group,
  OrgUser,
  Project,
  Tenant,
  TenantUser,
  UnifiedUser,
  UserFacts,
  EventData,
} from '@gatehouse/contract';
import type {
  GroupDocument,
  OrgUserDocument,
  ProjectDocument,
  RecordDocument,
  TenantDocument,
  TenantUserDocument,
  UserDocument,
} from '../store/documents.js';

/** Stored documents as the records, facts and event data that leave the service: field by field, so that nothing slips out. */

function versionedOf({ version, createdAt, updatedAt }: RecordDocument) {
  return { version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function toProject(project: ProjectDocument): Project {
  const { _id: id, name, organizationId } = project;
  return { id, name, organizationId, ...versionedOf(project) };
}

export function toTenant(tenant: TenantDocument): Tenant {
  const { id, name, organizationId, defaultOwner } = tenant;
  return { id, name, organizationId, defaultOwnerId: defaultOwner?.id ?? null, ...versionedOf(tenant) };
}

function personOf({ id, email, name, role, department, isActive }: UserDocument) {
  return { id, email, name, role, department, isActive };
}

export function toOrgUser(user: OrgUserDocument, organizationName: string): OrgUser {
  const { organizationId } = user;
  const type = 'organization' as const;
  return { ...personOf(user), organizationId, organizationName, type, ...versionedOf(user) };
}

export function toTenantUser(
  user: TenantUserDocument,
  tenantName: string,
  organizationName: string,
): TenantUser {
  const { tenantId } = user;
  const type = 'tenant' as const;
  return { ...personOf(user), tenantId, tenantName, organizationName, type, ...versionedOf(user) };
}

/** A person in the list of all. `tenantName` is null for org users. */
export function toUnifiedUser(
  user: OrgUserDocument | TenantUserDocument,
  tenantName: string | null,
): UnifiedUser {
  const { id, email, name, role, isActive, createdAt } = user;
  const tenant =
    'tenantId' in user
      ? { type: 'tenant' as const, tenantId: user.tenantId }
      : { type: 'organization' as const, tenantId: null };
  return { id, ...tenant, email, name, role, isActive, tenantName, createdAt: createdAt.toISOString() };
}

export function toUserFacts(user: OrgUserDocument | TenantUserDocument, groupIds: string[]): UserFacts {
  const { id: userId, _id: userKey, name, email, role, isActive } = user;
  const tenant =
    'tenantKey' in user
      ? { type: 'tenant' as const, tenantId: user.tenantId, tenantKey: user.tenantKey }
      : { type: 'organization' as const, tenantId: null, tenantKey: null };
  return { userId, userKey, name, email, role, isActive, ...tenant, groupIds };
}

export function toGroup(group: GroupDocument, permissions: Group['permissions']): Group {
  const { _id: id, name, description, type, organizationId, tenantId, createdBy, memberCount } = group;
  const fields = { id, name, description, type, organizationId, tenantId, createdBy, memberCount };
  return { ...fields, permissions, ...versionedOf(group) };
}

export function tenantState(tenant: TenantDocument): EventData<'management.tenant.deleted.v1'> {
  const { id, _id: key, name, defaultOwner } = tenant;
  return { id, key, name, defaultOwnerId: defaultOwner?.id ?? null };
}

type PersonState = Pick<UserDocument, '_id' | 'id' | 'email' | 'name' | 'role' | 'isActive'> & {
  tenantId?: string;
  tenantKey?: string;
};

export function userState(user: PersonState): EventData<'management.org_user.deleted.v1'> {
  const { id, _id: key, email, name, role, isActive, tenantId = null, tenantKey = null } = user;
  return { id, key, email, name, role, isActive, tenantId, tenantKey };
}

export function groupState(group: GroupDocument) {
  const { _id: id, name, type, tenantId } = group;
  return { id, name, type, tenantId };
}
