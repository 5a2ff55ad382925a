import { AppError, type ModelTemplate } from '@gatehouse/contract';
import {
  createEvent,
  duplicateKeysOf,
  retryOnConflict,
  WriteConflict,
  type Written,
} from '@gatehouse/service';
import type { Dependencies, RecordDocument } from '../dependencies.js';
import { eventFields } from '../records/logic/fields.js';
import { rejectFaults, rejectTakenName, requireRoom } from '../records/writeRecord.js';
import type { Writer } from '../records/writer.js';
import {
  connectionIdsIn,
  findTemplateFaults,
  findUnknownConnections,
  type TemplateOwner,
} from './logic/modelTemplate.js';

/**
 * Checks a template and returns the JSON text that is stored. Throws INVALID_REQUEST; `prefix` is prepended
 * to each field.
 */
export async function checkTemplate(
  { stores }: Dependencies,
  template: ModelTemplate,
  { projectId, owner, prefix }: { projectId: string; owner: TemplateOwner; prefix: string },
): Promise<string> {
  rejectFaults(findTemplateFaults(template, owner), prefix);
  const ids = connectionIdsIn(template);
  const known = ids.length === 0 ? [] : await stores.connections.listByIds(projectId, ids);
  rejectFaults(findUnknownConnections(template, new Set(known.map(({ _id }) => _id))), prefix);
  return JSON.stringify(template);
}

/**
 * Confirms, after a write that refers to connections, that all of them still exist. A concurrent deletion
 * either sees the reference or conflicts with this write and is decided again. If a connection is deleted,
 * reverts the write, unless the record has changed since, and throws INVALID_REQUEST.
 */
export async function confirmConnections(
  { stores }: Dependencies,
  { projectId, ids, field }: { projectId: string; ids: readonly string[]; field: string },
  revert: () => Promise<unknown>,
): Promise<void> {
  if (await stores.connections.touchAll(projectId, ids)) return;
  try {
    await revert();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  throw new AppError('INVALID_REQUEST', {
    fieldErrors: [{ field, message: 'names a connection that was deleted meanwhile', code: 'reference' }],
  });
}

/** The store of the domains or of the data models. */
interface TemplatedStore<T extends RecordDocument> {
  find(projectId: string, id: string): Promise<T | null>;
  get(projectId: string, id: string): Promise<RecordDocument>;
  count(projectId: string, limit: number): Promise<number>;
  delete(projectId: string, current: RecordDocument, how: Written & { isUndo: boolean }): Promise<void>;
}

/** A new domain or data model. */
interface NewTemplated<T extends RecordDocument> {
  type: TemplateOwner;
  store: TemplatedStore<T>;
  name: string;
  template: ModelTemplate;
  /** Every connection that the record refers to, and the field that an error names. */
  connections: { ids: readonly string[]; field: string };
  /** Inserts the record with the id and the JSON text of its template. */
  insert(id: string, text: string, written: Written): Promise<T>;
}

const NOUNS: Record<TemplateOwner, string> = { domain: 'semantic domain', datamodel: 'data model' };

/** The revision of a record that has not changed since its creation. */
export const UNTOUCHED_REVISION = 1;

function idTaken(cause?: unknown): AppError {
  return new AppError('CONFLICT', { message: 'The record was undone, or its id is taken', cause });
}

/** Deletes a record as it was read. Throws WriteConflict if it has changed since. */
async function drop(
  { type, store }: Pick<NewTemplated<RecordDocument>, 'type' | 'store'>,
  { origin, projectId, migrationId, now }: Writer,
  current: RecordDocument,
): Promise<void> {
  const event = { origin, data: eventFields(current) };
  const events = [createEvent(`management.${type}.deleted.v1`, current._id, event)];
  await store.delete(projectId, current, { events, now, isUndo: migrationId !== undefined });
}

async function insertNew<T extends RecordDocument>(
  dependencies: Dependencies,
  { projectId, origin, now }: Writer,
  { id, record }: { id: string; record: NewTemplated<T> },
): Promise<T> {
  const { type, store, name, template, insert } = record;
  await requireRoom(store, projectId, NOUNS[type]);
  const text = await checkTemplate(dependencies, template, { projectId, owner: type, prefix: 'template.' });
  const event = { origin, data: { id, projectId, name } };
  const events = [createEvent(`management.${type}.created.v1`, id, event)];
  try {
    return await rejectTakenName(NOUNS[type], () => insert(id, text, { events, now }));
  } catch (error) {
    throw duplicateKeysOf(error) === null ? error : idTaken(error);
  }
}

/**
 * Creates a domain or data model, or returns the one that an earlier run of the operation created. Throws
 * CONFLICT if the name is taken or a migration has undone the record, QUOTA_EXCEEDED, and INVALID_REQUEST for
 * an invalid template and for a connection that is deleted meanwhile.
 */
export async function createTemplated<T extends RecordDocument>(
  dependencies: Dependencies,
  writer: Writer,
  record: NewTemplated<T>,
): Promise<T> {
  const { projectId } = writer;
  const id = writer.newId(record.type);
  const earlier = await record.store.find(projectId, id);
  const created = earlier ?? (await insertNew(dependencies, writer, { id, record }));
  if (created.copiedBy !== writer.migrationId) throw idTaken();
  await confirmConnections(dependencies, { projectId, ...record.connections }, async () => {
    if (created.revision === UNTOUCHED_REVISION) await drop(record, writer, created);
  });
  return created;
}

/**
 * Deletes a domain or data model and returns it. The id of a copy that a migration undoes stays taken. Throws
 * NOT_FOUND, and the writer's error for another version.
 */
export async function deleteTemplated(
  record: Pick<NewTemplated<RecordDocument>, 'type' | 'store'>,
  writer: Writer,
  id: string,
): Promise<RecordDocument> {
  return retryOnConflict(async () => {
    const current = await record.store.get(writer.projectId, id);
    writer.authorize(current);
    await drop(record, writer, current);
    return current;
  });
}
