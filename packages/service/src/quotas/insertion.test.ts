import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../ids.js';
import { Quota } from './quota.js';

interface Named {
  _id: string;
  name: string;
}

const mongo = await startTestMongo();
const collection = mongo.databases.of('insertion').collection<Named>('records');
beforeAll(async () => void (await collection.createIndex({ name: 1 }, { unique: true })));
beforeEach(async () => void (await collection.deleteMany({})));
afterAll(() => mongo[Symbol.asyncDispose]());

const quota = new Quota({
  name: 'dashboards',
  limits: { records: 0, bytes: 0, tenantPercent: 0 },
  count: async () => ({ records: await collection.countDocuments(), bytes: 0 }),
});

const insert = (document: Named) =>
  quota.insert({ organizationId: 'o_1' }, 0, {
    insert: () => collection.insertOne({ ...document }),
    findEarlier: () => collection.findOne({ _id: document._id }),
  });

describe('an insertion within a quota', () => {
  it('inserts a record once and afterwards returns it as it is stored', async () => {
    const document = { _id: newKey(), name: 'Sales' };
    expect(await insert(document)).toBeNull();
    expect(await insert(document)).toEqual(document);
    await collection.updateOne({ _id: document._id }, { $set: { name: 'Renamed' } });
    expect(await insert(document)).toEqual({ ...document, name: 'Renamed' });
    expect(await collection.countDocuments()).toBe(1);
  });

  it('lets one of many concurrent runs insert the record', async () => {
    const document = { _id: newKey(), name: 'Sales' };
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => insert(document)));
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
    expect(await collection.countDocuments()).toBe(1);
  });

  it('rejects when another record has the name', async () => {
    await insert({ _id: newKey(), name: 'Sales' });
    await expect(insert({ _id: newKey(), name: 'Sales' })).rejects.toThrow('E11000');
  });
});
