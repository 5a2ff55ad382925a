import type { Dashboard } from '@gatehouse/contract';
import { createEvent, hashSecret, isSecretOf, newSecret, type CallContext } from '@gatehouse/service';
import { findLevel, requireLevel } from './accessLevels.js';
import { requireAsker } from './asker.js';
import { changeResource } from './changeResource.js';
import { originOfCall } from './resourceEvents.js';
import type { ResourceKinds } from './resourceKind.js';

type DashboardKind = ResourceKinds['dashboards'];

/** Gives a dashboard a new secret, answered this once; the former one ends. Throws NOT_FOUND, and FORBIDDEN below OWNER. */
export async function rotateSecret(
  kind: DashboardKind,
  { id }: { id: string },
  context: CallContext,
): Promise<Dashboard & { secret: string }> {
  const asker = requireAsker(context, kind.type, id);
  const secret = newSecret(context.operation);
  const after = await changeResource(kind, asker, {
    id,
    readsBody: true,
    async decide(header) {
      await requireLevel(kind, asker, { resource: header, wanted: 'OWNER' });
      const data = { id, title: header.title };
      const origin = originOfCall(context);
      const event = createEvent('management.dashboard_secret.rotated.v1', id, { origin, data });
      return { change: {}, secretHash: hashSecret(secret), events: [event] };
    },
  });
  return { ...kind.toRecord(after, await findLevel(kind, asker, after)), secret };
}

/** Which dashboard a secret opens; null, after the same work, when it is none or the secret is wrong. */
export async function authenticateDashboard(
  kind: DashboardKind,
  { dashboardId, dashboardSecret }: { dashboardId: string; dashboardSecret: string },
): Promise<{ id: string; projectId: string; organizationId: string } | null> {
  const holder = await kind.store.platform.findSecretHolder(dashboardId);
  if (!isSecretOf(dashboardSecret, holder?.secretHash) || holder === null) return null;
  return { id: holder._id, projectId: holder.projectId, organizationId: holder.organizationId };
}
