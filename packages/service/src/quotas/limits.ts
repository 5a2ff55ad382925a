import type { QuotaName } from '@gatehouse/contract';
import type { Config } from '../config.js';

/** The variable that limits each quota. */
const VARIABLES = {
  projects: 'QUOTA_PROJECTS',
  tenants: 'QUOTA_TENANTS',
  'tenant users': 'QUOTA_TENANT_USERS',
  'org users': 'QUOTA_ORG_USERS',
  groups: 'QUOTA_GROUPS',
  'group memberships': 'QUOTA_GROUP_MEMBERSHIPS',
  dashboards: 'QUOTA_DASHBOARDS',
  visuals: 'QUOTA_VISUALS',
  domains: 'QUOTA_DOMAINS',
  'data models': 'QUOTA_DATA_MODELS',
  connections: 'QUOTA_CONNECTIONS',
  catalogs: 'QUOTA_CATALOGS',
  'assistant profiles': 'QUOTA_ASSISTANT_PROFILES',
  'policy definitions': 'QUOTA_DEFINITIONS',
  'policy assignments': 'QUOTA_ASSIGNMENTS',
  'policy tests': 'QUOTA_POLICY_TESTS',
  webhooks: 'QUOTA_WEBHOOKS',
  migrations: 'QUOTA_MIGRATIONS',
} as const satisfies Record<QuotaName, keyof Config>;

/** The limits of an organization for one kind of record. 0 sets no limit. */
export interface QuotaLimits {
  records: number;
  bytes: number;
  /** The percentage of both limits that one tenant may use. */
  tenantPercent: number;
}
export type LimitsOf = (name: QuotaName) => QuotaLimits;

type QuotaConfig = Pick<
  Config,
  (typeof VARIABLES)[QuotaName] | 'QUOTA_STORAGE_BYTES' | 'QUOTA_TENANT_PERCENT'
>;

/** The limits of each kind in the environment. */
export function readQuotas(config: QuotaConfig): LimitsOf {
  return (name) => ({
    records: config[VARIABLES[name]],
    bytes: config.QUOTA_STORAGE_BYTES,
    tenantPercent: config.QUOTA_TENANT_PERCENT,
  });
}
