import type { PersonPrincipal } from '@gatehouse/contract';
import type { ResourceHeader } from '../store/resourceDocument.js';

type Ownership = Pick<ResourceHeader, 'ownerId' | 'ownerKey' | 'ownerType' | 'ownerTenantKey' | 'tenantId'>;

/** The fields of a resource that this person owns. */
export function ownershipOf(principal: PersonPrincipal): Ownership {
  const owner = { ownerId: principal.userId, ownerKey: principal.userKey };
  if (principal.kind === 'orgUser') {
    return { ...owner, ownerType: 'organization', ownerTenantKey: null, tenantId: null };
  }
  return { ...owner, ownerType: 'tenant', ownerTenantKey: principal.tenantKey, tenantId: principal.tenantId };
}
