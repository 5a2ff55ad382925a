import type { Document } from 'mongodb';
import type { PlatformCollection, Stored } from '../mongo/platformCollection.js';
import { TERMS_INDEX } from './terms.js';

const BATCH = 200;

/** The records of a collection, and how their terms are derived. */
export interface TermDerivation<T extends Stored> {
  records: PlatformCollection<T>;
  /** The condition that records meet and tombstones do not. */
  live: Document;
  /** The field with the scope of a record. */
  scope: keyof T & string;
  /** The fields from which the terms are derived. */
  sources: readonly (keyof T & string)[];
  /** Returns the terms of a record that was read with its sources. */
  termsOf: (record: T) => number[];
}

/** Derives the terms of the records that a former release wrote. Lists find them meanwhile, but slower. */
export async function addMissingTerms<T extends Stored & { _id: string; revision?: number }>({
  records,
  live,
  scope,
  sources,
  termsOf,
}: TermDerivation<T>): Promise<void> {
  const projection = Object.fromEntries([scope, 'revision', ...sources].map((field) => [field, 1]));
  const options = { projection, limit: BATCH, hint: TERMS_INDEX };
  for (;;) {
    const found = await records.find<T>({ terms: null, ...live }, options);
    // Concurrent updates of a scope share a command, and so one wait for the disk.
    await Promise.all(
      found.map((record) => {
        const { _id, revision } = record;
        const scopeId = String(record[scope]);
        const update: Document = { $set: { terms: termsOf(record) } };
        return records.updateOne({ [scope]: scopeId, _id, revision }, { update, scopeId });
      }),
    );
    if (found.length < BATCH) return;
  }
}
