import type { AssignmentScope, PolicyActor } from '@gatehouse/contract';
import type { Outboxed, Sized } from '@gatehouse/service';

/**
 * The common fields of all records of a project. `_id` is the public id, which is generated here and never
 * reused. Content with keys chosen by callers is stored as JSON text, so that no key can have a meaning to
 * the database.
 */
export interface RecordDocument extends Outboxed, Sized {
  _id: string;
  organizationId: string;
  projectId: string;
  /** The number of changes of the public record. Tombstones have none, so a filter on it excludes them. */
  version: number;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of a record that hold its version and times, as the API returns them. */
export function versionFields({ version, createdAt, updatedAt }: RecordDocument) {
  return { version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** A name, and the form that names are sorted by without regard to case. */
export function nameFields(name: string) {
  return { name, nameFolded: name.normalize('NFC').toLowerCase() };
}

/** A text with its secret values as `***`, and those values sealed; null if there are none. */
export interface Sealed {
  shown: string;
  sealedSecrets: string | null;
}

export interface DefinitionDocument extends RecordDocument {
  connectionId: string;
  name: string;
  nameFolded: string;
  /** JSON of the three configs. */
  configs: Sealed;
}

/** What a list of assignments shows of a definition, and the size of the whole. */
export type DefinitionHead = Pick<DefinitionDocument, '_id' | 'name' | 'quotaBytes'>;

export interface AssignmentDocument extends RecordDocument {
  definitionId: string;
  /** Copied from the definition, so that one index finds the candidates of an actor on a connection. */
  connectionId: string;
  scopeType: AssignmentScope;
  /** The public id of the actor; null for all tenants. */
  actorId: string | null;
  /** Identifies the actor permanently, unlike its id: its key in the directory, or `ALL_TENANTS_KEY`. */
  actorKey: string;
  /** JSON of the values; null where there are none. */
  params: Sealed | null;
}

/** The actor key of all tenants. No key of the directory has this value. */
export const ALL_TENANTS_KEY = 'all';

export interface TestDocument extends RecordDocument {
  definitionId: string;
  name: string;
  nameFolded: string;
  actor: PolicyActor;
  sql: string;
  /** JSON of the values; null where there are none. */
  runtimeParams: Sealed | null;
  /** JSON. */
  sampleData: string | null;
  /** JSON. */
  expectation: string;
}

/** A test without its content, which may have 2 MiB. */
export type TestHead = Pick<TestDocument, '_id' | 'name'>;

/** A connection of a project. */
export type ConnectionRef = Pick<AssignmentDocument, 'projectId' | 'connectionId'>;

/** An assignment and its definition, which is null if it is deleted. */
export interface Assigned {
  assignment: AssignmentDocument;
  definition: DefinitionDocument | null;
}
