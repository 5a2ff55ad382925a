import type { QuotaName } from '@gatehouse/contract';

/**
 * Every collection of every service: the quota that its documents count for, or a description of its bound. A
 * collection that is missing here fails the test, so that each new one has a documented bound.
 */
export const COLLECTIONS: Record<string, Record<string, readonly QuotaName[] | string>> = {
  access: {
    dashboards: ['dashboards'],
    visuals: ['visuals'],
    dashboardShareParts: 'the shares of dashboards, whose bytes are counted with their dashboards',
    visualShareParts: 'the shares of visuals, whose bytes are counted with their visuals',
    commitSettings: 'one for each project',
  },
  directory: {
    organizations: 'made by the operator alone',
    bootstrap: 'made by the operator alone',
    signingKeys: 'made by the operator and by rotation',
    projects: ['projects'],
    tenants: ['tenants'],
    orgUsers: ['org users'],
    tenantUsers: ['tenant users'],
    tenantUserMarks: 'one for each organization',
    groups: ['groups', 'group memberships'],
    groupMemberParts: 'the members of groups, who are counted with their groups',
    signInCodes: 'one for each request, for ten minutes; such requests are limited like those for tokens',
    sessions: 'at most fifty of a person, until they expire',
    identities: 'one for each person and issuer, from the first sign-in to the deletion of the person',
    logoutTokens: 'one for each that the provider has signed, until it expires after minutes',
    failedSignIns: 'events that are deleted once they are published; sign-ins are limited by the minute',
    revocations: 'one for each token, until it would have expired; tokens are limited by the minute',
    idempotency: 'kept for a day; the number of keys and the bytes of responses are limited',
  },
  semantics: {
    domains: ['domains'],
    datamodels: ['data models'],
    assistantProfiles: ['assistant profiles'],
    connections: ['connections'],
    catalogs: ['catalogs'],
  },
  policy: {
    definitions: ['policy definitions'],
    assignments: ['policy assignments'],
    tests: ['policy tests'],
    compilations: 'events that are deleted once they are published, where the operator has them recorded',
  },
  lifecycle: {
    repositories: 'one for each project',
    migrations: ['migrations'],
    migrationContents: 'counted with their migration; the others are deleted once it has ended',
  },
  audit: {
    webhooks: ['webhooks'],
    webhookDeliveries:
      'one for each event and webhook, kept for 30 days once it has ended, within QUOTA_STORAGE_BYTES',
    auditEvents: 'one for each change: the log is never shortened',
    auditHeads: 'one for each organization',
    historyResources: 'what was of records that are counted',
    historyUsers: 'what was of records that are counted',
    historyGroups: 'what was of records that are counted',
  },
};
