import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../ids.js';
import { insertMissing, insertOnce } from './insertOnce.js';

interface Named {
  _id: string;
  name: string;
}

const mongo = await startTestMongo();
const collection = mongo.databases.of('insert-once').collection<Named>('records');
beforeAll(async () => void (await collection.createIndex({ name: 1 }, { unique: true })));
beforeEach(async () => void (await collection.deleteMany({})));
afterAll(() => mongo[Symbol.asyncDispose]());

const insert = (document: Named) =>
  insertOnce(
    () => collection.insertOne({ ...document }),
    () => collection.findOne({ _id: document._id }),
  );

describe('a document that is inserted once', () => {
  it('is inserted, and met by whoever inserts it again, as it is by then', async () => {
    const document = { _id: newKey(), name: 'Sales' };
    expect(await insert(document)).toBeNull();
    expect(await insert(document)).toEqual(document);
    await collection.updateOne({ _id: document._id }, { $set: { name: 'Renamed' } });
    expect(await insert(document)).toEqual({ ...document, name: 'Renamed' });
    expect(await collection.countDocuments()).toBe(1);
  });

  it('of many at once is inserted by one', async () => {
    const document = { _id: newKey(), name: 'Sales' };
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => insert(document)));
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
    expect(await collection.countDocuments()).toBe(1);
  });

  it('is refused when another one has its name', async () => {
    await insert({ _id: newKey(), name: 'Sales' });
    await expect(insert({ _id: newKey(), name: 'Sales' })).rejects.toThrow('E11000');
  });
});

describe('documents of which some may be there', () => {
  const records = mongo.databases.of('insert-missing').collection<Named>('records');
  const oversized = { _id: 'd', name: 'x'.repeat(17 * 1024 * 1024) };

  it('are all there afterwards, those that were there as they are', async () => {
    await insertMissing(records, [{ _id: 'a', name: 'first' }]);
    await insertMissing(records, [
      { _id: 'a', name: 'second' },
      { _id: 'b', name: 'new' },
      { _id: 'b', name: 'twice' },
    ]);
    expect(await records.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', name: 'first' },
      { _id: 'b', name: 'new' },
    ]);
  });

  it('are not said to be there when one could not be inserted', async () => {
    await expect(insertMissing(records, [{ _id: 'c', name: 'new' }, oversized])).rejects.toThrow(
      'Document is larger',
    );
  });
});
