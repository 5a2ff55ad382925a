import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from './store.js';
import { createIndexes, createStores, type Stores } from '../dependencies.js';

const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };
const HERE: Place = { organizationId: 'o_one', projectId: 'p_one' };
const ELSEWHERE: Place[] = [
  { organizationId: 'o_one', projectId: 'p_two' },
  { organizationId: 'o_two', projectId: 'p_one' },
];
const COPY = { id: 'ap_one', migrationId: 'mig_one' };

let mongo: TestMongo;
let stores: Stores;
beforeAll(async () => {
  mongo = await startTestMongo();
  await createIndexes(mongo.databases.of('semantics'));
  stores = createStores(mongo.databases.of('semantics'), readQuotas(readConfig({})));
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  await mongo.databases.of('semantics').collection('assistantProfiles').deleteMany({});
  const named = { name: 'One', nameFolded: 'one', createdBy: null, copiedBy: COPY.migrationId };
  const profile = { _id: COPY.id, organizationId: HERE.organizationId, description: '', instructions: '' };
  await stores.assistantProfiles.insert(HERE.projectId, { ...profile, ...named }, written);
});

const copies = () => stores.copies.assistantProfile;

describe('CopyStore', () => {
  it('finds records in the project of the organization', async () => {
    expect(await copies().listStates(HERE, [COPY.id, 'ap_other'])).toMatchObject([
      { _id: COPY.id, version: 1 },
    ]);
    expect(await copies().listAll(HERE)).toMatchObject([{ _id: COPY.id }]);
    expect(await copies().isGone(HERE.projectId, COPY.id)).toBe(false);
  });

  it.each(ELSEWHERE)('finds nothing from $organizationId, $projectId', async (place) => {
    expect(await copies().listStates(place, [COPY.id])).toEqual([]);
    expect(await copies().listAll(place)).toEqual([]);
  });

  it('marks an undone id, unless a record has it, until the marks are swept', async () => {
    const { marks } = copies();
    expect(await marks.insert(HERE.projectId, COPY.id, now)).toBe(false);
    expect(await marks.insert(HERE.projectId, 'ap_late', now)).toBe(true);
    expect(await marks.insert(HERE.projectId, 'ap_late', now)).toBe(false);
    await marks.deleteBefore(now);
    expect(await marks.insert(HERE.projectId, 'ap_late', now)).toBe(false);
    await marks.deleteBefore(new Date(now.getTime() + 1));
    expect(await marks.insert(HERE.projectId, 'ap_late', now)).toBe(true);
  });

  it('keeps the id of an undone record taken after its events are published', async () => {
    const { assistantProfiles } = stores;
    const current = await assistantProfiles.get(HERE.projectId, COPY.id);
    await assistantProfiles.delete(HERE.projectId, current, { ...written, isUndo: true });
    expect(await copies().isGone(HERE.projectId, COPY.id)).toBe(true);
    expect(await assistantProfiles.find(HERE.projectId, COPY.id)).toBeNull();
    const profiles = mongo.databases.of('semantics').collection('assistantProfiles');
    expect(await profiles.findOne({ undoneAt: now, deletedAt: { $exists: false } })).not.toBeNull();
    expect(await copies().marks.insert(HERE.projectId, COPY.id, now)).toBe(false);
  });
});
