import { setImmediate } from 'node:timers/promises';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tombstone, withEvents } from '../mongo/outbox.js';
import { PlatformCollection } from '../mongo/platformCollection.js';
import { duplicateKeysOf } from '../mongo/databaseErrors.js';
import { currentDryRun, outsideDryRun, runCall } from './dryRun.js';

interface Record extends Document {
  _id: string;
  name?: string;
  size?: number;
  tags?: { id: string }[];
}

const mongo = await startTestMongo();
const database = mongo.databases.of('dry');
const stored = database.collection<Record>('records');
const records = new PlatformCollection<Record>(database, 'records');
const dry = <T>(work: () => Promise<T>) => runCall({ isDry: true }, work);

beforeAll(async () => {
  await stored.createIndex(
    { name: 1 },
    { unique: true, partialFilterExpression: { name: { $exists: true } } },
  );
});
beforeEach(async () => void (await stored.deleteMany({})));
afterAll(() => mongo[Symbol.asyncDispose]());

type Step = (collection: PlatformCollection<Record>) => Promise<unknown>;

const id = fc.constantFrom('a', 'b', 'c', 'd');
const name = fc.constantFrom('One', 'Two', 'Three', 'x.y', '$z', 'é');
const size = fc.integer({ min: -3, max: 3 });
const condition: fc.Arbitrary<Document> = fc.oneof(
  id.map((_id) => ({ _id })),
  name.map((text) => ({ name: text })),
  size.map((least) => ({ size: { $gte: least } })),
  fc.record({ _id: id, size }),
  fc.array(id, { maxLength: 3 }).map((ids) => ({ _id: { $in: ids } })),
  fc.record({ name, size }).map((parts) => ({ $or: [{ name: parts.name }, { size: { $lt: parts.size } }] })),
  fc.constantFrom<Document>(
    {},
    { name: { $exists: true } },
    { 'tags.id': 'b' },
    { name: { $regex: 'o' } },
    { name: undefined },
  ),
);
const event = { id: 'e', time: '2026-01-01T00:00:00.000Z' } as never;
const update: fc.Arbitrary<Document | Document[]> = fc.oneof(
  fc.record({ name, size }, { requiredKeys: [] }).map((set) => withEvents({ $set: { size: 0, ...set } }, [])),
  size.map((by) => ({ $inc: { size: by } })),
  id.map((tag) => withEvents<never>({ $push: { tags: { $each: [{ id: tag }] } } }, [event])),
  id.map((tag) => ({ $pull: { tags: { id: { $in: [tag] } } } })),
  fc.constant({ $unset: { size: '' } }),
  fc.constant(tombstone([event], new Date(0), ['size'])),
);
const draft: fc.Arbitrary<Record> = fc.record(
  // Every record has a revision, which each write increments.
  { _id: id, revision: fc.constant(1), name, size, tags: fc.array(fc.record({ id }), { maxLength: 2 }) },
  { requiredKeys: ['_id', 'revision'] },
);
const BY_NAME = { name: 1, _id: 1 } as const;
const page = fc.record({
  sort: fc.constantFrom(BY_NAME, { size: -1, _id: -1 } as const),
  skip: fc.integer({ min: 0, max: 2 }),
  limit: fc.integer({ min: 0, max: 3 }),
  projection: fc.constantFrom<Document>({}, { tags: 0 }, { size: 1 }, { _id: 1 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  draft.map(
    (document): Step =>
      (all) =>
        all.insertOne({ ...document }),
  ),
  fc.array(draft, { maxLength: 3 }).map(
    (all): Step =>
      async (on) =>
        on.insertMissing(structuredClone(all)),
  ),
  fc.tuple(condition, update).map(
    ([where, change]): Step =>
      (all) =>
        all.findOneAndUpdate(where, { update: change, sort: { _id: 1 } }),
  ),
  fc.tuple(id, update).map(
    ([_id, change]): Step =>
      (all) =>
        all.updateOne({ _id }, { update: change }),
  ),
  fc.tuple(condition, size).map(
    ([where, by]): Step =>
      (all) =>
        all.updateMany(where, { update: { $inc: { size: by } } }),
  ),
  fc.tuple(id, draft).map(
    ([_id, document]): Step =>
      (all) =>
        all.replaceOne({ _id }, { ...document, _id }),
  ),
  condition.map(
    (where): Step =>
      (all) =>
        all.deleteMany(where),
  ),
  fc.tuple(condition, page).map(
    ([where, options]): Step =>
      (all) =>
        all.find(where, options),
  ),
  fc.tuple(condition, page).map(
    ([where, options]): Step =>
      (all) =>
        all.findOne(where, { sort: { _id: 1 }, projection: options.projection }),
  ),
  fc.tuple(condition, fc.constantFrom({}, { limit: 1 }, { limit: 2 })).map(
    ([where, options]): Step =>
      (all) =>
        all.count(where, options),
  ),
  condition.map(
    (where): Step =>
      async (all) =>
        (await all.distinct<string>(where, { field: 'name' })).toSorted(),
  ),
  condition.map(
    (where): Step =>
      (all) =>
        all.aggregate(where, { stages: [{ $group: { _id: null, sum: { $sum: '$size' } } }] }),
  ),
);

/** The results of the steps, or the fields of the unique index that rejected one. */
async function outcomesOf(steps: readonly Step[]): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const run of steps) {
    outcomes.push(
      await run(records).catch((error: unknown) => {
        const keys = duplicateKeysOf(error);
        if (keys === null) throw error;
        return keys;
      }),
    );
  }
  return outcomes;
}

describe('a dry run', () => {
  it('has the results of the real run for any sequence of operations, and stores nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(draft, { selector: ({ _id }) => _id, maxLength: 3 }),
        fc.array(step, { maxLength: 10 }),
        async (drafts, steps) => {
          await stored.deleteMany({});
          await records.insertMissing(
            drafts.map((each, index) => ({ ...each, name: `${each.name}${index}` })),
          );
          const before = await stored.find().sort({ _id: 1 }).toArray();
          const dryOutcomes = await dry(() => outcomesOf(steps));
          expect(await stored.find().sort({ _id: 1 }).toArray()).toEqual(before);
          expect(dryOutcomes).toEqual(await outcomesOf(steps));
        },
      ),
      { numRuns: randomRuns(300, 5000) },
    );
  });

  it('makes one query for each write, and none for the places that a document keeps', async () => {
    await using client = await new MongoClient(mongo.url, { monitorCommands: true }).connect();
    const commands: string[] = [];
    client.on('commandStarted', ({ commandName }) => commands.push(commandName));
    const watched = new PlatformCollection<Record>(client.db(database.databaseName), 'records');
    await dry(async () => {
      for (const _id of ['a', 'b', 'c', 'd']) await watched.insertOne({ _id, name: _id });
      expect(commands).toEqual(['listIndexes', 'find', 'find', 'find', 'find']);
      commands.length = 0;
      await watched.updateOne({ _id: 'a' }, { update: { $inc: { size: 1 } } });
      expect(commands).toEqual(['find']);
      const rename = () => watched.updateOne({ _id: 'a' }, { update: { $set: { name: 'b' } } });
      await expect(rename()).rejects.toThrow('E11000');
      await watched.deleteMany({ _id: 'b' });
      expect(await rename()).toBe(true);
    });
  });

  it('ends with its call: the next call does not see its writes', async () => {
    await dry(() => records.insertOne({ _id: 'a' }));
    expect(await dry(() => records.findOne({ _id: 'a' }))).toBeNull();
    expect(await records.findOne({ _id: 'a' })).toBeNull();
  });

  it('is not seen by a real call in it, nor by work whose result real calls share', async () => {
    await dry(async () => {
      await records.insertOne({ _id: 'a' });
      expect(await records.findOne({ _id: 'a' })).not.toBeNull();
      expect(await outsideDryRun(() => records.findOne({ _id: 'a' }))).toBeNull();
      expect(await runCall({ isDry: false }, () => records.findOne({ _id: 'a' }))).toBeNull();
      expect(currentDryRun()).not.toBeNull();
    });
    expect(currentDryRun()).toBeNull();
  });

  it('keeps concurrent calls apart', async () => {
    const call = (isDry: boolean, _id: string) =>
      runCall({ isDry }, async () => {
        await records.insertOne({ _id });
        await setImmediate();
        return (await records.find({}, { sort: { _id: 1 } })).map((found) => found._id);
      });
    const seen = await Promise.all([call(true, 'a'), call(false, 'b'), call(true, 'c')]);
    expect(seen.map((ids) => ids.filter((each) => each !== 'b'))).toEqual([['a'], [], ['c']]);
    expect((await records.find({})).map((found) => found._id)).toEqual(['b']);
  });
});
