/** The kinds of record in a folder of configuration, in the order in which they depend on each other. */
export const KIND_NAMES = [
  'tenant',
  'orgUser',
  'tenantUser',
  'group',
  'connection',
  'domain',
  'datamodel',
  'assistantProfile',
  'visual',
  'dashboard',
  'policyDefinition',
  'policyAssignment',
  'policyTest',
  'webhook',
] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** What a reference may name: `person` is an org user or a tenant user. */
export type Target = KindName | 'person';

export interface Kind {
  /** The folder of its files. */
  folder: string;
  /** Its name in messages. */
  noun: string;
  /** Fields that name other records by their keys. */
  references: Readonly<Record<string, Target>>;
  /** Free JSON in which ids stand as markers. */
  contents: readonly string[];
  /** Fields that the API does not change after the creation. */
  fixed: readonly string[];
}

const NOTHING = { references: {}, contents: [], fixed: [] };

export const KINDS: Readonly<Record<KindName, Kind>> = {
  tenant: {
    ...NOTHING,
    folder: 'tenants',
    noun: 'tenant',
    references: { defaultOwner: 'tenantUser' },
    fixed: ['id'],
  },
  orgUser: { ...NOTHING, folder: 'org-users', noun: 'org user' },
  tenantUser: {
    ...NOTHING,
    folder: 'tenant-users',
    noun: 'tenant user',
    references: { tenant: 'tenant' },
    fixed: ['id', 'tenant'],
  },
  group: {
    ...NOTHING,
    folder: 'groups',
    noun: 'group',
    references: { tenant: 'tenant', members: 'person' },
    fixed: ['type', 'tenant'],
  },
  connection: { ...NOTHING, folder: 'connections', noun: 'connection', fixed: ['type'] },
  domain: { ...NOTHING, folder: 'domains', noun: 'domain', contents: ['template'] },
  datamodel: {
    ...NOTHING,
    folder: 'data-models',
    noun: 'data model',
    references: { connection: 'connection' },
    contents: ['template'],
  },
  assistantProfile: { ...NOTHING, folder: 'assistant-profiles', noun: 'assistant profile' },
  visual: {
    folder: 'visuals',
    noun: 'visual',
    references: { owner: 'person' },
    contents: ['frameObject'],
    fixed: ['owner'],
  },
  dashboard: {
    folder: 'dashboards',
    noun: 'dashboard',
    references: { owner: 'person' },
    contents: ['template'],
    fixed: ['owner'],
  },
  policyDefinition: {
    ...NOTHING,
    folder: 'policy-definitions',
    noun: 'policy definition',
    references: { connection: 'connection' },
    fixed: ['connection'],
  },
  policyAssignment: {
    ...NOTHING,
    folder: 'policy-assignments',
    noun: 'policy assignment',
    references: { definition: 'policyDefinition' },
    fixed: ['definition', 'actor'],
  },
  policyTest: {
    ...NOTHING,
    folder: 'policy-tests',
    noun: 'policy test',
    references: { definition: 'policyDefinition' },
    fixed: ['definition'],
  },
  webhook: { ...NOTHING, folder: 'webhooks', noun: 'webhook' },
};
