import { access, type Dashboard, type SemanticDomainAccess } from '@gatehouse/contract';
import {
  createEvent,
  hashSecret,
  isSecretOf,
  newSecret,
  originOf,
  withRepeatable,
  type CallContext,
} from '@gatehouse/service';
import { findLevel, requireLevel, requireRequester } from '../decisions/authorizeCaller.js';
import { changeResource } from './changeResource.js';
import { secretLimitsOf } from './createResource.js';
import type { ResourceKinds } from './kind.js';

type DashboardKind = ResourceKinds['dashboards'];

/**
 * Replaces the secret of a dashboard. Only this response contains the new one. Throws NOT_FOUND, and
 * FORBIDDEN below OWNER.
 */
export async function rotateSecret(
  kind: DashboardKind,
  { id }: { id: string },
  context: CallContext,
): Promise<Dashboard & { secret: string }> {
  const requester = requireRequester(context, kind.type, id);
  const secret = newSecret(context.operation);
  const secretHash = hashSecret(secret);
  const after = await changeResource(kind, requester, {
    id,
    readsBody: true,
    needed: requester,
    async decide(header) {
      await requireLevel(kind, requester, { resource: header, wanted: 'OWNER' });
      const { repeatableHashes } = header;
      // An earlier run of this operation has set the secret, which may have been replaced since.
      if (repeatableHashes?.includes(secretHash)) return null;
      const change = context.operation && {
        repeatableHashes: withRepeatable(repeatableHashes, secretHash),
      };
      const data = { id, title: header.title };
      const origin = originOf(access.name, context);
      const event = createEvent('management.dashboard_secret.rotated.v1', id, { origin, data });
      const secretTenantKey = requester.user?.tenantKey ?? null;
      const limits = secretLimitsOf(context.principal);
      return { change: { ...change, secretTenantKey, ...limits }, secretHash, events: [event] };
    },
  });
  return { ...kind.toRecord(after, await findLevel(kind, requester, after)), secret };
}

/** A dashboard whose secret was presented. */
interface AuthenticatedDashboard {
  id: string;
  projectId: string;
  organizationId: string;
  /** The tenant as whose users its tokens may act; null for every user of the organization. */
  tenantKey: string | null;
  /** The semantic domains that its tokens see; undefined for all. */
  domainAccess: SemanticDomainAccess | undefined;
}

/**
 * Returns the dashboard of a valid secret. Returns null after the same work for an unknown dashboard or a
 * wrong secret.
 */
export async function authenticateDashboard(
  kind: DashboardKind,
  { dashboardId, dashboardSecret }: { dashboardId: string; dashboardSecret: string },
): Promise<AuthenticatedDashboard | null> {
  const holder = await kind.store.platform.findSecretHolder(dashboardId);
  if (!isSecretOf(dashboardSecret, holder?.secretHash) || holder === null) return null;
  const { _id: id, projectId, organizationId, secretTenantKey: tenantKey = holder.ownerTenantKey } = holder;
  const domainAccess = holder.secretDomainAccess ?? undefined;
  return { id, projectId, organizationId, tenantKey, domainAccess };
}
