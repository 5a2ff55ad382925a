import type { CloudEvent } from '@gatehouse/contract';
import { duplicateKeysOf, tombstone } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { RecordDocument } from './documents.js';

/** A project in its organization. */
export interface Place {
  organizationId: string;
  projectId: string;
}

/** Stands where an undone copy was, so that a call of its migration which comes late does not make it again. */
type Mark = Pick<RecordDocument, '_id' | 'revision' | 'outbox'> & { undoneAt: Date };
type Stored = Partial<RecordDocument> & Mark;

/** The first write of a copy is the only one, as long as nobody has touched it. */
const UNTOUCHED_REVISION = 1;

export type StoredState = Pick<RecordDocument, '_id' | 'name' | 'version' | 'revision' | 'copiedBy'>;

/** What migrations need of the records of one collection beside what everybody does. */
export class CopyStore {
  readonly #collection: Collection<Stored>;

  constructor(database: Db, name: string) {
    this.#collection = database.collection<Stored>(name);
  }

  /** Those of the ids that are in the project, without what they hold. */
  async listStates({ organizationId, projectId }: Place, ids: readonly string[]): Promise<StoredState[]> {
    if (ids.length === 0) return [];
    const projection = { name: 1, version: 1, revision: 1, copiedBy: 1 };
    const filter = { _id: { $in: [...ids] }, organizationId, projectId, name: { $exists: true } };
    return this.#collection.find<StoredState>(filter, { projection }).toArray();
  }

  /** All of the project, by name. */
  async listAll({ organizationId, projectId }: Place): Promise<StoredState[]> {
    const projection = { name: 1, version: 1, revision: 1, copiedBy: 1 };
    const filter = { projectId, organizationId, nameFolded: { $gte: '' } };
    return this.#collection
      .find<StoredState>(filter, { projection, sort: { nameFolded: 1, _id: 1 } })
      .toArray();
  }

  /** Deletes a copy that nobody has touched and leaves a mark in its place; false when there is none such. */
  async deleteCopy(
    { organizationId, projectId }: Place,
    { id, migrationId }: { id: string; migrationId: string },
    { events, now }: { events: CloudEvent[]; now: Date },
  ): Promise<boolean> {
    const filter = {
      _id: id,
      organizationId,
      projectId,
      copiedBy: migrationId,
      revision: UNTOUCHED_REVISION,
    };
    // The mark is no tombstone: it outlives the publication of its events.
    const mark = [...tombstone(events, now, []), { $set: { undoneAt: now } }, { $unset: 'deletedAt' }];
    return (await this.#collection.updateOne(filter, mark)).matchedCount > 0;
  }

  /** Sees to it that nothing of this id is made any more; false when there is something of it. */
  async markUndone(id: string, now: Date): Promise<boolean> {
    const mark: Mark = { _id: id, revision: UNTOUCHED_REVISION, outbox: [], undoneAt: now };
    try {
      await this.#collection.insertOne(mark);
      return true;
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
      return false;
    }
  }

  /** Whether the project has nothing of this id. */
  async isGone(projectId: string, id: string): Promise<boolean> {
    return (await this.#collection.findOne({ _id: id, projectId, name: { $exists: true } })) === null;
  }

  /** Deletes the marks of before a moment. */
  async deleteMarks(before: Date): Promise<void> {
    await this.#collection.deleteMany({ undoneAt: { $lt: before }, outbox: { $size: 0 } });
  }
}
