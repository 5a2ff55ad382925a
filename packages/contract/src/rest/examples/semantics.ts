import type { Example } from './example.js';

const connection = { id: '<connectionId>' };
const datamodel = { id: '<datamodelId>' };
const profile = { id: '<assistantProfileId>' };
const domain = { domainId: '<domainId>' };
const managedDomain = { domainId: '<managedDomainId>' };
const catalog = {
  defaultSchema: 'sales',
  schemas: [
    {
      name: 'sales',
      tables: [
        {
          name: 'orders',
          columns: [
            { name: 'id', type: 'bigint' },
            { name: 'tenant_id', type: 'text' },
            { name: 'total_amount', type: 'numeric' },
          ],
        },
      ],
    },
  ],
};
const datasets = {
  datasets: [{ name: 'orders', connectionId: '<connectionId>', schema: 'sales', table: 'orders' }],
};

const changeConnection: Example = { parameters: connection, body: { unassignedActors: 'deny' } };
const changeDatamodel: Example = { parameters: datamodel, body: { description: 'Orders by tenant' } };
const changeProfile: Example = { parameters: profile, body: { instructions: 'Answer briefly.' } };
const changeDomain: Example = { parameters: domain, body: { label: 'Example' } };
const changeManagedDomain: Example = { parameters: managedDomain, body: { label: 'Example' } };

export const semanticsExamples = {
  listConnections: { parameters: { search: 'ware' } },
  createConnection: {
    step: 'make',
    body: { name: 'Example connection', type: 'static', config: { dialect: 'postgres' }, catalog },
  },
  getConnection: { parameters: connection },
  updateConnection: changeConnection,
  updateConnectionByPut: changeConnection,
  introspectConnection: { parameters: connection, body: { catalog } },
  listCatalogChanges: { parameters: connection },
  deleteConnection: { step: 'end', parameters: connection },

  listDatamodels: {},
  createDatamodel: { step: 'make', body: { name: 'Example model', connectionId: '<connectionId>' } },
  getDatamodel: { parameters: datamodel },
  updateDatamodel: changeDatamodel,
  updateDatamodelByPut: changeDatamodel,
  deleteDatamodel: { step: 'end', parameters: datamodel },

  listAssistantProfiles: {},
  createAssistantProfile: { step: 'make', body: { name: 'Example profile' } },
  getAssistantProfile: { parameters: profile },
  updateAssistantProfile: changeProfile,
  updateAssistantProfileByPut: changeProfile,
  deleteAssistantProfile: { step: 'end', parameters: profile },

  listDomains: {},
  createDomain: { step: 'make', body: { name: 'example_domain', label: 'Example domain' } },
  getDomain: { parameters: domain },
  updateDomain: changeDomain,
  updateDomainByPut: changeDomain,
  putDomainTemplate: { parameters: domain, body: datasets },
  getDomainTemplate: { parameters: domain },
  deleteDomain: { step: 'end', parameters: domain },

  listManagedDomains: {},
  createManagedDomain: { step: 'make', body: { name: 'example_managed' } },
  getManagedDomain: { parameters: managedDomain },
  updateManagedDomain: changeManagedDomain,
  updateManagedDomainByPut: changeManagedDomain,
  putManagedDomainTemplate: { parameters: managedDomain, body: datasets },
  getManagedDomainTemplate: { parameters: managedDomain },
  deleteManagedDomain: { step: 'end', parameters: managedDomain },
} as const satisfies Readonly<Record<string, Example>>;
