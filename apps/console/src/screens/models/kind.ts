import type { DataModel, DataModelSummary, Domain, ModelTemplate } from '@gatehouse/contract';
import type { Field, FormValues } from '../../components/fields.js';
import type { Api } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource, type Versioned } from '../../data/useRecord.js';
import { connectionField, type ConnectionValue } from './connectionField.js';

export type Model = Domain | DataModelSummary;
type Values = Record<string, unknown>;

/** What semantic domains and data models have in common, and how their requests differ. */
export interface ModelKind {
  key: 'domains' | 'datamodels';
  noun: string;
  plural: string;
  path: string;
  icon: 'domain' | 'model';
  /** The role that may change them. */
  role: 'ADMIN' | 'AUTHOR';
  hint: string;
  fields: readonly Field[];
  list: ListSource<Model>;
  record(id: string): RecordSource<Model>;
  template(id: string): RecordSource<ModelTemplate>;
  values(record: Model): FormValues;
  create(api: Api, values: Values): Promise<{ id: string }>;
  update(api: Api, change: { id: string } & Values, ifMatch: string | undefined): Promise<Versioned<Model>>;
  putTemplate(
    api: Api,
    change: { id: string; template: ModelTemplate },
    ifMatch: string | undefined,
  ): Promise<Versioned<ModelTemplate>>;
  remove(api: Api, id: string): Promise<unknown>;
}

const PART = 100;
const partOf = (cursor: string | undefined) => ({ limit: PART, cursor });
const DESCRIPTION: Field = { name: 'description', label: 'Description', kind: 'textarea', maxLength: 5000 };

export const domains: ModelKind = {
  key: 'domains',
  noun: 'semantic domain',
  plural: 'Semantic domains',
  path: '/domains',
  icon: 'domain',
  role: 'ADMIN',
  hint: 'A domain gives tables of several connections the names that dashboards use.',
  fields: [
    {
      name: 'name',
      label: 'Name',
      description: 'Lowercase letters and underscores. Dashboards refer to it.',
      kind: 'text',
      isRequired: true,
      maxLength: 100,
    },
    { name: 'label', label: 'Label', description: 'The name that people see.', kind: 'text', maxLength: 200 },
    DESCRIPTION,
  ],
  list: {
    key: ['domains', 'list'],
    load: async (api, cursor, signal) => {
      const page = await api.listDomains(partOf(cursor), { signal });
      return byCursor<Model>(page.domains, page.nextCursor);
    },
  },
  record: (id) => ({
    key: ['domains', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getDomain({ domainId: id }, { signal }), ({ domain }) => domain),
  }),
  template: (id) => ({
    key: ['domains', `${id} template`],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getDomainTemplate({ domainId: id }, { signal }),
        ({ template }) => template,
      ),
  }),
  values: (record) => {
    const { name, label, description } = record as Domain;
    return { name, label, description };
  },
  create: async (api, values) => (await api.createDomain(values as { name: string })).domain,
  update: async (api, { id, ...changes }, ifMatch) =>
    versioned(
      await api.withResponse.updateDomain({ domainId: id, ...changes }, { ifMatch }),
      ({ domain }) => domain,
    ),
  putTemplate: async (api, { id, template }, ifMatch) =>
    versioned(
      await api.withResponse.putDomainTemplate({ domainId: id, ...template }, { ifMatch }),
      ({ template: saved }) => saved,
    ),
  remove: (api, id) => api.deleteDomain({ domainId: id }),
};

const withConnectionId = ({ connection, ...values }: Values) => {
  const chosen = connection as ConnectionValue | null | undefined;
  return chosen ? { ...values, connectionId: chosen.id } : values;
};

export const datamodels: ModelKind = {
  key: 'datamodels',
  noun: 'data model',
  plural: 'Data models',
  path: '/datamodels',
  icon: 'model',
  role: 'AUTHOR',
  hint: 'A data model describes tables of one connection, their joins and calculated fields.',
  fields: [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 },
    DESCRIPTION,
    connectionField,
  ],
  list: {
    key: ['datamodels', 'list'],
    load: async (api, cursor, signal) => {
      const page = await api.listDatamodels(partOf(cursor), { signal });
      return byCursor<Model>(page.datamodels, page.nextCursor);
    },
  },
  record: (id) => ({
    key: ['datamodels', id],
    load: async (api, signal) =>
      versioned<{ datamodel: DataModel }, Model>(
        await api.withResponse.getDatamodel({ id }, { signal }),
        ({ datamodel }) => datamodel,
      ),
  }),
  template: (id) => ({
    key: ['datamodels', `${id} template`],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getDatamodel({ id }, { signal }),
        ({ datamodel }) => datamodel.template,
      ),
  }),
  values: (record) => {
    const { name, description, connectionId } = record as DataModelSummary;
    return { name, description, connection: { id: connectionId } };
  },
  create: async (api, values) => {
    const input = withConnectionId(values) as Parameters<Api['createDatamodel']>[0];
    return (await api.createDatamodel(input)).datamodel;
  },
  update: async (api, { id, ...changes }, ifMatch) =>
    versioned<{ datamodel: DataModel }, Model>(
      await api.withResponse.updateDatamodel({ id, ...withConnectionId(changes) }, { ifMatch }),
      ({ datamodel }) => datamodel,
    ),
  putTemplate: async (api, { id, template }, ifMatch) =>
    versioned(
      await api.withResponse.updateDatamodel({ id, template }, { ifMatch }),
      ({ datamodel }) => datamodel.template,
    ),
  remove: (api, id) => api.deleteDatamodel({ id }),
};
