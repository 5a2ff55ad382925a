import { AppError, type IdNoun, type OrgUserPrincipal } from '@gatehouse/contract';
import { newId, originOf, requireVersion, type CallContext, type EventOrigin } from '@gatehouse/service';
import type { RecordDocument } from './store.js';

/** The fields of a record that decide whether a writer may change it. */
type WrittenRecord = Pick<
  RecordDocument,
  '_id' | 'name' | 'version' | 'revision' | 'organizationId' | 'copiedBy'
>;

/**
 * The actor of a write, and the terms on which it writes. A request writes for its caller. A migration writes
 * for the user who started it, within a plan that was authorized before its first step.
 */
export interface Writer {
  readonly organizationId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly now: Date;
  /** The origin of the events. */
  readonly origin: EventOrigin;
  /** The key of a migration: its writes can be repeated and undone. Absent for a request. */
  readonly migrationId?: string;
  /** Returns the id of a new record: the same one whenever the operation is repeated. */
  newId(noun: IdNoun): string;
  /** Throws NOT_FOUND if the writer may not see the record, and its error for another version. */
  authorize(record: WrittenRecord): void;
}

/** Returns the caller as a writer. `sees` returns true for a record that the caller may see. */
export function createWriter(
  { organizationId, projectId, userId }: OrgUserPrincipal,
  context: CallContext,
  sees: (record: WrittenRecord) => boolean = () => true,
): Writer {
  return {
    organizationId,
    projectId,
    userId,
    now: context.now,
    origin: originOf('semantics', context),
    newId: (noun) => newId(noun, context.operation),
    authorize(record) {
      if (!sees(record)) throw new AppError('NOT_FOUND');
      requireVersion(context, record.version);
    },
  };
}
