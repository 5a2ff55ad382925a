import { ScopedCollection, UndoneMarks } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import type { RecordDocument } from '../records/store.js';

/** A project in its organization. */
export interface Place {
  organizationId: string;
  projectId: string;
}

/** For the sweep of these marks. */
export const UNDONE_COPIES_INDEX: IndexDescription = {
  name: 'undoneCopies',
  key: { undoneAt: 1 },
  sparse: true,
};

export type StoredState = Pick<RecordDocument, '_id' | 'name' | 'version' | 'revision' | 'copiedBy'>;

/** The reads of one collection that only migrations make, and the marks of undone copies. */
export class CopyStore {
  readonly marks: UndoneMarks;
  readonly #copies: ScopedCollection<RecordDocument>;

  constructor(database: Db, collection: string) {
    this.#copies = new ScopedCollection(database, { collection, scope: 'projectId' });
    this.marks = new UndoneMarks(database, collection);
  }

  /** The states of those of the ids that are in the project. */
  async listStates({ organizationId, projectId }: Place, ids: readonly string[]): Promise<StoredState[]> {
    if (ids.length === 0) return [];
    const projection = { name: 1, version: 1, revision: 1, copiedBy: 1 };
    const condition = { _id: { $in: [...ids] }, organizationId, name: { $exists: true } };
    return this.#copies.find<StoredState>(projectId, condition, { projection });
  }

  /** The states of all records of the project, by name. */
  async listAll({ organizationId, projectId }: Place): Promise<StoredState[]> {
    const projection = { name: 1, version: 1, revision: 1, copiedBy: 1 };
    const condition = { organizationId, nameFolded: { $gte: '' } };
    return this.#copies.find<StoredState>(projectId, condition, {
      projection,
      sort: { nameFolded: 1, _id: 1 },
    });
  }

  /** Whether the project has no record with this id. */
  async isGone(projectId: string, id: string): Promise<boolean> {
    return (await this.#copies.findOne(projectId, { _id: id, name: { $exists: true } })) === null;
  }
}
