import type { CloudEvent } from '@gatehouse/contract';
import type { Db, Document } from 'mongodb';
import { duplicateKeysOf } from './databaseErrors.js';
import { tombstone, type Outboxed } from './outbox.js';
import { PlatformCollection } from './platformCollection.js';

/** Keeps the id of an undone record, so that a late repetition of the write does not create it again. */
interface UndoneMark extends Outboxed {
  _id: string;
  undoneAt: Date;
}

/** Returns the update that turns a record into its mark. Unlike a tombstone, a mark outlives its events. */
export function undoneMark(events: CloudEvent[], now: Date): Document[] {
  return [...tombstone(events, now, []), { $set: { undoneAt: now } }, { $unset: 'deletedAt' }];
}

/** The marks of undone records of one collection. A mark has no scope. */
export class UndoneMarks {
  readonly #marks: PlatformCollection<UndoneMark>;

  constructor(database: Db, collection: string) {
    this.#marks = new PlatformCollection(database, collection);
  }

  /** Prevents the creation of a record with this id. Returns false if a document has the id. */
  async insert(id: string, now: Date): Promise<boolean> {
    try {
      await this.#marks.insertOne({ _id: id, revision: 1, outbox: [], undoneAt: now });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
      return false;
    }
  }

  /** Deletes the marks of all scopes from before a time, once their events are published. */
  async deleteBefore(before: Date): Promise<void> {
    await this.#marks.deleteMany({ undoneAt: { $lt: before }, outbox: { $size: 0 } });
  }
}
