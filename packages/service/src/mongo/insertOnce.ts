import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { areDuplicateKeys, duplicateKeysOf } from './databaseErrors.js';

/**
 * Inserts a document whose `_id` is given once for ever. Where it is taken, an earlier run of the same operation has
 * inserted it and did not live to say so: then that document is the answer, and else null.
 *
 * @throws the engine's error when a unique index refuses a document that was never there.
 */
export async function insertOnce<T>(
  insert: () => Promise<unknown>,
  findById: () => Promise<T | null>,
): Promise<T | null> {
  try {
    await insert();
    return null;
  } catch (error) {
    // Another index may be the one to complain: the earlier document holds the same name as well.
    const made = duplicateKeysOf(error) === null ? null : await findById();
    if (made === null) throw error;
    return made;
  }
}

/**
 * Inserts those documents whose `_id` is not there yet, into a collection that has no other unique index.
 *
 * @throws the engine's error when one could not be inserted for another reason; others may have been.
 */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<void> {
  try {
    await collection.insertMany(documents, { ordered: false });
  } catch (error) {
    if (!areDuplicateKeys(error)) throw error;
  }
}
