import { newSecret } from '@gatehouse/service';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestMongo, type TestMongo } from './mongo.js';
import { startUserMongo, type MongoUser, type UserMongo } from './userMongo.js';

const NOT_ALLOWED = { code: 13 };
const NOT_LET_IN = { code: 18 };

describe('a MongoDB with users', () => {
  let mongo: TestMongo;
  let server: UserMongo;
  let count = 0;
  let user: MongoUser;
  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await startUserMongo(mongo);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    count += 1;
    user = { name: `u${count}`, password: newSecret(), database: `${mongo.prefix}_own` };
    await server.create(user);
  });

  it('permits a user the commands of a service on its database', async () => {
    await using client = new MongoClient(server.urlOf(user), { retryWrites: false });
    const notes = client.db(user.database).collection<{ _id: string; text: string }>('notes');
    await notes.createIndex({ text: 1 });
    const written = Array.from({ length: 250 }, (_, index) => ({
      _id: `${index}`,
      text: 'x'.repeat(index * 100),
    }));
    await notes.insertMany(written, { writeConcern: { w: 'majority', journal: true } });
    expect(await notes.find().sort({ text: 1 }).toArray()).toEqual(written);
    expect(await notes.updateMany({}, { $set: { text: '' } })).toMatchObject({ modifiedCount: 249 });
    expect(await server.readConnected()).toEqual(new Set([user.name]));
    await notes.drop();
  });

  it('rejects a wrong password and an unknown user', async () => {
    const wrong = [
      { ...user, password: `${user.password}x` },
      { ...user, name: 'nobody' },
      { ...user, database: 'admin' },
    ];
    for (const each of wrong)
      await expect(server.read(each, user.database)).rejects.toMatchObject(NOT_LET_IN);
    const url = new URL(server.urlOf(user));
    url.username = url.password = '';
    await using unauthenticated = new MongoClient(url.href);
    await expect(unauthenticated.db(user.database).collection('any').findOne()).rejects.toMatchObject(
      NOT_ALLOWED,
    );
  });

  it('permits a user only to read and write, and only in its database', async () => {
    await server.read(user, user.database);
    await expect(server.read(user, `${mongo.prefix}_other`)).rejects.toMatchObject(NOT_ALLOWED);
    await using client = new MongoClient(server.urlOf(user));
    const own = client.db(user.database);
    for (const command of [
      { dropDatabase: 1 },
      { createUser: 'x', pwd: 'x', roles: [] },
      { dropUser: user.name },
    ]) {
      await expect(own.command(command)).rejects.toMatchObject(NOT_ALLOWED);
    }
    await expect(client.db('admin').command({ listDatabases: 1 })).rejects.toMatchObject(NOT_ALLOWED);
  });

  it('rejects a dropped user, also on an open connection and with a new user of the same name', async () => {
    await using client = new MongoClient(server.urlOf(user));
    const look = () => client.db(user.database).collection('any').findOne();
    await look();
    await server.drop(user);
    await expect(look()).rejects.toMatchObject(NOT_ALLOWED);
    await server.create({ ...user, password: newSecret() });
    await expect(look()).rejects.toMatchObject(NOT_ALLOWED);
    await expect(server.read(user, user.database)).rejects.toMatchObject(NOT_LET_IN);
  });
});
