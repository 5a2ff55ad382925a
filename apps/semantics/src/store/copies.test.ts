import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from './copies.js';
import { createIndexes } from './indexes.js';
import { createStores, type Stores } from './stores.js';

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
  stores = createStores(mongo.databases.of('semantics'));
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  await mongo.databases.of('semantics').collection('assistantProfiles').deleteMany({});
  const named = { name: 'One', nameFolded: 'one', createdBy: null, copiedBy: COPY.migrationId };
  const profile = { _id: COPY.id, organizationId: HERE.organizationId, description: '', instructions: '' };
  await stores.assistantProfiles.insert(HERE.projectId, { ...profile, ...named }, written);
});

const copies = () => stores.copies.assistantProfile;

describe('the store of copies', () => {
  it('finds and deletes what is in the project of the organization', async () => {
    expect(await copies().listStates(HERE, [COPY.id, 'ap_other'])).toMatchObject([
      { _id: COPY.id, version: 1 },
    ]);
    expect(await copies().listAll(HERE)).toMatchObject([{ _id: COPY.id }]);
    expect(await copies().isGone(HERE.projectId, COPY.id)).toBe(false);
    expect(await copies().deleteCopy(HERE, COPY, written)).toBe(true);
    expect(await copies().isGone(HERE.projectId, COPY.id)).toBe(true);
    expect(await stores.assistantProfiles.find(HERE.projectId, COPY.id)).toBeNull();
  });

  it.each(ELSEWHERE)('finds and deletes nothing from $organizationId, $projectId', async (place) => {
    expect(await copies().listStates(place, [COPY.id])).toEqual([]);
    expect(await copies().listAll(place)).toEqual([]);
    expect(await copies().deleteCopy(place, COPY, written)).toBe(false);
    expect(await stores.assistantProfiles.find(HERE.projectId, COPY.id)).not.toBeNull();
  });

  it('deletes no copy of another migration, and none that somebody has touched', async () => {
    expect(await copies().deleteCopy(HERE, { ...COPY, migrationId: 'mig_two' }, written)).toBe(false);
    const current = await stores.assistantProfiles.get(HERE.projectId, COPY.id);
    await stores.assistantProfiles.update(HERE.projectId, current, { set: { name: 'Two' }, ...written });
    expect(await copies().deleteCopy(HERE, COPY, written)).toBe(false);
  });

  it('marks what is not to be made any more, unless it is there, until the marks are swept', async () => {
    expect(await copies().markUndone(COPY.id, now)).toBe(false);
    expect(await copies().markUndone('ap_late', now)).toBe(true);
    expect(await copies().markUndone('ap_late', now)).toBe(false);
    await copies().deleteMarks(now);
    expect(await copies().markUndone('ap_late', now)).toBe(false);
    await copies().deleteMarks(new Date(now.getTime() + 1));
    expect(await copies().markUndone('ap_late', now)).toBe(true);
    expect(await copies().isGone(HERE.projectId, COPY.id)).toBe(false);
  });
});
