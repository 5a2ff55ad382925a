import { ID_PREFIXES } from '@gatehouse/contract';

/** The kinds of record that may be named instead of given by their ids. */
export const NAME_KINDS = [
  'dashboard',
  'visual',
  'group',
  'tenant',
  'tenantUser',
  'orgUser',
  'person',
  'project',
  'domain',
  'connection',
  'datamodel',
  'assistantProfile',
  'definition',
  'webhook',
] as const;
export type NameKind = (typeof NAME_KINDS)[number];

const KIND_OF_NOUN: Readonly<Record<string, NameKind>> = {
  dashboards: 'dashboard',
  visuals: 'visual',
  groups: 'group',
  tenants: 'tenant',
  'tenant-users': 'tenantUser',
  'org-users': 'orgUser',
  'unified-users': 'person',
  projects: 'project',
  domains: 'domain',
  connections: 'connection',
  catalogs: 'connection',
  datamodels: 'datamodel',
  'assistant-profiles': 'assistantProfile',
  webhooks: 'webhook',
};

const KIND_OF_FIELD: Readonly<Record<string, NameKind>> = {
  dashboardId: 'dashboard',
  visualId: 'visual',
  groupId: 'group',
  tenantId: 'tenant',
  tenantUserId: 'tenantUser',
  endUserId: 'tenantUser',
  orgUserId: 'orgUser',
  userId: 'person',
  userIds: 'person',
  memberId: 'person',
  createdBy: 'person',
  actorId: 'person',
  defaultOwnerId: 'tenantUser',
  projectId: 'project',
  targetProjectId: 'project',
  domainId: 'domain',
  connectionId: 'connection',
  definitionId: 'definition',
};

/** The kind of record that a field refers to; undefined if it refers to none that has a name. */
export function nameKindOf(field: string, noun: string): NameKind | undefined {
  return field === 'id' ? KIND_OF_NOUN[noun] : KIND_OF_FIELD[field];
}

const PREFIXES: Readonly<Record<NameKind, readonly string[]>> = {
  dashboard: [ID_PREFIXES.dashboard],
  visual: [ID_PREFIXES.visual],
  group: [ID_PREFIXES.group],
  tenant: [ID_PREFIXES.tenant],
  tenantUser: [ID_PREFIXES.tenantUser],
  orgUser: [ID_PREFIXES.orgUser],
  person: [ID_PREFIXES.orgUser, ID_PREFIXES.tenantUser, ID_PREFIXES.groupMember],
  project: [ID_PREFIXES.project],
  domain: [ID_PREFIXES.domain],
  connection: [ID_PREFIXES.connection],
  datamodel: [ID_PREFIXES.datamodel],
  assistantProfile: [ID_PREFIXES.assistantProfile],
  definition: [ID_PREFIXES.policyDefinition],
  webhook: [ID_PREFIXES.webhook],
};

/** Whether a text is an id by its form: such a text is never looked up as a name. */
export function isId(kind: NameKind, text: string): boolean {
  return PREFIXES[kind].some((prefix) => text.startsWith(prefix));
}
