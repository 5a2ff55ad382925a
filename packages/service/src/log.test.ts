import fs from 'node:fs';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLog } from './log.js';

type Write = (fd: number, text: string, done: (error: null, written: number) => void) => void;

/** Logs an error, and returns the line. */
async function lineOf(err: unknown): Promise<string> {
  const lines: string[] = [];
  const write: Write = (_fd, text, done) => {
    lines.push(text);
    setImmediate(done, null, Buffer.byteLength(text));
  };
  const spy = vi.spyOn(fs, 'write').mockImplementation(write as typeof fs.write);
  createLog('test', { LOG_LEVEL: 'info' }).error({ err }, 'call failed');
  await vi.waitFor(() => expect(lines.join('')).toMatch(/\n$/));
  spy.mockRestore();
  return lines.join('');
}

describe('the log', () => {
  let mongo: Awaited<ReturnType<typeof startTestMongo>>;
  beforeAll(async () => {
    mongo = await startTestMongo();
  });
  afterAll(() => mongo[Symbol.asyncDispose]());

  it('contains no document of a write that failed', async () => {
    const people = mongo.databases.of('log').collection('people');
    await people.createIndex({ email: 1 }, { unique: true });
    const person = { email: 'dana@example.com', secretHash: 'sha256-of-a-secret' };
    const failures = [
      () => people.insertMany([{ ...person }, { ...person }]),
      () => people.insertOne({ ...person }),
      () =>
        people.bulkWrite([
          { updateOne: { filter: person, update: { $push: { email: 'sha256' as never } } } },
        ]),
    ];
    for (const fail of failures) {
      const error: unknown = await fail().catch((err: unknown) => err);
      for (const err of [error, new Error('outer', { cause: error }), new AggregateError([error])]) {
        const line = await lineOf(err);
        expect(line).toMatch(/Mongo\w+Error/);
        expect(line).not.toMatch(/dana|sha256/);
      }
    }
  });

  it('contains the type, message, stack, code and causes of an error', async () => {
    const cause = Object.assign(new TypeError('inner'), { code: 'ECONNRESET' });
    const err = Object.assign(new Error('outer', { cause }), { code: 7, document: 'record' });
    const { err: logged } = JSON.parse(await lineOf(err)) as { err: Record<string, unknown> };
    expect(logged).toEqual({
      type: 'Error',
      message: 'outer: inner',
      stack: expect.stringMatching(/Error: outer[^]*caused by: TypeError: inner/) as string,
      code: 7,
    });
  });

  it('contains a text that was thrown, and only the type of another value', async () => {
    expect(JSON.parse(await lineOf('plain text'))).toMatchObject({ err: 'plain text' });
    expect(JSON.parse(await lineOf({ document: 'record' }))).toMatchObject({ err: 'object' });
  });
});
