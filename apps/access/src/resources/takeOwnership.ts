import { access, type PersonPrincipal } from '@gatehouse/contract';
import { originOf, type CallContext } from '@gatehouse/service';
import { findLevel, requireAdmin, requireUser } from '../decisions/authorizeCaller.js';
import { changeResource } from './changeResource.js';
import { takenOverEvent } from './events.js';
import type { ResourceHeader, ResourceKind } from './kind.js';

/** The fields of a resource that name its owner. */
export type Ownership = Pick<
  ResourceHeader,
  'ownerId' | 'ownerKey' | 'ownerType' | 'ownerTenantKey' | 'tenantId'
>;

/** Returns the ownership fields of a resource that this user owns. */
export function ownershipOf(principal: PersonPrincipal): Ownership {
  const owner = { ownerId: principal.userId, ownerKey: principal.userKey };
  if (principal.kind === 'orgUser') {
    return { ...owner, ownerType: 'organization', ownerTenantKey: null, tenantId: null };
  }
  return { ...owner, ownerType: 'tenant', ownerTenantKey: principal.tenantKey, tenantId: principal.tenantId };
}

/**
 * Makes the calling ADMIN the owner of any resource of the project. A resource that the caller already owns
 * stays unchanged. Throws FORBIDDEN for any other caller, and NOT_FOUND.
 */
export async function takeOwnership<Full>(
  kind: ResourceKind<unknown, Full>,
  { id }: { id: string },
  context: CallContext,
): Promise<Full> {
  const requester = requireUser(context);
  requireAdmin(requester);
  const { principal, now } = requester;
  const after = await changeResource(kind, requester, {
    id,
    readsBody: true,
    needed: requester,
    async decide(header) {
      if (header.ownerKey === principal.userKey) return null;
      const { ownerTenantKey, secretTenantKey = ownerTenantKey } = header;
      const changed = { ...ownershipOf(principal), version: header.version + 1, updatedAt: now };
      // The former owner still has the secret.
      const change = kind.type === 'dashboard' ? { ...changed, secretTenantKey } : changed;
      const resource = { ...header, ...change };
      const event = takenOverEvent(kind, header.ownerId, {
        resource,
        origin: originOf(access.name, context),
      });
      return { change, events: [event] };
    },
  });
  return kind.toRecord(after, await findLevel(kind, requester, after));
}
