import type { CloudEvent } from '@gatehouse/contract';
import type { Db, Document } from 'mongodb';
import { duplicateKeysOf } from './databaseErrors.js';
import { tombstone, type Outboxed } from './outbox.js';
import { PlatformCollection } from './platformCollection.js';
import { ScopedCollection } from './scopedCollection.js';

/** Keeps the id of an undone record, so that a late repetition of the write does not create it again. */
interface UndoneMark extends Outboxed {
  _id: string;
  projectId: string;
  undoneAt: Date;
}

/**
 * Returns the update that turns a record into its mark. Unlike a tombstone, a mark outlives its events.
 * `kept` names the fields to keep.
 */
export function undoneMark(events: CloudEvent[], now: Date, kept: readonly string[]): Document[] {
  return [...tombstone(events, now, kept), { $set: { undoneAt: now } }, { $unset: 'deletedAt' }];
}

/** The marks of undone records of one collection, by project. */
export class UndoneMarks {
  readonly #marks: ScopedCollection<UndoneMark>;
  /** For the sweep of old marks. */
  readonly #platform: PlatformCollection<UndoneMark>;

  constructor(database: Db, collection: string) {
    this.#marks = new ScopedCollection(database, { collection, scope: 'projectId' });
    this.#platform = new PlatformCollection(database, collection);
  }

  /** Prevents the creation of a record with this id. Returns false if a document has the id. */
  async insert(projectId: string, id: string, now: Date): Promise<boolean> {
    try {
      await this.#marks.insertOne(projectId, { _id: id, projectId, revision: 1, outbox: [], undoneAt: now });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
      return false;
    }
  }

  /** Deletes the marks of all projects from before a time, once their events are published. */
  async deleteBefore(before: Date): Promise<void> {
    await this.#platform.deleteMany({ undoneAt: { $lt: before }, outbox: { $size: 0 } });
  }
}
