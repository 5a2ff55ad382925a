import { startTestMongo } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { toAppError } from '../rpc/implement.js';
import { isDatabaseUnreachable, openDatabases } from './database.js';

describe('a database that cannot be reached', () => {
  it('makes a call UNAVAILABLE and not an internal error', async () => {
    const mongo = await startTestMongo();
    const databases = await openDatabases(mongo.url, mongo.prefix);
    const notes = databases.of('test').collection('notes');
    await notes.insertOne({ text: 'here' });
    await mongo[Symbol.asyncDispose]();

    const error: unknown = await notes.findOne({}).catch((caught: unknown) => caught);
    expect(isDatabaseUnreachable(error)).toBe(true);
    expect(toAppError(error)).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1, cause: error });
    await databases.close();
  });

  it('is not what any other error says', () => {
    expect(isDatabaseUnreachable(new Error('write conflict'))).toBe(false);
    expect(isDatabaseUnreachable(undefined)).toBe(false);
  });
});
