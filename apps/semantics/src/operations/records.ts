import type {
  AssistantProfile,
  Catalog,
  Connection,
  ConnectionConfig,
  ConnectionSummary,
  DataModel,
  DataModelSummary,
  Domain,
  ModelTemplate,
} from '@gatehouse/contract';
import { originOf, type CallContext, type EventOrigin } from '@gatehouse/service';
import { dialectOf, isServer, type StoredConfig } from '../logic/connectionConfig.js';
import type {
  AssistantProfileDocument,
  ConnectionDocument,
  DataModelDocument,
  DomainDocument,
  RecordDocument,
  WholeDataModel,
} from '../store/documents.js';

/** Stored documents as the records that leave the service: field by field, so that nothing slips out. */

/** The origin of the events of a principal's call. */
export function callOrigin(context: CallContext): EventOrigin {
  return originOf('semantics', context);
}

function recordOf({ _id: id, projectId, name, createdBy, version, createdAt, updatedAt }: RecordDocument) {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, projectId, name, createdBy, version, ...times };
}

/** What the events of a record tell of it. */
export function stateOf({ _id: id, projectId, name }: Pick<RecordDocument, '_id' | 'projectId' | 'name'>) {
  return { id, projectId, name };
}

export function toDomain(domain: DomainDocument): Domain {
  const { label, description } = domain;
  return { ...recordOf(domain), label, description };
}

/** The template of a record that was read with it. */
export function toTemplate({ template }: { template: string }): ModelTemplate {
  return JSON.parse(template) as ModelTemplate;
}

export function toDataModelSummary(datamodel: DataModelDocument): DataModelSummary {
  const { description, connectionId } = datamodel;
  return { ...recordOf(datamodel), description, connectionId };
}

export function toDataModel(datamodel: WholeDataModel): DataModel {
  return { ...toDataModelSummary(datamodel), template: toTemplate(datamodel) };
}

export function toAssistantProfile(profile: AssistantProfileDocument): AssistantProfile {
  const { description, instructions } = profile;
  return { ...recordOf(profile), description, instructions };
}

/** A configuration without its secrets. */
export function toConfig(stored: StoredConfig, hasPassword: boolean): ConnectionConfig {
  return isServer(stored) ? { ...stored.config, hasPassword } : stored.config;
}

export function toConnectionSummary(connection: ConnectionDocument): ConnectionSummary {
  const { type, rowBarrier, unassignedActors, catalogs, catalogReadAt, sealedPassword } = connection;
  return {
    ...recordOf(connection),
    type,
    dialect: dialectOf(connection),
    config: toConfig(connection, sealedPassword !== null),
    rowBarrier,
    unassignedActors,
    catalogVersion: catalogs.at(-1)?.version ?? null,
    catalogReadAt: catalogReadAt?.toISOString() ?? null,
  };
}

export function toConnection(connection: ConnectionDocument, catalog: Catalog | null): Connection {
  return { ...toConnectionSummary(connection), catalog };
}
