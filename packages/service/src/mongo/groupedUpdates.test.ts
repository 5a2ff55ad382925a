import { startTestMongo, startUserMongo, type TestMongo, type UserMongo } from '@gatehouse/testing';
import { MongoClient, type CommandStartedEvent, type Db, type Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSecret } from '../ids.js';
import { duplicateKeysOf } from './databaseErrors.js';
import { ScopedCollection } from './scopedCollection.js';
import { watchWrites } from './watchWrites.js';

interface Note {
  _id: string;
  projectId: string;
  revision: number;
  text: string;
}

const COLLECTION = { collection: 'notes', scope: 'projectId' } as const;
const OTHER = 'p_two';
const PROJECT = 'p_one';
const IDS = Array.from({ length: 40 }, (_, index) => `note${index}`);

let mongo: TestMongo;
let users: UserMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
  users = await startUserMongo(mongo);
});
afterAll(async () => {
  await users[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

async function fill(database: Db): Promise<ScopedCollection<Note>> {
  const notes = database.collection<Note>('notes');
  await notes.createIndex({ text: 1 }, { unique: true });
  await notes.deleteMany({});
  await notes.insertMany(IDS.map((_id) => ({ _id, projectId: PROJECT, revision: 1, text: _id })));
  return new ScopedCollection<Note>(database, COLLECTION);
}

const changeOf = (text: string) => ({ update: { $set: { text }, $inc: { revision: 1 } } });

/** Updates every note at once, each fourth one on a revision that it does not have. */
const updateAll = (notes: ScopedCollection<Note>) =>
  Promise.all(
    IDS.map((_id, index) =>
      notes.updateOne(PROJECT, { _id, revision: index % 4 === 0 ? 7 : 1 }, changeOf(`new ${_id}`)),
    ),
  );

const EXPECTED = IDS.map((_, index) => index % 4 !== 0);

describe('concurrent updates of a collection', () => {
  let client: MongoClient;
  let notes: ScopedCollection<Note>;
  let commands: string[];

  beforeAll(async () => {
    client = await new MongoClient(mongo.url, { monitorCommands: true, ignoreUndefined: true }).connect();
    client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  });
  afterAll(() => client.close());
  beforeEach(async () => {
    commands = [];
    notes = await fill(client.db(`${mongo.prefix}_grouped`));
    commands = [];
  });

  it('share a command, and each has its own outcome', async () => {
    expect(await updateAll(notes)).toEqual(EXPECTED);
    expect(commands).toEqual(['bulkWrite', 'bulkWrite', 'bulkWrite']);
    const found = await notes.find(PROJECT, {});
    const changed = found.map(({ _id, revision, text }) => [_id, revision === 2, text === `new ${_id}`]);
    expect(changed).toEqual(IDS.map((_id, index) => [_id, EXPECTED[index], EXPECTED[index]]));
  });

  it('are not changed for another caller after their command has begun', async () => {
    const first = notes.updateOne(PROJECT, { _id: 'note0' }, changeOf('first'));
    while (commands.length === 0) await new Promise(setImmediate);
    const others = Promise.all(IDS.map((_id) => notes.updateOne(PROJECT, { _id }, changeOf(`later ${_id}`))));
    expect(await first).toBe(true);
    expect(await others).toEqual(IDS.map(() => true));
    expect(await notes.findOne(PROJECT, { _id: 'note0' })).toMatchObject({
      revision: 3,
      text: 'later note0',
    });
    expect(commands.slice(0, -1)).toEqual(['update', 'bulkWrite', 'bulkWrite', 'bulkWrite']);
  });

  it('reject for the caller whose update a unique index rejects, as an update alone does', async () => {
    const outcomes = await Promise.allSettled([
      notes.updateOne(PROJECT, { _id: 'note1' }, changeOf('one')),
      notes.updateOne(PROJECT, { _id: 'note2' }, changeOf('note3')),
      notes.updateOne(PROJECT, { _id: 'note4' }, changeOf('four')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const [, rejected] = outcomes;
    expect(duplicateKeysOf((rejected as PromiseRejectedResult).reason)).toEqual(['text']);
    expect(await notes.findOne(PROJECT, { _id: 'note4' })).toMatchObject({ revision: 2, text: 'four' });
  });

  it.each<[string, Document]>([
    ['no operator', { text: 'no operator' }],
    ['a key that BSON cannot hold', { $set: { extra: { 'a\0b': 1 } } }],
  ])('reject for the caller whose update the driver rejects: %s', async (_, update) => {
    const outcomes = await Promise.allSettled([
      notes.updateOne(PROJECT, { _id: 'note1' }, changeOf('one')),
      notes.updateOne(PROJECT, { _id: 'note2' }, { update }),
      notes.updateOne(PROJECT, { _id: 'note4' }, changeOf('four')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await notes.findOne(PROJECT, { _id: 'note4' })).toMatchObject({ revision: 2 });
  });

  it('omit undefined fields and conditions, as an update alone does', async () => {
    const updates = ['note1', 'note2'].map((_id) => {
      const update: Document = { $set: { text: `set ${_id}`, revision: undefined } };
      return notes.updateOne(PROJECT, { _id, text: undefined }, { update });
    });
    expect(await Promise.all(updates)).toEqual([true, true]);
    expect(await notes.findOne(PROJECT, { _id: 'note2' })).toMatchObject({ revision: 1, text: 'set note2' });
  });

  it('never share a command with those of another scope', async () => {
    const begun: number[] = [];
    const scopes = new Set<string>();
    const note = ({ command }: CommandStartedEvent) => {
      const ops = command['ops'] as { filter: Note }[];
      begun.push(new Set(ops.map(({ filter }) => filter.projectId)).size);
      for (const { filter } of ops) scopes.add(filter.projectId);
    };
    client.on('commandStarted', note);
    const running = IDS.map((_id, index) =>
      notes.updateOne(index % 2 === 0 ? PROJECT : OTHER, { _id }, changeOf(`scoped ${_id}`)),
    );
    while (commands.length < 4) await new Promise(setImmediate);
    client.off('commandStarted', note);
    expect(begun).toEqual([1, 1, 1, 1]);
    expect(scopes).toEqual(new Set([PROJECT, OTHER]));
    expect(await Promise.all(running)).toEqual(IDS.map((_, index) => index % 2 === 0));
  });

  it('are reported by a watched database before they return', async () => {
    const watched = watchWrites(client.db(`${mongo.prefix}_grouped`));
    const reported: string[] = [];
    watched.onWrite((collection) => reported.push(collection));
    const own = new ScopedCollection<Note>(watched.database, COLLECTION);
    const updates = ['note1', 'note2'].map(async (_id) => {
      await own.updateOne(PROJECT, { _id }, changeOf(`watched ${_id}`));
      expect(reported).toEqual(['notes']);
    });
    await Promise.all(updates);
    expect(commands).toEqual(['bulkWrite']);
  });
});

describe('a server that does not permit the shared command', () => {
  it('makes each update alone', async () => {
    const database = `${mongo.prefix}_limited`;
    const user = { name: 'limited', password: newSecret(), database };
    await users.create(user);
    await using client = new MongoClient(users.urlOf(user));
    const notes = await fill(client.db(database));
    expect(await updateAll(notes)).toEqual(EXPECTED);
  });
});

describe('a closed connection', () => {
  it('fails every update', async () => {
    const client = await new MongoClient(mongo.url).connect();
    const notes = await fill(client.db(`${mongo.prefix}_closed`));
    await client.close();
    const outcomes = await Promise.allSettled(
      IDS.map((_id) => notes.updateOne(PROJECT, { _id }, changeOf(`closed ${_id}`))),
    );
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
