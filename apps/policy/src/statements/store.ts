import type { CloudEvent } from '@gatehouse/contract';
import { newKey, outboxOf, ScopedCollection, type Outboxed } from '@gatehouse/service';
import type { Db } from 'mongodb';

interface CompilationDocument extends Outboxed {
  _id: string;
  projectId: string;
}

/** The events of compilations on their way to the audit log. Nothing else of a compilation is stored. */
export class CompilationStore {
  readonly #compilations: ScopedCollection<CompilationDocument>;

  constructor(database: Db) {
    this.#compilations = new ScopedCollection(database, { collection: 'compilations', scope: 'projectId' });
  }

  /** Stores an event until it is published. The document is a tombstone, which the relay then deletes. */
  async insert(projectId: string, event: CloudEvent, { now }: { now: Date }): Promise<void> {
    const document = { _id: newKey(), projectId, ...outboxOf([event]), deletedAt: now };
    await this.#compilations.insertOne(projectId, document);
  }
}
