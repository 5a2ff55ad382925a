import type { AssignmentScope, PolicyActor } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';

/**
 * What every record of a project has. `_id` is the public id: it is made here and never given again. Texts of JSON hold what
 * callers may name as they like, so that no name can mean anything to the database.
 */
export interface RecordDocument extends Outboxed {
  _id: string;
  organizationId: string;
  projectId: string;
  /** Counts the changes of the public record. Tombstones have none, so that asking for it leaves them out. */
  version: number;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A text with its secret values as `***`, and those values sealed; null where it has none. */
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

export interface AssignmentDocument extends RecordDocument {
  definitionId: string;
  /** That of the definition, so that one index finds what may apply to an actor on a connection. */
  connectionId: string;
  scopeType: AssignmentScope;
  /** The public id of the actor; null for all tenants. */
  actorId: string | null;
  /** Names this very actor for ever, unlike its id: its key in the directory, or `ALL_TENANTS_KEY`. */
  actorKey: string;
  /** JSON of the values; null where there are none. */
  params: Sealed | null;
}

/** Stands for all tenants where an assignment names its actor. The directory's keys begin otherwise. */
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
