import type { CloudEvent } from '@gatehouse/contract';
import { outboxOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { OrganizationDocument } from './documents.js';
import { orNotFound } from './recordStore.js';

export class OrganizationStore {
  readonly #collection: Collection<OrganizationDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('organizations');
  }

  async get(organizationId: string): Promise<OrganizationDocument> {
    return orNotFound(await this.#collection.findOne({ _id: organizationId }));
  }

  /** Whether there is any organization at all. */
  async hasAny(): Promise<boolean> {
    return (await this.#collection.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** Throws the engine's error when the organization exists. */
  async insert(
    organizationId: string,
    name: string,
    written: { events: CloudEvent[]; now: Date },
  ): Promise<void> {
    const { events, now } = written;
    await this.#collection.insertOne({ _id: organizationId, name, createdAt: now, ...outboxOf(events) });
  }
}
