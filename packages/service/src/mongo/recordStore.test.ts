import { startTestMongo, writeOutcome, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config.js';
import { readQuotas } from '../quotas/limits.js';
import { usageIndex } from '../quotas/storedUsage.js';
import { WriteConflict } from '../retryOnConflict.js';
import { RecordStore } from './recordStore.js';
import type { Current, ScopeField, StoredRecord } from './storedRecord.js';

interface Note extends StoredRecord {
  projectId: string;
  text: string;
}

const HERE = 'p_here';
const THERE = 'p_there';
const ORGANIZATION = 'o_one';
const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };

async function readAll<T>(records: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) found.push(record);
  return found;
}

/** A store with public versions of the functions that subclasses use. */
class NoteStore<S extends ScopeField> extends RecordStore<Note, S> {
  readInOrganization(organizationId: string, key: string): Promise<Note[]> {
    return readAll(this.scanInOrganization(organizationId, { _id: key, organizationId: ORGANIZATION }));
  }

  /**
   * What each function finds or changes in a scope, of the record with the key. Nothing is null, false, 0 or
   * an empty list.
   */
  calls(scopeId: string, key: string, current: Current): Record<string, () => Promise<unknown>> {
    // A condition of a caller that names another scope does not replace the scope of the store.
    const condition = { _id: key, projectId: HERE };
    const update = { $set: { text: 'changed' } };
    return {
      findByKey: () => this.findByKey(scopeId, key),
      findEarlier: () => this.findEarlier(scopeId, { _id: key } as Note),
      getByKey: () => this.getByKey(scopeId, key).catch(() => null),
      listByKeys: () => this.listByKeys(scopeId, [key]),
      findOne: () => this.findOne(scopeId, condition),
      findMany: () => this.findMany(scopeId, condition),
      findSlice: async () =>
        (await this.findSlice(scopeId, condition, { by: 'createdAt', limit: 10 })).records.length,
      countMatching: () => this.countMatching(scopeId, condition),
      aggregate: () => this.aggregate(scopeId, condition, { stages: [], excludesTombstones: true }),
      scanMany: () => readAll(this.scanMany(scopeId, condition)),
      scanStages: () => readAll(this.scanStages(scopeId, condition, [])),
      touchOne: () => this.touchOne(scopeId, condition),
      touchAll: () => this.touchAll(scopeId, [key]),
      write: () => writeOutcome(this.write(scopeId, current, { update, events: [] })),
      change: () => writeOutcome(this.change(scopeId, current, { update, ...written })),
      update: () => writeOutcome(this.update(scopeId, current, { set: { text: 'changed' }, ...written })),
      delete: () => writeOutcome(this.delete(scopeId, current, written)),
      note: async () => {
        await this.note(scopeId, condition, { text: 'noted' });
        return (await this.findOne(scopeId, { ...condition, text: 'noted' })) !== null;
      },
    };
  }
}

/** Functions without a scope of a caller, with the tests that cover them. */
const UNSCOPED = ['constructor', 'insert', 'readUnscoped', 'withinQuota', 'countUsage', 'scanInOrganization'];

const isNothing = (found: unknown) =>
  found === null || found === false || found === 0 || (Array.isArray(found) && found.length === 0);

describe('a record store', () => {
  let mongo: TestMongo;
  let count = 0;
  beforeAll(async () => {
    mongo = await startTestMongo();
    await mongo.databases.of('notes').collection('notes').createIndexes([usageIndex()]);
  });
  afterAll(() => mongo[Symbol.asyncDispose]());

  function open<S extends ScopeField>(scope: S): NoteStore<S> {
    const live = { version: { $gte: 1 } };
    const longFields = ['text'] as const;
    const kind = { collection: 'notes', scope, quota: 'domains', live, longFields } as const;
    return new NoteStore<S>(mongo.databases.of('notes'), readQuotas(readConfig({})), kind);
  }

  /** Inserts a new record into the scope HERE. */
  async function insert(): Promise<Note> {
    count += 1;
    const draft = { _id: `n_${count}`, organizationId: ORGANIZATION, text: 'kept' };
    return open('projectId').insert(HERE, draft, written);
  }

  /** The functions that find or change a record of HERE when they are called for another scope. */
  async function findLeaks(store: NoteStore<ScopeField>, scopeId: string): Promise<string[]> {
    const leaks: string[] = [];
    for (const name of Object.keys(store.calls(scopeId, '', { _id: '', revision: 0, organizationId: '' }))) {
      const record = await insert();
      const found = await store.calls(scopeId, record._id, record)[name]?.();
      const after = await mongo.databases.of('notes').collection<Note>('notes').findOne({ _id: record._id });
      if (!isNothing(found) || after?.revision !== record.revision || after.text !== record.text)
        leaks.push(name);
    }
    return leaks;
  }

  it('finds and changes nothing of another scope', async () => {
    expect(await findLeaks(open('projectId'), THERE)).toEqual([]);
  });

  it('finds and changes records of its own scope by every function', async () => {
    const store = open('projectId');
    expect(await findLeaks(store, HERE)).toEqual(Object.keys(store.calls(HERE, '', await insert())));
  });

  it('is caught by this suite if a mutant has a scope that all records share', async () => {
    const mutant = open('organizationId');
    const expected = Object.keys(mutant.calls(ORGANIZATION, '', await insert()));
    expect(await findLeaks(mutant, ORGANIZATION)).toEqual(expected);
  });

  it('inserts into the given scope, whatever the draft names', async () => {
    const draft = { _id: 'n_draft', organizationId: ORGANIZATION, projectId: HERE, text: 'kept' };
    const store = open('projectId');
    await store.insert(THERE, draft, written);
    expect(await store.findByKey(HERE, 'n_draft')).toBeNull();
    expect(await store.findByKey(THERE, 'n_draft')).toMatchObject({ projectId: THERE });
  });

  it('keeps the scopes of concurrent reads apart', async () => {
    const store = open('projectId');
    const { _id } = await insert();
    const [here, there] = await Promise.all([store.listByKeys(HERE, [_id]), store.listByKeys(THERE, [_id])]);
    expect([here.length, there.length]).toEqual([1, 0]);
  });

  it('reads the projects of one organization only', async () => {
    const { _id } = await insert();
    expect(await open('projectId').readInOrganization(ORGANIZATION, _id)).toHaveLength(1);
    expect(await open('projectId').readInOrganization('o_two', _id)).toEqual([]);
  });

  it('rejects a write on an earlier revision', async () => {
    const store = open('projectId');
    const read = await insert();
    expect(await store.touchAll(HERE, [read._id])).toBe(true);
    const late = store.update(HERE, read, { set: { text: 'late' }, ...written });
    await expect(late).rejects.toBeInstanceOf(WriteConflict);
    await expect(store.delete(HERE, read, written)).rejects.toBeInstanceOf(WriteConflict);
    expect(await store.findByKey(HERE, read._id)).toMatchObject({ text: 'kept', version: 1 });
  });

  it('has no function outside this suite', async () => {
    const covered = [...Object.keys(open('projectId').calls(HERE, '', await insert())), ...UNSCOPED];
    expect(Object.getOwnPropertyNames(RecordStore.prototype).toSorted()).toEqual(covered.toSorted());
  });
});
