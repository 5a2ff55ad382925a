import type { CloudEvent } from '@gatehouse/contract';
import {
  duplicateKeysOf,
  orNotFound,
  type Outboxed,
  outboxOf,
  PlatformCollection,
  ScopedCollection,
} from '@gatehouse/service';
import type { Db } from 'mongodb';

interface OrganizationDocument extends Outboxed {
  _id: string;
  name: string;
  createdAt: Date;
}

/** Identifies the first organization. It is written before any record of that organization. */
interface FirstDocument {
  _id: 'first';
  organizationId: string;
}

export class OrganizationStore {
  readonly #organizations: ScopedCollection<OrganizationDocument>;
  /** For the bootstrap, which runs before a caller exists. */
  readonly #platform: PlatformCollection<OrganizationDocument>;
  readonly #first: PlatformCollection<FirstDocument>;

  constructor(database: Db) {
    this.#organizations = new ScopedCollection(database, { collection: 'organizations', scope: '_id' });
    this.#platform = new PlatformCollection(database, 'organizations');
    this.#first = new PlatformCollection(database, 'bootstrap');
  }

  async get(organizationId: string): Promise<OrganizationDocument> {
    return orNotFound(await this.#organizations.findOne(organizationId, {}));
  }

  /** Whether any organization exists. */
  async hasAny(): Promise<boolean> {
    return (await this.#platform.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** The organization whose bootstrap has started; null when none has. */
  async findFirst(): Promise<string | null> {
    return (await this.#first.findOne({ _id: 'first' }))?.organizationId ?? null;
  }

  /** Starts the bootstrap of an organization; false when that of another has started. */
  async claimFirst(organizationId: string): Promise<boolean> {
    try {
      await this.#first.insertOne({ _id: 'first', organizationId });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)) return (await this.findFirst()) === organizationId;
      throw error;
    }
  }

  /** Throws the database error when the organization exists. */
  async insert(
    organizationId: string,
    name: string,
    written: { events: CloudEvent[]; now: Date },
  ): Promise<void> {
    const { events, now } = written;
    const document = { _id: organizationId, name, createdAt: now, ...outboxOf(events) };
    await this.#organizations.insertOne(organizationId, document);
  }
}
