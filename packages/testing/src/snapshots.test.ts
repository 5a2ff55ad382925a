import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writesTo } from './countedWrites.js';
import { startTestMongo, type TestMongo } from './mongo.js';
import { createSnapshots } from './snapshots.js';

let mongo: TestMongo;
let others: MongoClient;
/** The commands of the snapshots. */
const sent: string[] = [];
beforeAll(async () => {
  mongo = await startTestMongo();
  others = await new MongoClient(mongo.url).connect();
});
afterAll(async () => {
  await others.close();
  await mongo[Symbol.asyncDispose]();
});

describe('a snapshot', () => {
  const open = () => {
    const database = mongo.databases.of('snapshots');
    const one = database.collection<{ _id: string; value?: number }>('one');
    const two = database.collection<{ _id: string }>('two');
    return { database, one, two, snapshot: createSnapshots(database, {}) };
  };
  let opened: ReturnType<typeof open>;
  const onCommand = ({ commandName }: { commandName: string }) => sent.push(commandName);
  beforeEach(async () => {
    opened = open();
    await opened.database.dropDatabase();
    await opened.one.insertOne({ _id: 'a' });
  });

  it('reads nothing again while nothing is written', async () => {
    const { database, snapshot } = opened;
    const before = await snapshot();
    database.client.on('commandStarted', onCommand);
    const [again, beside] = await Promise.all([snapshot(), snapshot()]);
    database.client.off('commandStarted', onCommand);
    expect(again).toEqual({ one: [{ _id: 'a' }] });
    expect([again, beside]).toEqual([before, before]);
    expect(sent).toEqual([]);
  });

  it.each<[string, (parts: ReturnType<typeof open>) => Promise<unknown>, object]>([
    ['an insertion', ({ one }) => one.insertOne({ _id: 'b' }), { one: [{ _id: 'a' }, { _id: 'b' }] }],
    [
      'a new collection',
      ({ two }) => two.insertOne({ _id: 'b' }),
      { one: [{ _id: 'a' }], two: [{ _id: 'b' }] },
    ],
    [
      'an update',
      ({ one }) => one.updateOne({ _id: 'a' }, { $set: { value: 1 } }),
      { one: [{ _id: 'a', value: 1 }] },
    ],
    [
      'an update that returns the document',
      ({ one }) => one.findOneAndUpdate({ _id: 'a' }, { $set: { value: 2 } }),
      { one: [{ _id: 'a', value: 2 }] },
    ],
    ['a deletion', ({ one }) => one.deleteOne({ _id: 'a' }), { one: [] }],
    ['the removal of a collection', ({ one }) => one.drop(), {}],
    [
      'a write of another client',
      ({ database }) => others.db(database.databaseName).collection('one').insertOne({ value: 1 }),
      { one: [{ _id: 'a' }, { _id: expect.anything() as unknown, value: 1 }] },
    ],
  ])('contains %s', async (_name, write, expected) => {
    const { snapshot } = opened;
    await snapshot();
    await write(opened);
    expect(await snapshot()).toEqual(expected);
  });

  it('that begins during a write is not kept', async () => {
    const { database, one, snapshot } = opened;
    const writes = writesTo(database.databaseName, 'one');
    const writing = one.insertOne({ _id: 'c' });
    await snapshot();
    await writing;
    expect(writesTo(database.databaseName, 'one')).toBe(writes + 2);
    expect(await snapshot()).toEqual({ one: [{ _id: 'a' }, { _id: 'c' }] });
  });

  it('of a client whose writes are not counted is refused', () => {
    const client = new MongoClient(mongo.url);
    expect(() => createSnapshots(client.db('other'), {})()).toThrow('startTestMongo');
  });
});
