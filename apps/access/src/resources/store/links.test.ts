import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LINKED_MAX } from './links.js';
import { openAccessStores, type AccessStores } from './openStores.js';

const PROJECT = 'p_one';
const LINKS = 5000;

let mongo: TestMongo;
let stores: AccessStores;
beforeAll(async () => {
  mongo = await startTestMongo();
  stores = await openAccessStores(mongo.databases.of('links'), readQuotas(readConfig({})));
});
afterAll(() => mongo[Symbol.asyncDispose]());

it('lists visuals of which the linked ids together exceed a document of the database', async () => {
  const dashboards = Array.from({ length: 100 }, (_, index) => ({
    _id: `d_${index}`,
    projectId: PROJECT,
    organizationId: 'o_one',
    readers: ['u:many'],
    linkedVisualIds: Array.from(
      { length: LINKS },
      (__, n) => `v_${String(index * LINKS + n).padStart(24, '0')}`,
    ),
  }));
  await mongo.databases
    .of('links')
    .collection<(typeof dashboards)[number]>('dashboards')
    .insertMany(dashboards);
  const alsoIds = await stores.links.findLinkedIds(PROJECT, ['u:many']);
  expect(alsoIds).toHaveLength(LINKED_MAX);
  const page = { sort: 'title', order: 'asc', after: null, limit: 10, subjects: ['u:many'] } as const;
  for (const isPrivate of [undefined, true]) {
    const selection = { readers: ['u:many'], alsoIds, isPrivate };
    expect((await stores.visuals.findPage(PROJECT, selection, page)).resources).toEqual([]);
  }
});
