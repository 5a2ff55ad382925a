import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import type { Collection, Db } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { watchWrites } from './watchWrites.js';

interface Note {
  _id: string;
  text: string;
}

let mongo: TestMongo;
let plain: Db;
let notes: Collection<Note>;
let reported: string[];

beforeAll(async () => {
  mongo = await startTestMongo();
  plain = mongo.databases.of('test');
  await plain.collection('notes').createIndex({ text: 1 }, { unique: true });
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  await plain.collection('notes').deleteMany({});
  await plain.collection<Note>('notes').insertOne({ _id: 'one', text: 'a' });
  const watched = watchWrites(plain);
  reported = [];
  watched.onWrite((collection) => reported.push(collection));
  notes = watched.database.collection<Note>('notes');
});

describe('a watched database', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['insertOne', () => notes.insertOne({ _id: 'two', text: 'b' })],
    ['insertMany', () => notes.insertMany([{ _id: 'two', text: 'b' }])],
    ['updateOne', () => notes.updateOne({ _id: 'one' }, { $set: { text: 'c' } })],
    ['updateMany', () => notes.updateMany({}, { $set: { text: 'c' } })],
    ['replaceOne', () => notes.replaceOne({ _id: 'one' }, { text: 'c' })],
    ['findOneAndUpdate', () => notes.findOneAndUpdate({ _id: 'one' }, { $set: { text: 'c' } })],
    ['findOneAndReplace', () => notes.findOneAndReplace({ _id: 'one' }, { text: 'c' })],
    ['findOneAndDelete', () => notes.findOneAndDelete({ _id: 'one' })],
    ['deleteOne', () => notes.deleteOne({ _id: 'one' })],
    ['deleteMany', () => notes.deleteMany({})],
    ['bulkWrite', () => notes.bulkWrite([{ deleteOne: { filter: { _id: 'one' } } }])],
  ])('writes, and reports the write before the call returns: %s', async (_, write) => {
    const before = await plain.collection('notes').find().toArray();
    await write();
    expect(reported).toEqual(['notes']);
    expect(await plain.collection('notes').find().toArray()).not.toEqual(before);
  });

  it('reports a failed write, and rejects as the write does', async () => {
    await expect(notes.insertOne({ _id: 'two', text: 'a' })).rejects.toThrow('E11000');
    expect(reported).toEqual(['notes']);
  });

  it('reads like any other database, and reports nothing', async () => {
    expect(await notes.findOne({ _id: 'one' })).toEqual({ _id: 'one', text: 'a' });
    expect(await notes.find().sort({ _id: 1 }).toArray()).toHaveLength(1);
    expect(await notes.aggregate([{ $count: 'notes' }]).toArray()).toEqual([{ notes: 1 }]);
    expect(notes.collectionName).toBe('notes');
    expect(reported).toEqual([]);
  });

  it('does not report writes made elsewhere', async () => {
    await plain.collection<Note>('notes').insertOne({ _id: 'two', text: 'b' });
    expect(reported).toEqual([]);
  });
});
