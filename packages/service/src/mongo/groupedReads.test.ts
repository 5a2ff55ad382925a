import { randomRuns, startTestMongo, type TestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScopedCollection } from './scopedCollection.js';
import { markSharded } from './sharding.js';

interface Note {
  _id: string;
  projectId: string;
  text: string;
  secret: string;
  parts: { name: string }[];
}

const PROJECT = 'p_one';
const OTHER = 'p_two';
const COLLECTION = { collection: 'notes', scope: 'projectId' } as const;
const BY_ID = { live: 'text', projection: { projectId: 1, text: 1, parts: 1 } };
const WITH_SECRET = { live: 'text', projection: { ...BY_ID.projection, secret: 1 } };
const IDS = Array.from({ length: 20 }, (_, index) => `n_${index}`);
const FOREIGN = 'n_foreign';
const TOMBSTONE = 'n_tombstone';

const noteOf = (_id: string, projectId = PROJECT): Note => ({
  _id,
  projectId,
  text: `text of ${_id}`,
  secret: `secret of ${_id}`,
  parts: [{ name: _id }],
});
const shown = ({ secret: _secret, ...note }: Note) => note;

let mongo: TestMongo;
let client: MongoClient;
let commands: Document[];
let notes: ScopedCollection<Note>;
const raw = () => client.db(`${mongo.prefix}_reads`).collection<Note>('notes');

beforeAll(async () => {
  mongo = await startTestMongo();
  client = await new MongoClient(mongo.url, { monitorCommands: true, ignoreUndefined: true }).connect();
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (commandName === 'find') commands.push(command);
  });
});
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await raw().deleteMany({});
  await raw().insertMany([...IDS.map((id) => noteOf(id)), noteOf(FOREIGN, OTHER)]);
  await raw().insertOne({ _id: TOMBSTONE, projectId: PROJECT } as Note);
  notes = new ScopedCollection<Note>(client.db(`${mongo.prefix}_reads`), COLLECTION);
  commands = [];
});

const begun = async () => {
  while (commands.length === 0) await new Promise(setImmediate);
};

describe('concurrent reads by id', () => {
  it('share a command, and each gets its own document or none', async () => {
    const ids = [...IDS, FOREIGN, TOMBSTONE, 'n_absent'];
    const found = await Promise.all(ids.map((id) => notes.findById(PROJECT, id, BY_ID)));
    expect(found).toEqual([...IDS.map((id) => shown(noteOf(id))), null, null, null]);
    expect(commands.map(({ filter }) => (filter as { _id: { $in: string[] } })._id.$in.length)).toEqual([
      16, 7,
    ]);
  });

  it('get objects of their own, so that no caller sees what another one changes', async () => {
    const read = () => notes.findById<Note>(PROJECT, 'n_1', BY_ID);
    const [first, second, third] = await Promise.all([read(), read(), read()]);
    expect(commands).toHaveLength(1);
    Object.assign(first?.parts[0] ?? {}, { name: 'changed' });
    Object.assign(first ?? {}, { text: 'changed', shares: ['of another reader'] });
    expect([second, third]).toEqual([shown(noteOf('n_1')), shown(noteOf('n_1'))]);
    expect(second).not.toBe(third);
    expect(second?.parts).not.toBe(third?.parts);
  });

  it('of several scopes or of other fields share nothing', async () => {
    const [own, withSecret, foreign] = await Promise.all([
      notes.findById(PROJECT, 'n_1', BY_ID),
      notes.findById(PROJECT, 'n_1', WITH_SECRET),
      notes.findById(OTHER, FOREIGN, BY_ID),
    ]);
    expect(own).toEqual(shown(noteOf('n_1')));
    expect(withSecret).toEqual(noteOf('n_1'));
    expect(foreign).toEqual(shown(noteOf(FOREIGN, OTHER)));
    expect(commands).toHaveLength(3);
  });

  it('that begin after a write see it, although an earlier read has not ended', async () => {
    const earlier = notes.findById(PROJECT, 'n_0', BY_ID);
    await begun();
    await raw().updateOne({ _id: 'n_1' }, { $set: { text: 'new' } });
    const later = await Promise.all([notes.findById(PROJECT, 'n_1', BY_ID), earlier]);
    expect(later[0]).toMatchObject({ text: 'new' });
  });

  it('reject for all who share the command, and for no later one', async () => {
    const invalid = { live: 'text', projection: { text: 1, projectId: 1, secret: 0 } };
    const reads = [1, 2].map((index) => notes.findById(PROJECT, `n_${index}`, invalid));
    const other = notes.findById(PROJECT, 'n_3', BY_ID);
    expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await other).toEqual(shown(noteOf('n_3')));
    await expect(notes.findById(PROJECT, 'n_1', invalid)).rejects.toThrow(/secret/);
    expect(await notes.findById(PROJECT, 'n_1', BY_ID)).toEqual(shown(noteOf('n_1')));
  });

  it('of large documents leave a turn of the event loop to others before each of them', async () => {
    const large = IDS.slice(0, 10);
    await raw().updateMany({ _id: { $in: large } }, { $set: { text: 'x'.repeat(40_000) } });
    const events: string[] = [];
    let isRunning = true;
    const countTurns = () => {
      events.push('turn');
      if (isRunning) setImmediate(countTurns);
    };
    countTurns();
    await Promise.all(large.map((id) => notes.findById(PROJECT, id, BY_ID).then(() => events.push('read'))));
    isRunning = false;
    expect(commands).toHaveLength(1);
    expect(events.filter((event) => event === 'read')).toHaveLength(10);
    expect(events.filter((event, n) => event === 'read' && events[n + 1] === 'read')).toEqual([]);
  });

  it('find nothing by an id that the driver stores as another one', async () => {
    // BSON has no lone surrogates: the driver writes U+FFFD instead.
    await raw().insertMany([noteOf('n_\u{fffd}'), noteOf('N_1')]);
    const read = (ids: string[]) => Promise.all(ids.map((id) => notes.findById(PROJECT, id, BY_ID)));
    for (const id of ['n_\ud800', 'n_1\u0000', 'n_01', ' n_1', '__proto__', '$where', ''])
      expect([await read([id]), await read([id, 'n_1'])]).toEqual([[null], [null, shown(noteOf('n_1'))]]);
    expect(await read(['N_1', 'n_1'])).toEqual([shown(noteOf('N_1')), shown(noteOf('n_1'))]);
  });

  it('name the scope if the database is sharded', async () => {
    const sharded = new ScopedCollection<Note>(markSharded(client.db(`${mongo.prefix}_reads`)), COLLECTION);
    const found = await Promise.all(['n_1', 'n_2'].map((id) => sharded.findById(PROJECT, id, BY_ID)));
    expect(found).toEqual([shown(noteOf('n_1')), shown(noteOf('n_2'))]);
    expect(commands.map(({ filter }) => filter as unknown)).toEqual([
      { projectId: PROJECT, _id: { $in: ['n_1', 'n_2'] } },
    ]);
  });

  it('return what each would return alone', async () => {
    const oneRead = fc.record({
      scopeId: fc.constantFrom(PROJECT, OTHER),
      id: fc.constantFrom(...IDS.slice(0, 4), FOREIGN, TOMBSTONE, 'n_absent'),
      wanted: fc.constantFrom(BY_ID, WITH_SECRET),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneRead, { maxLength: 30 }), async (reads) => {
        const found = await Promise.all(
          reads.map(({ scopeId, id, wanted }) => notes.findById(scopeId, id, wanted)),
        );
        const expected = await Promise.all(
          reads.map(({ scopeId, id, wanted: { projection } }) =>
            raw().findOne({ _id: id, projectId: scopeId, text: { $exists: true } }, { projection }),
          ),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: randomRuns(200) },
    );
  });
});
