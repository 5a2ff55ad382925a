import type { ProcedurePath } from '../services/index.js';

/** The counted records of an organization's quotas, by the names that error messages use. */
export const QUOTA_NAMES = [
  'projects',
  'tenants',
  'tenant users',
  'org users',
  'groups',
  'group memberships',
  'dashboards',
  'visuals',
  'domains',
  'data models',
  'connections',
  'catalogs',
  'assistant profiles',
  'policy definitions',
  'policy assignments',
  'policy tests',
  'webhooks',
  'migrations',
] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/**
 * The records or bytes that each procedure may add. A route of such a procedure may return QUOTA_EXCEEDED.
 */
const GROWTH = {
  'access.dashboards.create': ['dashboards'],
  'access.dashboards.update': ['dashboards'],
  'access.dashboards.batch': ['dashboards'],
  'access.dashboardShares.batch': ['dashboards'],
  'access.visualShares.batch': ['visuals'],
  'access.dashboards.duplicate': ['dashboards'],
  'access.dashboardShares.grant': ['dashboards'],
  'access.visuals.create': ['visuals'],
  'access.visuals.update': ['visuals'],
  'access.visuals.duplicate': ['visuals'],
  'access.visualShares.grant': ['visuals'],
  'directory.groups.create': ['groups'],
  'directory.groups.addMembers': ['group memberships'],
  'directory.tenantUsers.create': ['tenant users'],
  'directory.tenantUsers.batch': ['tenant users'],
  'directory.tokens.issue': ['tenant users'],
  'directory.tokens.createSignInCode': ['tenant users'],
  'directory.tenants.create': ['tenants'],
  'directory.orgUsers.create': ['org users'],
  'directory.projects.create': ['projects'],
  'semantics.domains.create': ['domains'],
  'semantics.domains.putTemplate': ['domains'],
  'semantics.connections.create': ['connections', 'catalogs'],
  'semantics.connections.update': ['catalogs'],
  'semantics.connections.introspect': ['catalogs'],
  'semantics.datamodels.create': ['data models'],
  'semantics.datamodels.update': ['data models'],
  'semantics.assistantProfiles.create': ['assistant profiles'],
  'semantics.assistantProfiles.update': ['assistant profiles'],
  'policy.definitions.create': ['policy definitions'],
  'policy.definitions.update': ['policy definitions'],
  'policy.assignments.create': ['policy assignments'],
  'policy.assignments.update': ['policy assignments'],
  'policy.assignments.batch': ['policy assignments'],
  'policy.tests.create': ['policy tests'],
  'policy.tests.update': ['policy tests'],
  'lifecycle.migrations.migrate': ['migrations', 'dashboards', 'visuals', 'domains', 'data models'],
  'lifecycle.versionControl.restore': ['dashboards'],
  'audit.webhooks.create': ['webhooks'],
} as const satisfies Partial<Record<ProcedurePath, readonly QuotaName[]>>;

/** The quotas that a procedure may exceed; none if it adds nothing that is counted. */
export function quotasOf(procedure: ProcedurePath): readonly QuotaName[] {
  return (GROWTH as Partial<Record<ProcedurePath, readonly QuotaName[]>>)[procedure] ?? [];
}
