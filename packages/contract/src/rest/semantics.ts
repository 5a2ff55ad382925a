import { defineRoute, defineUpdates } from './define.js';
import { TEMPLATE_BODY_LIMIT_BYTES } from './route.js';

const tag = 'Semantic domains';
const domainArea = { area: 'domains' } as const;

const domains = '/api/v1/domains';
const domain = `${domains}/{domainId}`;
const managedDomains = '/api/management/v1/domains';
const managedDomain = `${managedDomains}/{domainId}`;

const listDomains = {
  summary: 'List the semantic domains of the project that the token may access',
  tag,
  procedure: 'semantics.domains.list',
} as const;
const createDomain = {
  summary: 'Create a semantic domain',
  tag,
  procedure: 'semantics.domains.create',
} as const;
const getDomain = { summary: 'Read a semantic domain', tag, procedure: 'semantics.domains.get' } as const;
const updateDomain = {
  summary: 'Change fields of a semantic domain',
  tag,
  procedure: 'semantics.domains.update',
} as const;
const deleteDomain = {
  summary: 'Delete a semantic domain for good',
  tag,
  procedure: 'semantics.domains.delete',
} as const;
const getTemplate = {
  summary: 'Read the datasets, relationships and calculated fields of a semantic domain',
  tag,
  procedure: 'semantics.domains.getTemplate',
} as const;
const putTemplate = {
  summary: 'Replace the datasets, relationships and calculated fields of a semantic domain',
  tag,
  procedure: 'semantics.domains.putTemplate',
} as const;

const record = { ...domainArea, record: 'domain' };
const created = { ...record, success: 201 } as const;
const updated = { ...record, errors: ['CONFLICT'] } as const;
const deleted = { ...domainArea, record: 'deletedDomain' };
const template = { ...record, bodyLimit: TEMPLATE_BODY_LIMIT_BYTES };

/** The same operations under both base paths. */
export const domainRoutes = [
  defineRoute(['GET', domains], { ...listDomains, operationId: 'listDomains' }, domainArea),
  defineRoute(['POST', domains], { ...createDomain, operationId: 'createDomain' }, created),
  defineRoute(['GET', domain], { ...getDomain, operationId: 'getDomain' }, record),
  ...defineUpdates(domain, { ...updateDomain, operationId: 'updateDomain' }, updated),
  defineRoute(['DELETE', domain], { ...deleteDomain, operationId: 'deleteDomain' }, deleted),
  defineRoute(['GET', `${domain}/template`], { ...getTemplate, operationId: 'getDomainTemplate' }, record),
  defineRoute(['PUT', `${domain}/template`], { ...putTemplate, operationId: 'putDomainTemplate' }, template),

  defineRoute(['GET', managedDomains], { ...listDomains, operationId: 'listManagedDomains' }, domainArea),
  defineRoute(['POST', managedDomains], { ...createDomain, operationId: 'createManagedDomain' }, created),
  defineRoute(['GET', managedDomain], { ...getDomain, operationId: 'getManagedDomain' }, record),
  ...defineUpdates(managedDomain, { ...updateDomain, operationId: 'updateManagedDomain' }, updated),
  defineRoute(['DELETE', managedDomain], { ...deleteDomain, operationId: 'deleteManagedDomain' }, deleted),
  defineRoute(
    ['GET', `${managedDomain}/template`],
    { ...getTemplate, operationId: 'getManagedDomainTemplate' },
    record,
  ),
  defineRoute(
    ['PUT', `${managedDomain}/template`],
    { ...putTemplate, operationId: 'putManagedDomainTemplate' },
    template,
  ),
];

const connections = '/api/v1/connections';
const connectionsById = `${connections}/{id}`;

export const connectionRoutes = [
  defineRoute(['GET', connections], {
    operationId: 'listConnections',
    summary: 'List the connections of the project',
    tag: 'Connections',
    procedure: 'semantics.connections.list',
  }),
  defineRoute(
    ['POST', connections],
    {
      operationId: 'createConnection',
      summary: 'Create a connection',
      tag: 'Connections',
      procedure: 'semantics.connections.create',
    },
    { success: 201, record: 'connection', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES },
  ),
  defineRoute(
    ['GET', connectionsById],
    {
      operationId: 'getConnection',
      summary: 'Read a connection',
      tag: 'Connections',
      procedure: 'semantics.connections.get',
    },
    { record: 'connection' },
  ),
  ...defineUpdates(
    connectionsById,
    {
      operationId: 'updateConnection',
      summary: 'Change fields of a connection',
      tag: 'Connections',
      procedure: 'semantics.connections.update',
    },
    { record: 'connection', errors: ['CONFLICT'], bodyLimit: TEMPLATE_BODY_LIMIT_BYTES },
  ),
  defineRoute(
    ['DELETE', connectionsById],
    {
      operationId: 'deleteConnection',
      summary: 'Delete a connection',
      tag: 'Connections',
      procedure: 'semantics.connections.delete',
    },
    { record: 'deletedConnection', errors: ['CONFLICT'] },
  ),
  defineRoute(
    ['POST', `${connectionsById}/introspect`],
    {
      operationId: 'introspectConnection',
      summary: 'Read the catalog from the database, or take that of a static connection',
      tag: 'Connections',
      procedure: 'semantics.connections.introspect',
    },
    { lane: 'long', record: 'connection', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES },
  ),
  defineRoute(['GET', `${connectionsById}/catalog/changes`], {
    operationId: 'listCatalogChanges',
    summary: 'List the changes between two versions of a catalog',
    tag: 'Connections',
    procedure: 'semantics.connections.changes',
  }),
];

const datamodels = '/api/v1/datamodels';
const datamodelsById = `${datamodels}/{id}`;

export const datamodelRoutes = [
  defineRoute(['GET', datamodels], {
    operationId: 'listDatamodels',
    summary: 'List the data models of the project',
    tag: 'Data models',
    procedure: 'semantics.datamodels.list',
  }),
  defineRoute(
    ['POST', datamodels],
    {
      operationId: 'createDatamodel',
      summary: 'Create a data model',
      tag: 'Data models',
      procedure: 'semantics.datamodels.create',
    },
    { success: 201, record: 'datamodel', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES },
  ),
  defineRoute(
    ['GET', datamodelsById],
    {
      operationId: 'getDatamodel',
      summary: 'Read a data model',
      tag: 'Data models',
      procedure: 'semantics.datamodels.get',
    },
    { record: 'datamodel' },
  ),
  ...defineUpdates(
    datamodelsById,
    {
      operationId: 'updateDatamodel',
      summary: 'Change fields of a data model',
      tag: 'Data models',
      procedure: 'semantics.datamodels.update',
    },
    { record: 'datamodel', errors: ['CONFLICT'], bodyLimit: TEMPLATE_BODY_LIMIT_BYTES },
  ),
  defineRoute(
    ['DELETE', datamodelsById],
    {
      operationId: 'deleteDatamodel',
      summary: 'Delete a data model',
      tag: 'Data models',
      procedure: 'semantics.datamodels.delete',
    },
    { record: 'deletedDatamodel' },
  ),
];

const assistantProfiles = '/api/v1/assistant-profiles';
const assistantProfilesById = `${assistantProfiles}/{id}`;

export const assistantProfileRoutes = [
  defineRoute(['GET', assistantProfiles], {
    operationId: 'listAssistantProfiles',
    summary: 'List the assistant profiles of the project',
    tag: 'Assistant profiles',
    procedure: 'semantics.assistantProfiles.list',
  }),
  defineRoute(
    ['POST', assistantProfiles],
    {
      operationId: 'createAssistantProfile',
      summary: 'Create an assistant profile',
      tag: 'Assistant profiles',
      procedure: 'semantics.assistantProfiles.create',
    },
    { success: 201, record: 'assistantProfile' },
  ),
  defineRoute(
    ['GET', assistantProfilesById],
    {
      operationId: 'getAssistantProfile',
      summary: 'Read an assistant profile',
      tag: 'Assistant profiles',
      procedure: 'semantics.assistantProfiles.get',
    },
    { record: 'assistantProfile' },
  ),
  ...defineUpdates(
    assistantProfilesById,
    {
      operationId: 'updateAssistantProfile',
      summary: 'Change fields of an assistant profile',
      tag: 'Assistant profiles',
      procedure: 'semantics.assistantProfiles.update',
    },
    { record: 'assistantProfile', errors: ['CONFLICT'] },
  ),
  defineRoute(
    ['DELETE', assistantProfilesById],
    {
      operationId: 'deleteAssistantProfile',
      summary: 'Delete an assistant profile',
      tag: 'Assistant profiles',
      procedure: 'semantics.assistantProfiles.delete',
    },
    { record: 'deletedAssistantProfile' },
  ),
];
