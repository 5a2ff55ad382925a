import { startTestMongo, watchCommands, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScopedCollection } from './scopedCollection.js';
import { markSharded } from './sharding.js';

interface Note {
  _id: string;
  projectId: string;
  /** A field that all notes share, so that a scope by it would separate nothing. */
  everywhere: string;
  text: string;
}

const HERE = 'p_here';
const THERE = 'p_there';
const EVERYWHERE = 'all';
const COLLECTION = 'notes';
const BY_ID = { live: 'text', projection: { projectId: 1, everywhere: 1, text: 1 } };

let mongo: TestMongo;
beforeAll(async () => void (mongo = await startTestMongo()));
afterAll(() => mongo[Symbol.asyncDispose]());

const open = (scope: 'projectId' | 'everywhere' | '_id') =>
  new ScopedCollection<Note>(mongo.databases.of('scoped'), { collection: COLLECTION, scope });
const openSharded = (scope: 'projectId' | 'everywhere' | '_id') =>
  new ScopedCollection<Note>(markSharded(mongo.databases.of('scoped')), { collection: COLLECTION, scope });
const raw = () => mongo.databases.of('scoped').collection<Note>(COLLECTION);

async function readAll<T>(documents: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const document of documents) all.push(document);
  return all;
}

/** What each function finds or changes of the note in a scope. Nothing is null, false, 0 or an empty list. */
function callsOf(notes: ScopedCollection<Note>, scopeId: string, _id: string) {
  // A caller's condition on the scope does not replace that of the collection.
  const condition = { _id, projectId: HERE };
  const either = { $or: [condition, { text: 'kept' }] };
  const update = { $set: { text: 'changed' } };
  return {
    findOne: () => notes.findOne(scopeId, condition),
    findById: () => notes.findById(scopeId, _id, BY_ID),
    find: () => notes.find(scopeId, either),
    scan: () => readAll(notes.scan(scopeId, either)),
    count: () => notes.count(scopeId, either),
    distinct: () => notes.distinct(scopeId, either, { field: 'text' }),
    aggregate: () => notes.aggregate(scopeId, either, { stages: [{ $project: { text: 1 } }] }),
    scanStages: () => readAll(notes.scanStages(scopeId, either, { stages: [{ $project: { text: 1 } }] })),
    updateOne: () => notes.updateOne(scopeId, condition, { update }),
    updateMany: () => notes.updateMany(scopeId, either, { update }),
    findOneAndUpdate: () => notes.findOneAndUpdate(scopeId, condition, { update }),
    replaceOne: () =>
      notes.replaceOne(scopeId, condition, { _id, projectId: HERE, everywhere: EVERYWHERE, text: 'new' }),
    deleteMany: () => notes.deleteMany(scopeId, either),
  } satisfies Record<string, () => Promise<unknown>>;
}

/** Functions that only insert, with the test that covers them, and the constructor. */
const INSERTS = ['constructor', 'insertOne', 'insertMany', 'insertMissing'];

const isNothing = (found: unknown) =>
  found === null || found === false || found === 0 || (Array.isArray(found) && found.length === 0);

/** The functions that find or change the note of HERE when they are called for the scope. */
async function findLeaks(notes: ScopedCollection<Note>, scopeId: string): Promise<string[]> {
  const leaks: string[] = [];
  for (const name of Object.keys(callsOf(notes, scopeId, '')) as (keyof ReturnType<typeof callsOf>)[]) {
    await raw().deleteMany({});
    const note = { _id: 'n_one', projectId: HERE, everywhere: EVERYWHERE, text: 'kept' };
    await raw().insertOne({ ...note });
    const found = await callsOf(notes, scopeId, note._id)[name]();
    const after = await raw().findOne({ _id: note._id });
    if (!isNothing(found) || after?.text !== note.text || after.projectId !== HERE) leaks.push(name);
  }
  return leaks;
}

describe('a scoped collection', () => {
  it.each([open, openSharded])('finds, counts and changes nothing of another scope', async (openBy) => {
    expect(await findLeaks(openBy('projectId'), THERE)).toEqual([]);
    expect(await findLeaks(openBy('projectId'), '')).toEqual([]);
    expect(await findLeaks(openBy('_id'), 'n_two')).toEqual([]);
  });

  it.each([open, openSharded])(
    'finds and changes documents of its own scope by every function',
    async (openBy) => {
      const notes = openBy('projectId');
      expect(await findLeaks(notes, HERE)).toEqual(Object.keys(callsOf(notes, HERE, '')));
    },
  );

  it('finds no tombstone by its id', async () => {
    await raw().deleteMany({});
    await raw().insertOne({ _id: 'n_one', projectId: HERE, everywhere: EVERYWHERE } as Note);
    for (const notes of [open('projectId'), openSharded('projectId')])
      expect(await notes.findById(HERE, 'n_one', BY_ID)).toBeNull();
  });

  it('names the scope in a query by id if the database is sharded, and the id alone otherwise', async () => {
    const filters: unknown[] = [];
    const stop = watchCommands(({ name, command }) => {
      if (name === 'find') filters.push(command['filter']);
    });
    await using watched = await startTestMongo();
    stop();
    const ofProject = { collection: COLLECTION, scope: 'projectId' } as const;
    for (const database of [watched.databases.of('one'), markSharded(watched.databases.of('many'))])
      await new ScopedCollection<Note>(database, ofProject).findById(HERE, 'n_one', BY_ID);
    expect(filters).toEqual([{ _id: 'n_one' }, { _id: 'n_one', projectId: HERE }]);
  });

  it('is caught by this suite if a mutant drops the scope from its filters', async () => {
    const mutant = open('everywhere');
    expect(await findLeaks(mutant, EVERYWHERE)).toEqual(Object.keys(callsOf(mutant, EVERYWHERE, '')));
  });

  it('inserts into the given scope, whatever the document names', async () => {
    const notes = open('projectId');
    await raw().deleteMany({});
    const note = (_id: string) => ({ _id, projectId: HERE, everywhere: EVERYWHERE, text: 'new' });
    await notes.insertOne(THERE, note('n_1'));
    await notes.insertMany(THERE, [note('n_2')]);
    await notes.insertMissing(THERE, [note('n_3')]);
    expect(await notes.count(HERE, {})).toBe(0);
    expect(await notes.count(THERE, {})).toBe(3);
  });

  it('rejects a scope that is not a string, which the driver would leave out of the filter', async () => {
    const notes = open('projectId');
    for (const scopeId of [undefined, null, { $exists: true }] as unknown as string[]) {
      for (const call of Object.values(callsOf(notes, scopeId, 'n_one')))
        await expect((async () => call())()).rejects.toThrow('must be a string');
      await expect((async () => notes.insertMissing(scopeId, [{} as Note]))()).rejects.toThrow(TypeError);
    }
  });

  it('reads no document by an id that is not a string', async () => {
    await raw().deleteMany({});
    await raw().insertOne({ _id: 'n_one', projectId: HERE, everywhere: EVERYWHERE, text: 'kept' });
    for (const notes of [open('projectId'), openSharded('projectId')])
      for (const id of [undefined, null, { $gt: '' }] as unknown as string[])
        await expect(notes.findById(HERE, id, BY_ID)).rejects.toThrow('must be a string');
  });

  it('has no function outside this suite', () => {
    const covered = [...Object.keys(callsOf(open('projectId'), HERE, '')), ...INSERTS];
    expect(Object.getOwnPropertyNames(ScopedCollection.prototype).toSorted()).toEqual(covered.toSorted());
  });
});
