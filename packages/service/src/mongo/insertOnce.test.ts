import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../ids.js';
import { insertOnce } from './insertOnce.js';

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
