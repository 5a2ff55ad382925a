import { AppError, type CopyActor, type UndoOutcome } from '@gatehouse/contract';
import { findAppError, retryOnConflict, WriteConflict, type CallContext } from '@gatehouse/service';
import { createDataModel, deleteDataModel } from '../dataModels/manageDataModels.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { createDomain, deleteDomain } from '../domains/manageDomains.js';
import type { Writer } from '../records/writer.js';
import { UNTOUCHED_REVISION } from '../templates/writeTemplated.js';
import type { Place } from './store.js';

/** One write of a migration: its place, the record, and the user who started the migration. */
type MigrationWrite = Place & { id: string; migrationId: string; actor: CopyActor };

/** Every copy is created in this version. */
const FIRST_VERSION = 1;

/**
 * Returns the writer that creates a copy and undoes it. It throws PRECONDITION_FAILED if the copy has changed
 * since its creation.
 */
function createCopyWriter(
  { organizationId, projectId, id, migrationId, actor }: MigrationWrite,
  now: Date,
): Writer {
  const { userId, tokenId, requestId } = actor;
  const place = { organizationId, projectId };
  const by = { actorId: userId, actorKind: 'orgUser' as const, tokenId, requestId };
  return {
    ...place,
    userId,
    now,
    migrationId,
    origin: { service: 'semantics', ...place, ...by, now },
    newId: () => id,
    authorize(record) {
      if (record.organizationId !== organizationId) throw new AppError('NOT_FOUND');
      if (record.copiedBy !== migrationId || record.revision !== UNTOUCHED_REVISION)
        throw new AppError('PRECONDITION_FAILED');
    },
  };
}

/** Creates the copy of a domain. Throws CONFLICT if the name or the id is taken, or the copy was undone. */
export async function createDomainCopy(
  dependencies: Dependencies,
  { name, label, description, template, ...write }: Input<'copies', 'createDomain'>,
  { now }: CallContext,
): Promise<Output<'copies', 'createDomain'>> {
  const fields = { name, label, description, template };
  await createDomain(dependencies, createCopyWriter(write, now), fields);
  return { version: FIRST_VERSION };
}

/** Creates the copy of a data model. Throws as {@link createDomainCopy}. */
export async function createDataModelCopy(
  dependencies: Dependencies,
  { name, description, connectionId, template, ...write }: Input<'copies', 'createDatamodel'>,
  { now }: CallContext,
): Promise<Output<'copies', 'createDatamodel'>> {
  const fields = { name, description, connectionId, template };
  await createDataModel(dependencies, createCopyWriter(write, now), fields);
  return { version: FIRST_VERSION };
}

const DELETIONS = { domain: deleteDomain, datamodel: deleteDataModel } as const;

/** Deletes a copy of the migration, unless it was changed since. */
export async function removeCopy(
  dependencies: Dependencies,
  { type, ...write }: Input<'copies', 'remove'>,
  { now }: CallContext,
): Promise<Output<'copies', 'remove'>> {
  const { id, projectId } = write;
  const writer = createCopyWriter(write, now);
  const { marks } = dependencies.stores.copies[type];
  const undoOnce = async (): Promise<UndoOutcome> => {
    try {
      await DELETIONS[type](dependencies, writer, id);
      return 'undone';
    } catch (error) {
      const code = findAppError(error)?.code;
      if (code === 'PRECONDITION_FAILED') return 'changed';
      if (code !== 'NOT_FOUND') throw error;
      // It was never created, or is undone already. A late call must not create it.
      const isOver = await marks.insert(projectId, id, now);
      if (isOver || (await dependencies.stores.copies[type].isGone(projectId, id))) return 'undone';
      throw new WriteConflict();
    }
  };
  return { outcome: await retryOnConflict(undoOnce) };
}
