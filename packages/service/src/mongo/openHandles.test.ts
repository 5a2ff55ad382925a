import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { keepOpenHandles, OpenHandles } from './openHandles.js';

setFlagsFromString('--expose-gc');
type Collect = (options?: { type: 'minor' }) => void;
const collect = runInNewContext('gc') as Collect;

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());

/** The bytes that remain of 4,000 objects that were each in the set for a moment. */
function remainingBytes(set: OpenHandles<object> | Set<object>): number {
  const pass = (count: number) => {
    const inside: object[] = [];
    for (let index = 0; index < count; index += 1) {
      const item = { data: Array.from({ length: 1000 }, () => index) };
      set.add(item);
      inside.push(item);
      const oldest = inside.length > 16 ? inside.shift() : undefined;
      if (oldest) set.delete(oldest);
      if (index % 100 === 0) collect({ type: 'minor' });
    }
    for (const item of inside) set.delete(item);
  };
  pass(200);
  collect();
  const before = getHeapStatistics().used_heap_size;
  pass(4000);
  collect({ type: 'minor' });
  return getHeapStatistics().used_heap_size - before;
}

describe('OpenHandles', () => {
  it('is a set for every sequence of changes', () => {
    const items = Array.from({ length: 6 }, (_, index) => ({ index }));
    const change = fc.record({ name: fc.constantFrom('add', 'delete', 'clear'), index: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const [handles, reference] = [new OpenHandles<object>(), new Set<object>()];
        for (const { name, index } of changes) {
          const item = items[index] ?? {};
          const sets = [handles, reference];
          const results = sets.map((set) => {
            if (name === 'delete') return set.delete(item);
            if (name === 'add') set.add(item);
            else set.clear();
            return null;
          });
          expect(results[0]).toBe(results[1]);
          expect(handles.size).toBe(reference.size);
          expect(new Set(handles)).toEqual(reference);
          expect(items.map((each) => handles.has(each))).toEqual(items.map((each) => reference.has(each)));
        }
        handles.clear();
      }),
    );
  });

  it('lets the collections of young objects free what was taken out', () => {
    const bytes = remainingBytes(new OpenHandles());
    expect(bytes).toBeLessThan(remainingBytes(new Set()) / 4);
  });
});

describe('the client of the database', () => {
  it('has its open cursors and sessions in handles, and closes them with itself', async () => {
    const client = new MongoClient(mongo.url);
    const { activeCursors, activeSessions } = keepOpenHandles(client);
    const notes = client.db(`${mongo.prefix}_handles`).collection('notes');
    await notes.insertMany(Array.from({ length: 10 }, (_, index) => ({ index })));
    expect([activeCursors.size, activeSessions.size]).toEqual([0, 0]);
    const cursor = notes.find({}, { batchSize: 2 });
    await cursor.next();
    expect([activeCursors.size, activeSessions.size]).toEqual([1, 1]);
    await notes.find().toArray();
    expect([activeCursors.size, activeSessions.size]).toEqual([1, 1]);
    await client.close();
    expect(cursor.killed).toBe(true);
    expect([activeCursors.size, activeSessions.size]).toEqual([0, 0]);
  });
});
