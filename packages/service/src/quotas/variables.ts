import { z } from 'zod';

const count = (value: number) => z.coerce.number().int().min(0).default(value);

/** The environment variables of the quotas. */
export const QUOTA_VARIABLES = {
  QUOTA_PROJECTS: { schema: count(1000), about: 'projects of an organization; 0 sets no limit' },
  QUOTA_TENANTS: { schema: count(100_000), about: 'tenants of an organization; 0 sets no limit' },
  QUOTA_TENANT_USERS: { schema: count(2_000_000), about: 'tenant users of an organization; 0 sets no limit' },
  QUOTA_ORG_USERS: { schema: count(100_000), about: 'org users of an organization; 0 sets no limit' },
  QUOTA_GROUPS: { schema: count(100_000), about: 'groups of an organization; 0 sets no limit' },
  QUOTA_GROUP_MEMBERSHIPS: {
    schema: count(5_000_000),
    about: 'memberships in all groups of an organization; 0 sets no limit',
  },
  QUOTA_DASHBOARDS: { schema: count(2_000_000), about: 'dashboards of an organization; 0 sets no limit' },
  QUOTA_VISUALS: { schema: count(2_000_000), about: 'visuals of an organization; 0 sets no limit' },
  QUOTA_DOMAINS: { schema: count(50_000), about: 'domains of an organization; 0 sets no limit' },
  QUOTA_DATA_MODELS: { schema: count(50_000), about: 'data models of an organization; 0 sets no limit' },
  QUOTA_CONNECTIONS: { schema: count(10_000), about: 'connections of an organization; 0 sets no limit' },
  QUOTA_CATALOGS: {
    schema: count(50_000),
    about: 'stored versions of catalogs of an organization; 0 sets no limit',
  },
  QUOTA_ASSISTANT_PROFILES: {
    schema: count(50_000),
    about: 'assistant profiles of an organization; 0 sets no limit',
  },
  QUOTA_DEFINITIONS: {
    schema: count(50_000),
    about: 'policy definitions of an organization; 0 sets no limit',
  },
  QUOTA_ASSIGNMENTS: {
    schema: count(2_000_000),
    about: 'policy assignments of an organization; 0 sets no limit',
  },
  QUOTA_POLICY_TESTS: { schema: count(50_000), about: 'policy tests of an organization; 0 sets no limit' },
  QUOTA_WEBHOOKS: { schema: count(100), about: 'webhooks of an organization; 0 sets no limit' },
  QUOTA_MIGRATIONS: {
    schema: count(200_000),
    about: 'migrations of an organization, including completed ones; 0 sets no limit',
  },
  QUOTA_STORAGE_BYTES: {
    schema: count(2_147_483_648),
    about: 'bytes of the records of one kind in an organization; 0 sets no limit',
  },
  QUOTA_REPOSITORY_BYTES: {
    schema: count(2_147_483_648),
    about: 'bytes of the git repositories of an organization; 0 sets no limit',
  },
  QUOTA_TENANT_PERCENT: {
    schema: z.coerce.number().int().min(0).max(100).default(25),
    about: 'percentage of these quotas that the users of one tenant may use; 0 sets no limit',
  },
} as const;
