import { startTestMongo } from '@gatehouse/testing';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { PlatformCollection } from './platformCollection.js';

interface Named {
  _id: string;
  name: string;
}

/** The result of a query, part by part. */
interface Reply {
  cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] };
}

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());

describe('the insertion of missing documents', () => {
  const records = new PlatformCollection<Named>(mongo.databases.of('insert-missing'), 'records');
  const oversized = { _id: 'd', name: 'x'.repeat(17 * 1024 * 1024) };

  it('inserts missing documents and does not change the others', async () => {
    await records.insertMissing([]);
    await records.insertMissing([{ _id: 'a', name: 'first' }]);
    await records.insertMissing([
      { _id: 'a', name: 'second' },
      { _id: 'b', name: 'new' },
      { _id: 'b', name: 'twice' },
    ]);
    expect(await records.find({}, { sort: { _id: 1 } })).toEqual([
      { _id: 'a', name: 'first' },
      { _id: 'b', name: 'new' },
    ]);
  });

  it('rejects when a document cannot be inserted', async () => {
    await expect(records.insertMissing([{ _id: 'c', name: 'new' }, oversized])).rejects.toThrow(
      'Document is larger',
    );
  });
});

describe('a scan', () => {
  it('closes its query when the reader ends early', async () => {
    const records = new PlatformCollection<Named>(mongo.databases.of('scan'), 'records');
    await records.insertMany(Array.from({ length: 10 }, (_, at) => ({ _id: `r_${at}`, name: 'same' })));
    const read: string[] = [];
    for await (const { _id } of records.scan({ name: 'same' }, { sort: { _id: 1 }, batchSize: 2 })) {
      read.push(_id);
      if (read.length === 3) break;
    }
    expect(read).toEqual(['r_0', 'r_1', 'r_2']);
  });

  it('has a thousand documents in memory and not all of a large result', async () => {
    await using client = await new MongoClient(mongo.url, { monitorCommands: true }).connect();
    const records = new PlatformCollection<Named>(client.db('large-scan'), 'records');
    await records.insertMany(Array.from({ length: 2500 }, (_, at) => ({ _id: `r_${at}`, name: 'same' })));
    const sizes: number[] = [];
    client.on('commandSucceeded', ({ reply }) => {
      const { firstBatch, nextBatch = firstBatch } = (reply as Reply).cursor ?? {};
      if (nextBatch) sizes.push(nextBatch.length);
    });
    const read: string[] = [];
    for await (const { _id } of records.scan({})) read.push(_id);
    expect(read).toHaveLength(2500);
    expect(sizes).toEqual([1000, 1000, 500]);
  });
});
