import type { ConnectionSummary } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';
import type { StoredConfig } from '../logic/connectionConfig.js';

/** What every record of a project has. `_id` is its public id: it is made here and never given again. */
export interface RecordDocument extends Outboxed {
  _id: string;
  organizationId: string;
  projectId: string;
  name: string;
  /** Tombstones have none, so that asking for it leaves them out. */
  nameFolded: string;
  /** Counts the changes of the public record. */
  version: number;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** The migration that made it. */
  copiedBy?: string;
}

export interface DomainDocument extends RecordDocument {
  label: string;
  description: string;
  /** JSON text of a ModelTemplate. Left out of what is read, but where it is asked for: it may be long. */
  template?: string;
  /** The connections that the template's datasets name. */
  connectionIds: string[];
}
/** A domain read with its template. */
export type WholeDomain = DomainDocument & { template: string };

export interface DataModelDocument extends RecordDocument {
  description: string;
  connectionId: string;
  /** JSON text of a ModelTemplate. Left out of lists: it may be long. */
  template?: string;
}
/** A data model read with its template. */
export type WholeDataModel = DataModelDocument & { template: string };

export interface AssistantProfileDocument extends RecordDocument {
  description: string;
  instructions: string;
}

/** One version of a catalog that is kept. */
export interface CatalogEntry {
  version: number;
  /** `_id` of its document. */
  key: string;
  /** Hash of the catalog: two catalogs that differ only in the order of schemas and tables have the same. */
  digest: string;
  /** Of its JSON text in UTF-8. */
  bytes: number;
  /** Whether what changed since the version before is stored with it: not when it is too much. */
  areChangesKept: boolean;
  readAt: Date;
}

interface ConnectionFields extends RecordDocument {
  /** The password, sealed for this connection; null when there is none. */
  sealedPassword: string | null;
  rowBarrier: boolean;
  unassignedActors: ConnectionSummary['unassignedActors'];
  /** The versions that are kept, oldest first. A catalog document that is not among them is of no use. */
  catalogs: CatalogEntry[];
  /** When the catalog was read last, changed or not. */
  catalogReadAt: Date | null;
}
export type ConnectionDocument = ConnectionFields & StoredConfig;

/** One version of a connection's catalog. Written once, before its connection lists it, and never changed. */
export interface CatalogDocument {
  _id: string;
  projectId: string;
  connectionId: string;
  version: number;
  /** JSON text of a Catalog. */
  catalog: string;
  /** JSON text of what changed since the version before; null when that is too much to be kept. */
  changes: string | null;
  /** Whether tables or columns got another name. */
  hasRenames: boolean;
  readAt: Date;
}
