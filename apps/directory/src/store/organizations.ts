import type { CloudEvent } from '@gatehouse/contract';
import { duplicateKeysOf, outboxOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { OrganizationDocument } from './documents.js';
import { orNotFound } from './recordStore.js';

/** Which organization is the first one, written before anything of it is made. */
interface FirstDocument {
  _id: 'first';
  organizationId: string;
}

export class OrganizationStore {
  readonly #collection: Collection<OrganizationDocument>;
  readonly #first: Collection<FirstDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('organizations');
    this.#first = database.collection('bootstrap');
  }

  async get(organizationId: string): Promise<OrganizationDocument> {
    return orNotFound(await this.#collection.findOne({ _id: organizationId }));
  }

  /** Whether there is any organization at all. */
  async hasAny(): Promise<boolean> {
    return (await this.#collection.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** The organization whose bootstrap has begun; null when none has. */
  async findFirst(): Promise<string | null> {
    return (await this.#first.findOne({ _id: 'first' }))?.organizationId ?? null;
  }

  /** Begins the bootstrap of an organization; false when that of another has begun. */
  async claimFirst(organizationId: string): Promise<boolean> {
    try {
      await this.#first.insertOne({ _id: 'first', organizationId });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)) return (await this.findFirst()) === organizationId;
      throw error;
    }
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
