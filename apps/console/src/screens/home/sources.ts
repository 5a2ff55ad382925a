import type { Webhook } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { useApi, type Api } from '../../data/api.js';
import { findExpiring, type ExpiringShare } from '../../logic/expiringShares.js';
import { openTables, type OpenTables } from '../../logic/openTables.js';
import { useSession } from '../../session/SessionContext.js';
import { REASONS } from '../webhooks/texts.js';

const DAY_MS = 86_400_000;
/** Until when the end of a share is near. */
export const SOON_DAYS = 14;
/** The limits of what the start page requests. */
const CONNECTIONS_MAX = 5;
const ACTORS_MAX = 50;
const ENTRIES_MAX = 500;
const NAMES_MAX = 8;
const WEBHOOKS_MAX = 10;
const RECENT = 12;
const STALE_MS = 60_000;

type Read<T> = (api: Api, signal: AbortSignal, projectId: string) => Promise<T>;

/** What a card shows, read once a minute at most. */
export function useCard<T>(name: string, read: Read<T>, isEnabled = true) {
  const api = useApi();
  const { project } = useSession();
  return useQuery({
    queryKey: ['records', project.id, 'home', name],
    queryFn: ({ signal }) => read(api, signal, project.id),
    staleTime: STALE_MS,
    refetchOnWindowFocus: false,
    enabled: isEnabled,
  });
}

/** The tables of a connection that users read whole. */
export interface OpenConnection extends OpenTables {
  connectionId: string;
  name: string;
  /** Whether it has no policy definition, so that all users read all rows. */
  isWithoutPolicy: boolean;
  /** Whether users without a policy read all rows, by the setting of the connection. */
  isOpenToOthers: boolean;
}

/** The coverage of the first connections; `orgUserId` is an actor for those without any assignment. */
export const readCoverage =
  (orgUserId: string): Read<{ connections: OpenConnection[]; isCut: boolean }> =>
  async (api, signal, projectId) => {
    const page = await api.listConnections({ limit: CONNECTIONS_MAX }, { signal });
    // Without a catalog, no table is known.
    const read = page.connections.filter(({ catalogVersion }) => catalogVersion !== null);
    const reads = read.map(async ({ id: connectionId, name, unassignedActors }) => {
      const input = { projectId, connectionId };
      const { data, nextCursor } = await api.getPolicyCoverage({ ...input, limit: ACTORS_MAX }, { signal });
      const hasMore = nextCursor !== null || data.omitted !== null;
      // Coverage lists only actors that have an assignment.
      const isAssigned = data.actors.length > 0 || hasMore;
      const own = isAssigned ? data : (await api.getPolicyCoverage({ ...input, orgUserId }, { signal })).data;
      const isWithoutPolicy = own.actors.some(({ isGoverned }) => !isGoverned) && !isAssigned;
      const isOpenToOthers = !isWithoutPolicy && unassignedActors === 'allow';
      const listed = isAssigned || isWithoutPolicy ? own.actors : [];
      const tables = openTables(listed, isWithoutPolicy);
      return { connectionId, name, ...tables, isWithoutPolicy, isOpenToOthers, hasMore };
    });
    const connections = await Promise.all(reads);
    return {
      connections,
      isCut: page.nextCursor !== null || connections.some(({ hasMore }) => hasMore),
    };
  };

/** A share with the title of its resource, if that may be read. */
export interface NamedShare extends ExpiringShare {
  title: string;
}

export const readExpiring: Read<{ shares: NamedShare[]; total: number; isCut: boolean }> = async (
  api,
  signal,
) => {
  const types = ['dashboard_share', 'visual_share'];
  const pages = await Promise.all(
    types.map((resourceType) => api.listAuditEvents({ resourceType, limit: ENTRIES_MAX }, { signal })),
  );
  const now = Date.now();
  const entries = pages.flatMap(({ auditEvents }) => auditEvents.filter(({ outcome }) => outcome === 'done'));
  const found = findExpiring(entries, now, now + SOON_DAYS * DAY_MS);
  const shares = await Promise.all(
    found.slice(0, NAMES_MAX).map(async (share) => ({ ...share, title: await titleOf(api, share, signal) })),
  );
  return { shares, total: found.length, isCut: pages.some(({ nextCursor }) => nextCursor !== null) };
};

async function titleOf(api: Api, { resourceId: id, resourceType }: ExpiringShare, signal: AbortSignal) {
  try {
    if (resourceType === 'visual')
      return (await api.getVisual({ id, fields: 'title' }, { signal })).visual.title;
    return (await api.getDashboard({ id, fields: 'title' }, { signal })).dashboard.title;
  } catch {
    // Of another project, or deleted since.
    return id;
  }
}

/** A webhook that needs attention, and why. */
export interface FailingWebhook {
  webhook: Webhook;
  reason: string;
}

export const readWebhooks: Read<{ failing: FailingWebhook[]; isCut: boolean }> = async (api, signal) => {
  const { webhooks } = await api.listWebhooks({}, { signal });
  const disabled = webhooks.flatMap((webhook) => {
    const { disabledReason } = webhook;
    const isFault = disabledReason !== null && disabledReason !== 'manual';
    return isFault ? [{ webhook, reason: REASONS[disabledReason] }] : [];
  });
  const enabled = webhooks.filter(({ isEnabled }) => isEnabled);
  const checks = enabled.slice(0, WEBHOOKS_MAX).map(async (webhook) => {
    const input = { id: webhook.id, status: 'failed' as const, limit: 1 };
    const { deliveries } = await api.listWebhookDeliveries(input, { signal });
    return deliveries.length > 0 ? [{ webhook, reason: 'Has failed deliveries' }] : [];
  });
  const failing = [...disabled, ...(await Promise.all(checks)).flat()];
  return { failing, isCut: enabled.length > WEBHOOKS_MAX };
};

/** A warning about the policies of a connection. */
export interface Conflict {
  message: string;
  definitionId: string | null;
}

export const readConflicts: Read<{ warnings: Conflict[]; isCut: boolean }> = async (
  api,
  signal,
  projectId,
) => {
  const input = { limit: CONNECTIONS_MAX };
  const { connections, nextCursor } = await api.listConnections(input, { signal });
  const reads = connections.map(({ id }) => api.lintPolicies({ projectId, connectionId: id }, { signal }));
  const warnings = (await Promise.all(reads)).flatMap(({ data }) => data.warnings);
  return { warnings, isCut: nextCursor !== null };
};

export const readRecent: Read<Awaited<ReturnType<Api['listAuditEvents']>>['auditEvents']> = async (
  api,
  signal,
) => (await api.listAuditEvents({ limit: RECENT }, { signal })).auditEvents;

export const readUpdated: Read<{ id: string; title: string; updatedAt: string }[]> = async (api, signal) =>
  (await api.listDashboards({ limit: RECENT, sort: 'updatedAt', order: 'desc' }, { signal })).dashboards;
