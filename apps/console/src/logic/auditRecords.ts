import type { AuditEvent } from '@gatehouse/contract';

/** The addresses of records by the kind of resource in the audit log, before the id. */
const PATHS: Readonly<Record<string, string>> = {
  dashboard: '/dashboards',
  dashboard_share: '/dashboards',
  dashboard_secret: '/dashboards',
  visual: '/visuals',
  visual_share: '/visuals',
  org_user: '/people/organization',
  tenant_user: '/people/tenant',
  tenant: '/tenants',
  group: '/groups',
  group_member: '/groups',
  connection: '/connections',
  connection_catalog: '/connections',
  domain: '/domains',
  domain_template: '/domains',
  datamodel: '/datamodels',
  assistant_profile: '/assistants',
  policy_definition: '/policies/definitions',
  policy_assignment: '/policies/assignments',
  project: '/projects',
  project_secret: '/projects',
  migration: '/migrations',
  webhook: '/webhooks',
  webhook_secret: '/webhooks',
};

/** The address of the record of an entry; null if it has none, such as after its deletion. */
export function recordPath({
  type,
  resourceType,
  resourceId,
}: Pick<AuditEvent, 'type' | 'resourceType' | 'resourceId'>): string | null {
  const path = Object.hasOwn(PATHS, resourceType) ? PATHS[resourceType] : undefined;
  if (path === undefined || resourceId === null || type.split('.')[2] === 'deleted') return null;
  return `${path}/${encodeURIComponent(resourceId)}`;
}

/** The name that an entry records for its resource. */
export function recordName(data: AuditEvent['data']): string | undefined {
  const name = data['title'] ?? data['name'];
  return typeof name === 'string' ? name : undefined;
}

/** A field that changed; both values are null if they are too large to be recorded. */
export interface RecordedChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** The fields that an entry records as changed, with both values. */
export function recordedChanges(data: AuditEvent['data']): RecordedChange[] {
  const { changes } = data;
  if (typeof changes !== 'object' || changes === null) return [];
  return Object.entries(changes).map(([field, change]) => ({
    field,
    from: null,
    to: null,
    ...(change as object),
  }));
}
