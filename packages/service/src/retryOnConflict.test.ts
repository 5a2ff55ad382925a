import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from './config.js';
import { RecordStore } from './mongo/recordStore.js';
import type { StoredRecord } from './mongo/storedRecord.js';
import { readQuotas } from './quotas/limits.js';
import { retryOnConflict, WriteConflict } from './retryOnConflict.js';

interface Counter extends StoredRecord {
  value: number;
}

const ORGANIZATION = 'o_one';
const ATTEMPTS_MAX = 25;
const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };

class CounterStore extends RecordStore<Counter, 'organizationId'> {}

let mongo: TestMongo;
let counters: CounterStore;
beforeAll(async () => {
  mongo = await startTestMongo();
  counters = new CounterStore(mongo.databases.of('counters'), readQuotas(readConfig({})), {
    collection: 'counters',
    scope: 'organizationId',
    quota: 'domains',
    live: { version: { $gte: 1 } },
    longFields: [],
  });
  const index = { name: 'usage', key: { organizationId: 1, quotaBytes: 1 } } as const;
  await mongo.databases.of('counters').collection('counters').createIndexes([index]);
});
afterAll(() => mongo[Symbol.asyncDispose]());

async function insertCounter(_id: string): Promise<void> {
  await counters.insert(ORGANIZATION, { _id, value: 0 }, written);
}

/** Adds one to a counter. `meanwhile` runs between the read and the write of each attempt. */
function increment(id: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<Counter> {
  return retryOnConflict(async () => {
    const current = await counters.getByKey(ORGANIZATION, id);
    await meanwhile();
    return counters.update(ORGANIZATION, current, { set: { value: current.value + 1 }, ...written });
  });
}

/** Plants a lost race: another writer changes the record. */
const touch = (id: string) => counters.touchAll(ORGANIZATION, [id]);

describe('a retry after a conflict', () => {
  it('applies every change of two writers that race on one record', async () => {
    await insertCounter('raced');
    const writer = async () => {
      for (let change = 0; change < 10; change += 1) await increment('raced');
    };
    await Promise.all([writer(), writer()]);
    expect(await counters.getByKey(ORGANIZATION, 'raced')).toMatchObject({ value: 20, version: 21 });
  });

  it('succeeds after lost races, and writes once', async () => {
    await insertCounter('late');
    let racesLeft = 3;
    const attempts = vi.fn<() => Promise<unknown>>(async () => {
      if (racesLeft > 0) await touch('late');
      racesLeft -= 1;
    });
    expect(await increment('late', attempts)).toMatchObject({ value: 1, version: 2 });
    expect(attempts).toHaveBeenCalledTimes(4);
  });

  it('gives up with UNAVAILABLE after the last attempt, and writes nothing', async () => {
    await insertCounter('lost');
    const attempts = vi.fn<() => Promise<unknown>>(() => touch('lost'));
    const error = await increment('lost', attempts).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 1 });
    expect(error).toHaveProperty('cause', expect.any(WriteConflict));
    expect(attempts).toHaveBeenCalledTimes(ATTEMPTS_MAX);
    expect(await counters.getByKey(ORGANIZATION, 'lost')).toMatchObject({ value: 0, version: 1 });
  });

  it('does not multiply the attempts of an operation inside another one', async () => {
    const attempt = vi.fn<() => Promise<never>>().mockRejectedValue(new WriteConflict());
    const nested = retryOnConflict(() => retryOnConflict(attempt));
    await expect(nested).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(attempt).toHaveBeenCalledTimes(ATTEMPTS_MAX);
  });

  it('throws any other error at once', async () => {
    const attempt = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('other'));
    await expect(retryOnConflict(attempt)).rejects.toThrow('other');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
