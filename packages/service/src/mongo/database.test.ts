import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir, startEmbeddedEngine, type EmbeddedEngine } from '@gatehouse/testing';
import { MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAppError } from '../rpc/errors.js';
import { openDatabases } from './database.js';
import { isDatabaseUnreachable } from './databaseErrors.js';

const SILENCE_MS = 1000;
/** More calls than connections, so that some wait for one. */
const CALLS = 100;

it.each(['localhost:27017', 'mongodb://user:secret%@localhost'])(
  'names the setting of an address that is not valid: %s',
  async (url) => {
    const error = await openDatabases(url, 'none').catch((caught: Error) => caught);
    expect(error).toMatchObject({ message: expect.stringMatching(/^MONGODB_URL: /) });
    expect(error).not.toMatchObject({ message: expect.stringContaining('secret') });
  },
);

it('names MongoDB if the first connection fails', async () => {
  const opening = openDatabases('mongodb://127.0.0.1:1', 'none');
  await expect(opening).rejects.toThrow('MongoDB: connect ECONNREFUSED 127.0.0.1:1');
});

describe('an unreachable database', () => {
  let dataDir: string;
  let engine: EmbeddedEngine;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-database-'));
    engine = await startEmbeddedEngine({ dataDir });
  });
  afterAll(async () => {
    await engine.stop();
    await removeDataDir(dataDir);
  });

  it('makes every call UNAVAILABLE while it hangs, and is used again once it responds', async () => {
    const databases = await openDatabases(engine.url, 'silent', { MONGODB_TIMEOUT_MS: SILENCE_MS });
    const notes = databases.of('test').collection('notes');
    await notes.insertMany([{ text: 'here' }, { text: 'there' }, { text: 'everywhere' }]);
    const cursor = notes.find({}, { batchSize: 2 });
    await cursor.next();
    await cursor.next();

    engine.kill('SIGSTOP');
    const calls = Array.from({ length: CALLS }, (_, index) =>
      index % 2 === 0 ? notes.findOne({}) : notes.insertOne({ text: 'x'.repeat(500_000) }),
    );
    const outcomes = await Promise.allSettled([...calls, cursor.next()]);
    const pinged = await Promise.allSettled([databases.ping('test')]);
    engine.kill('SIGCONT');

    const codes = outcomes.map((each) => each.status === 'rejected' && toAppError(each.reason).code);
    expect(new Set(codes)).toEqual(new Set(['UNAVAILABLE']));
    expect(pinged).toMatchObject([{ status: 'rejected' }]);
    expect(await notes.findOne({})).toMatchObject({ text: 'here' });
    await databases.ping('test');
    await databases.close();
  });

  it('makes a call UNAVAILABLE and not an internal error', async () => {
    const databases = await openDatabases(engine.url, 'gone');
    const notes = databases.of('test').collection('notes');
    await notes.insertOne({ text: 'here' });
    await engine.stop();

    const error: unknown = await notes.findOne({}).catch((caught: unknown) => caught);
    expect(isDatabaseUnreachable(error)).toBe(true);
    expect(toAppError(error)).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1, cause: error });
    await databases.close();
  });

  it('includes a server that rejects the credentials', () => {
    for (const code of [13, 18])
      expect(isDatabaseUnreachable(new MongoServerError({ message: 'no', code }))).toBe(true);
    expect(isDatabaseUnreachable(new MongoServerError({ message: 'no', code: 11_000 }))).toBe(false);
  });

  it('does not include other errors', () => {
    expect(isDatabaseUnreachable(new Error('write conflict'))).toBe(false);
    expect(isDatabaseUnreachable(undefined)).toBe(false);
  });
});
