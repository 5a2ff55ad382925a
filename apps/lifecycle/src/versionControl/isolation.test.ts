import { newKey } from '@gatehouse/service';
import { startTestMongo, writeOutcome, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RepositoryStore, type Repository } from './store.js';

const HERE = 'o_here';
const now = new Date('2026-03-01T12:00:00Z');
const later = new Date('2026-03-01T13:00:00Z');
const settings = { isRemoved: false, commitOnSave: 'off', branch: 'main', remote: null } as const;
const written = { settings, events: [], now };

let mongo: TestMongo;
let store: RepositoryStore;
beforeAll(async () => {
  mongo = await startTestMongo();
  store = await RepositoryStore.open(mongo.databases.of('lifecycle'));
});
afterAll(() => mongo[Symbol.asyncDispose]());

const stored = (_id: string) =>
  mongo.databases.of('lifecycle').collection<{ _id: string }>('repositories').findOne({ _id });

/** Runs a write without a result. Returns true if it changed the document. */
async function hasChanged(_id: string, write: () => Promise<void>): Promise<boolean> {
  const before = await stored(_id);
  await write();
  return JSON.stringify(await stored(_id)) !== JSON.stringify(before);
}

const calls: Record<string, (organizationId: string, repository: Repository) => Promise<unknown>> = {
  find: (organizationId, { _id }) => store.find(organizationId, _id),
  // A project is in one organization: settings of another organization cannot take their place.
  insert: async (organizationId, { _id }) =>
    organizationId === HERE ? true : writeOutcome(store.insert(organizationId, _id, written)),
  update: (organizationId, current) => writeOutcome(store.update(organizationId, current, written)),
  markDirty: (organizationId, { _id }) =>
    hasChanged(_id, () => store.markDirty(organizationId, _id, { now: later, nextPushAt: later })),
  recordPush: (organizationId, current) => {
    const outcome = { at: later, status: 'failed', reason: 'no', commitSha: null } as const;
    return hasChanged(current._id, () =>
      store.recordPush(organizationId, current, { outcome, nextPushAt: later }),
    );
  },
  addEvent: (organizationId, { _id }) => {
    const event = { id: newKey(), type: 't', source: 's', specversion: '1.0', time: now.toISOString() };
    return hasChanged(_id, () => store.addEvent(organizationId, _id, event as never));
  },
};

it.each(Object.entries(calls))('%s finds and changes settings of its organization only', async (_, call) => {
  const repository = await store.insert(HERE, newKey(), written);
  const before = await stored(repository._id);
  for (const there of ['o_there', '']) expect((await call(there, repository)) || null).toBeNull();
  expect(await stored(repository._id)).toEqual(before);
  expect((await call(HERE, repository)) || null).not.toBeNull();
});

it('every function of the store has a case, except for that of the sweep', () => {
  const methods = Object.getOwnPropertyNames(RepositoryStore.prototype);
  expect(methods.toSorted()).toEqual([...Object.keys(calls), 'constructor', 'listDue'].toSorted());
});
