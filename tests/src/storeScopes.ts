/** How the stores keep the documents of a collection apart. */
export type StoreScope =
  /** The field that every filter of its stores contains. `_id`: a scope has one document. */
  | { scope: string }
  /** Why no scope separates them. */
  | { platform: string };

const ofProject = { scope: 'projectId' };
const ofOrganization = { scope: 'organizationId' };
const ofItself = { scope: '_id' };

/** Every collection of every service. A collection of the platform that is missing here fails the test. */
export const STORE_SCOPES: Readonly<Record<string, Readonly<Record<string, StoreScope>>>> = {
  access: {
    dashboards: ofProject,
    visuals: ofProject,
    dashboardShareParts: ofProject,
    visualShareParts: ofProject,
    commitSettings: ofItself,
  },
  directory: {
    organizations: ofItself,
    bootstrap: { platform: 'names the first organization, before any caller exists' },
    signingKeys: { platform: 'the keys sign the tokens of all organizations' },
    projects: ofOrganization,
    tenants: ofOrganization,
    orgUsers: ofOrganization,
    tenantUsers: ofOrganization,
    tenantUserMarks: ofItself,
    groups: ofOrganization,
    groupMemberParts: ofOrganization,
    revocations: ofOrganization,
    signInCodes: ofOrganization,
    sessions: ofOrganization,
    identities: ofOrganization,
    logoutTokens: { platform: 'a provider ends its sessions in all organizations' },
    failedSignIns: ofOrganization,
    idempotency: ofItself,
  },
  semantics: {
    domains: ofProject,
    datamodels: ofProject,
    assistantProfiles: ofProject,
    connections: ofProject,
    catalogs: ofProject,
  },
  policy: { definitions: ofProject, assignments: ofProject, tests: ofProject, compilations: ofProject },
  lifecycle: {
    repositories: ofOrganization,
    migrations: ofOrganization,
    migrationContents: { scope: 'contentsKey' },
  },
  audit: {
    webhooks: ofOrganization,
    webhookDeliveries: ofOrganization,
    auditEvents: ofOrganization,
    auditHeads: ofItself,
    historyResources: ofOrganization,
    historyUsers: ofOrganization,
    historyGroups: ofOrganization,
  },
};
