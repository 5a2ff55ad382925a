import type { Exception } from './faults.js';

type Query = Omit<Exception, 'reason'>;

const within = (service: string, ...collections: string[]) => collections.map((name) => `${service}.${name}`);
const resources = within('access', 'dashboards', 'visuals');
const shareParts = within('access', 'dashboardShareParts', 'visualShareParts');
const find = (collections: readonly string[], ...by: string[]): Query => ({
  collections,
  command: 'find',
  by,
});

/** The queries without a shard key, by reason. docs/scaling.md has the same reasons. */
const QUERIES: Readonly<Record<string, readonly Query[]>> = {
  'The relay publishes the events of all organizations': [
    { command: 'find', by: ['outbox.time'] },
    { command: 'aggregate', by: ['outbox.time'] },
    { command: 'update', by: ['_id'], changes: ['outbox'] },
    { command: 'delete', by: ['_id', 'deletedAt', 'outbox'] },
  ],
  'Sweeps find expired records of all organizations': [
    find(resources, 'nextExpiryAt'),
    find([...shareParts, ...within('directory', 'groupMemberParts')], 'pendingAt'),
    { command: 'delete', by: ['outbox', 'undoneAt'] },
    ...['sessions', 'revocations', 'signInCodes'].map((name) => ({
      collections: within('directory', name),
      command: 'delete',
      by: [name === 'sessions' ? 'idleUntil' : 'expiresAt', 'outbox'],
    })),
    { collections: within('directory', 'idempotency', 'logoutTokens'), command: 'delete', by: ['expiresAt'] },
    { collections: within('audit', 'webhookDeliveries'), command: 'delete', by: ['endedAt'] },
    {
      collections: within('audit', 'webhooks'),
      command: 'update',
      by: ['formerSecrets.until'],
      changes: ['formerSecrets'],
    },
    find(within('semantics', 'catalogs'), 'after _id'),
    {
      collections: within('lifecycle', 'repositories'),
      command: 'distinct',
      by: ['isRemoved', 'nextPushAt'],
    },
    { collections: within('lifecycle', 'migrationContents'), command: 'distinct', by: ['createdAt', 'name'] },
  ],
  'The delivery worker takes the deliveries of all organizations in turn': [
    find(within('audit', 'webhookDeliveries'), 'nextAttemptAt', 'webhookId'),
    find(within('audit', 'webhookDeliveries'), 'leaseId'),
  ],
  'A secret, a cookie or a sign-in at a provider determines the organization': [
    find(within('directory', 'projects'), '_id', 'nameFolded'),
    find(resources.slice(0, 1), '_id', 'secretHash'),
    find(within('directory', 'sessions'), '_id', 'idleUntil'),
    {
      ...find(within('directory', 'sessions'), 'idleUntil', 'provider.issuer', 'provider.subject'),
      isRare: true,
    },
    {
      ...find(within('directory', 'sessions'), 'idleUntil', 'provider.issuer', 'provider.session'),
      isRare: true,
    },
  ],
  'The first start looks for an organization': [find(within('directory', 'organizations'))],
  'A sweep derives what filters find from the records of an earlier release': [
    find(resources, 'terms', 'titleFolded'),
    find(within('directory', 'tenantUsers', 'orgUsers', 'groups', 'tenants'), 'nameFolded', 'terms'),
  ],
  'A start folds the ids of records of an earlier release': [
    find(within('directory', 'tenants', 'orgUsers', 'tenantUsers'), 'id', 'idFolded'),
  ],
  'A quota counts the records of all projects of an organization': [
    { command: 'aggregate', by: ['organizationId'] },
    { collections: resources, command: 'aggregate', by: ['organizationId', 'tenantId'] },
    { collections: within('directory', 'idempotency'), command: 'aggregate', by: ['holder'] },
    { collections: within('directory', 'idempotency'), command: 'aggregate', by: ['holder', 'tenantId'] },
  ],
  'The deletion of a user, a group or a tenant ends its rights in all projects': [
    find(resources, 'organizationId', 'readers', 'shareParts', 'shares'),
    find(resources, 'after _id', 'organizationId', 'readers'),
    find(resources, '_id', 'organizationId', 'titleFolded'),
    find(shareParts, 'organizationId', 'subjects'),
    find(within('policy', 'assignments'), 'actorKey', 'organizationId', 'version'),
  ],
};

export const EXCEPTIONS: readonly Exception[] = Object.entries(QUERIES).flatMap(([reason, queries]) =>
  queries.map((query) => ({ ...query, reason })),
);
