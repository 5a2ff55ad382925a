import { insertMissing, SharedCalls } from '@gatehouse/service';
import type { Collection, Db, Document, IndexDescription } from 'mongodb';
import type { GroupFact, HistoryFact, ResourceFact, UserFact } from '../logic/historyFacts.js';

/** A fact as it is stored, under the id of its event, so that an event that comes twice is there once. */
type Stored<F> = Omit<F, 'eventId'> & { _id: string };

const BY_RECORD: IndexDescription = { key: { organizationId: 1, record: 1, sequence: 1 } };
const BY_TIME: IndexDescription = { key: { organizationId: 1, time: -1 } };

function factFrom<F extends { eventId: string }>({ _id, ...fields }: Stored<F>): F {
  return { eventId: _id, ...fields } as unknown as F;
}

/** Leaves of the shares of each fact those of the subjects. */
function sharesOf(subjects: readonly string[]): Document {
  const shares = { $ifNull: ['$change.shares', []] };
  const cond = { $in: ['$$this.subject', { $literal: subjects }] };
  return { $set: { 'change.shares': { $filter: { input: shares, cond } } } };
}

/** The facts of the past, each written once and never changed. */
export class HistoryStore {
  readonly #resources: Collection<Stored<ResourceFact>>;
  readonly #users: Collection<Stored<UserFact>>;
  readonly #groups: Collection<Stored<GroupFact>>;
  readonly #facts = new SharedCalls(
    (about: HistoryFact['about']) => about,
    (about, facts: HistoryFact['fact'][]) => this.#insert(about, facts),
  );

  constructor(database: Db) {
    this.#resources = database.collection('historyResources');
    this.#users = database.collection('historyUsers');
    this.#groups = database.collection('historyGroups');
  }

  /** Creates the indexes that are missing. */
  async createIndexes(): Promise<void> {
    const links = { 'change.state.linkedVisualIds': 1 };
    const members = { 'change.userKeys': 1 };
    await Promise.all([
      this.#resources.createIndexes([
        BY_RECORD,
        BY_TIME,
        { key: links, partialFilterExpression: { 'change.state.linkedVisualIds': { $exists: true } } },
      ]),
      this.#users.createIndexes([BY_RECORD, BY_TIME, { key: { organizationId: 1, userId: 1 } }]),
      this.#groups.createIndexes([
        BY_RECORD,
        BY_TIME,
        { key: members, partialFilterExpression: { 'change.userKeys': { $exists: true } } },
      ]),
    ]);
  }

  /** Keeps a fact, those of all who come at the same time by one write. One that is kept already stays as it is. */
  keep({ about, fact }: HistoryFact): Promise<void> {
    return this.#facts.make(about, [fact]);
  }

  /** The facts of resources, with those of their shares that reach the subjects. */
  async listResourceFacts(
    organizationId: string,
    ids: readonly string[],
    subjects: readonly string[],
  ): Promise<ResourceFact[]> {
    const match = { $match: { organizationId, record: { $in: ids } } };
    const found = this.#resources.aggregate<Stored<ResourceFact>>([match, sharesOf(subjects)]);
    return (await found.toArray()).map(factFrom<ResourceFact>);
  }

  /** The dashboards that ever linked a visual. */
  async listLinkingIds(organizationId: string, visualId: string): Promise<string[]> {
    const filter = { organizationId, 'change.state.linkedVisualIds': visualId };
    const found = await this.#resources.find(filter, { projection: { record: 1 } }).toArray();
    return [...new Set(found.map((fact) => fact.record))];
  }

  /** The facts of everybody who ever had the id. */
  async listUserFacts(organizationId: string, userId: string): Promise<UserFact[]> {
    const found = await this.#users.find({ organizationId, userId }).toArray();
    return found.map(factFrom<UserFact>);
  }

  /** The facts about groups that name a user, and those that end one of these groups. */
  async listGroupFacts(organizationId: string, userKey: string): Promise<GroupFact[]> {
    const named = await this.#groups.find({ organizationId, 'change.userKeys': userKey }).toArray();
    const groupIds = [...new Set(named.map((fact) => fact.record))];
    const ended = await this.#groups
      .find({ organizationId, record: { $in: groupIds }, 'change.kind': 'deleted' })
      .toArray();
    return [...named, ...ended].map(factFrom<GroupFact>);
  }

  /** The time of the newest fact of the organization; null when there is none. */
  async findRecordedUntil(organizationId: string): Promise<Date | null> {
    const options = { sort: { time: -1 }, projection: { time: 1 } } as const;
    const newest = await Promise.all([
      this.#resources.findOne({ organizationId }, options),
      this.#users.findOne({ organizationId }, options),
      this.#groups.findOne({ organizationId }, options),
    ]);
    const times = newest.flatMap((fact) => (fact === null ? [] : [fact.time.getTime()]));
    return times.length === 0 ? null : new Date(Math.max(...times));
  }

  #insert(about: HistoryFact['about'], facts: readonly HistoryFact['fact'][]): Promise<void> {
    const collection = { resource: this.#resources, user: this.#users, group: this.#groups }[about];
    const documents = facts.map(({ eventId: _id, ...fields }) => ({ _id, ...fields }));
    return insertMissing(collection as unknown as Collection<Document & { _id: string }>, documents);
  }
}
