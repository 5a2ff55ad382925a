import type { EventData, OrgUser, TenantUser, UnifiedUser } from '@gatehouse/contract';
import {
  versionFieldsOf,
  type OrgUserDocument,
  type TenantUserDocument,
  type UserDocument,
} from '../records/documents.js';

// These functions copy field by field, so that no other stored field leaves the service.

function personOf({ id, email, name, role, department, isActive }: UserDocument) {
  return { id, email, name, role, department, isActive };
}

export function toOrgUser(user: OrgUserDocument, organizationName: string): OrgUser {
  const { organizationId } = user;
  const type = 'organization' as const;
  return { ...personOf(user), organizationId, organizationName, type, ...versionFieldsOf(user) };
}

export function toTenantUser(
  user: TenantUserDocument,
  tenantName: string,
  organizationName: string,
): TenantUser {
  const { tenantId } = user;
  const type = 'tenant' as const;
  return { ...personOf(user), tenantId, tenantName, organizationName, type, ...versionFieldsOf(user) };
}

/** A person in the unified list. `tenantName` is null for org users. */
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

type PersonState = Pick<UserDocument, '_id' | 'id' | 'email' | 'name' | 'role' | 'isActive'> & {
  tenantId?: string;
  tenantKey?: string;
};

/** The data of an org user or tenant user in events. */
export function userState(user: PersonState): EventData<'management.org_user.deleted.v1'> {
  const { id, _id: key, email, name, role, isActive, tenantId = null, tenantKey = null } = user;
  return { id, key, email, name, role, isActive, tenantId, tenantKey };
}
