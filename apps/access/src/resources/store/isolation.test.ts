import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, writeOutcome, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Share } from '../../sharing/logic/grants.js';
import { newResource } from '../../testing/newResource.js';
import type { ResourceHeader } from './document.js';
import { openAccessStores, type AccessStores, type ResourceStore } from './openStores.js';
import type { NewResource } from './writes.js';

const SUBJECTS = ['u:owner', 'u:reader'];
const now = new Date('2026-03-01T12:00:00Z');
const event = { events: [], now };

let mongo: TestMongo;
let stores: AccessStores;
let dashboard: ResourceHeader;
let visual: ResourceHeader;

const shareTo = (name: string): Share => ({
  id: `sh_${name}`,
  scope: 'specific_org_user',
  subject: `u:${name}`,
  targetId: `ou_${name}`,
  tenantKey: null,
  role: 'VIEWER',
  expiresAt: new Date(now.getTime() + 1000),
  createdAt: now,
  createdBy: 'ou_owner',
});

/** A resource of each type whose shares are in parts. */
const PARTED = 'r_parted';
const manyShares = ['reader', ...Array.from({ length: 200 }, (_, index) => `other${index}`)].map(shareTo);

const sharedResource = (_id: string, fields: Partial<NewResource> = {}): NewResource =>
  newResource(_id, { ownerKey: 'u:owner', shares: [shareTo('reader')], ...fields });

beforeAll(async () => {
  mongo = await startTestMongo();
  stores = await openAccessStores(mongo.databases.of('access'), readQuotas(readConfig({})));
  visual = await stores.visuals.insertResource('p_one', sharedResource('v_one'), event);
  const linking = sharedResource('d_one', {
    linkedVisualIds: ['v_one'],
    secretHash: 'hash',
  });
  dashboard = await stores.dashboards.insertResource('p_one', linking, event);
  for (const store of [stores.dashboards, stores.visuals]) {
    const parted = await store.insertResource('p_one', sharedResource(PARTED), event);
    await store.changeResource('p_one', parted, { change: { shares: manyShares }, ...event });
  }
});
afterAll(async () => {
  await mongo[Symbol.asyncDispose]();
});

type Place = { projectId: string; organizationId: string };
const HERE: Place = { projectId: 'p_one', organizationId: 'o_one' };
/** Another project in another organization, and an empty scope. */
const ELSEWHERE: Place[] = [
  { projectId: 'p_two', organizationId: 'o_two' },
  { projectId: '', organizationId: '' },
];
const orNull = (found: Promise<unknown>) => found.catch(() => null);
const page = { sort: 'title', order: 'asc', after: null, limit: 10, subjects: SUBJECTS } as const;
const later = new Date(now.getTime() + 5000);

type Reads<Store> = {
  [Name in keyof Store]: (store: Store, place: Place, header: ResourceHeader) => Promise<unknown>;
};
/** Any state that it is called with is a state of another scope. */
const decide = async () => ({ change: { title: 'Title' }, events: [] });
/** A call of each function in a scope. Writes use a header that claims to be of that scope. */
const resourceCalls: Reads<Omit<ResourceStore, 'platform' | 'copies'>> = {
  findWhole: (store, { projectId }, { _id }) => store.findWhole(projectId, _id),
  findWholeOrParted: (store, { projectId }, { _id }) => store.findWholeOrParted(projectId, _id, SUBJECTS),
  findSeen: (store, { projectId }, { _id }) => store.findSeen(projectId, _id, SUBJECTS),
  findSeenWithBody: (store, { projectId }, { _id }) => store.findSeenWithBody(projectId, _id, SUBJECTS),
  async addNeeded(store, { projectId }) {
    const header = await store.getHeader(HERE.projectId, PARTED, { subjects: [] });
    const added = await orNull(store.addNeeded({ ...header, projectId }));
    return (added as { shares: unknown[] } | null)?.shares ?? [];
  },
  async addReaching(store, { projectId }) {
    const parted = await store.findSeen(HERE.projectId, PARTED, []);
    const seen = parted && (await orNull(store.addReaching(projectId, parted, SUBJECTS)));
    return (seen as { shares: unknown[] } | null)?.shares ?? [];
  },
  async findUserShares(store, { projectId }) {
    const parted = await store.findSeen(HERE.projectId, PARTED, []);
    const list = parted?.shareParts ?? { list: {} };
    const found = store.findUserShares(projectId, list, { after: undefined, count: 1, tenantKey: null });
    return ((await orNull(found)) as { shares: unknown[] } | null)?.shares ?? [];
  },
  findManySeen: (store, { projectId }, { _id }) => store.findManySeen(projectId, [_id], SUBJECTS),
  findReachedBy: (store, { projectId }) => store.findReachedBy(projectId, 'u:reader', { limit: 10 }),
  getHeader: (store, { projectId }, { _id }) => orNull(store.getHeader(projectId, _id)),
  getHeaderWithBody: (store, { projectId }, { _id }) => orNull(store.getHeaderWithBody(projectId, _id)),
  hasShareFor: (store, { organizationId }) => store.hasShareFor(organizationId, 'u:reader', now),
  findHeadersReachedBy: (store, { organizationId }) =>
    store.findHeadersReachedBy(organizationId, 'u:reader', { limit: 10 }),
  findPage: async (store, { projectId }, { _id }) => [
    ...(await store.findPage(projectId, { readers: null, alsoIds: [] }, page)).resources,
    ...(await store.findPage(projectId, { readers: SUBJECTS, alsoIds: [] }, page)).resources,
    ...(await store.findPage(projectId, { readers: [], alsoIds: [_id] }, page)).resources,
  ],
  countSelected: async (store, { projectId }, { _id }) =>
    (await store.countSelected(projectId, { readers: null, alsoIds: [] }, 100)) +
    (await store.countSelected(projectId, { readers: SUBJECTS, alsoIds: [_id] }, 100)),
  hasExpired: (store, { projectId }) => store.hasExpired(projectId, later),
  findContents: async (store, { projectId }, { _id }) =>
    (
      await store.findContents(
        projectId,
        { ids: [_id], readers: null },
        { afterId: '', count: 10, bytes: 1000 },
      )
    ).found,
  countContents: (store, { projectId }, { _id }) =>
    store.countContents(projectId, { ids: [_id], readers: null }),
  insertResource: async (store, { projectId }, { _id }) =>
    projectId === HERE.projectId ? true : orNull(store.insertResource(projectId, sharedResource(_id), event)),
  change: (store, place, { _id }) =>
    place === HERE ? Promise.resolve(true) : orNull(store.change(place.projectId, { id: _id, decide })),
  changeResource: (store, { projectId }, header) =>
    writeOutcome(store.changeResource(projectId, header, { change: { title: 'Title' }, ...event })),
  changeResourceWithBody: (store, { projectId }, header) =>
    writeOutcome(store.changeResourceWithBody(projectId, header, { change: { title: 'Title' }, ...event })),
  deleteResource: async (store, place, header) =>
    place === HERE ? true : writeOutcome(store.deleteResource(place.projectId, header, event)),
};
const linkCalls: Reads<AccessStores['links']> = {
  findLinking: (links, { projectId }) => links.findLinking(projectId, ['v_one'], SUBJECTS),
  findAllLinking: (links, { projectId }) => links.findAllLinking(projectId, 'v_one'),
  countLinking: (links, { projectId }) => links.countLinking(projectId, 'v_one'),
  hasExpired: (links, { projectId }) => links.hasExpired(projectId, later),
  findLinkedIds: (links, { projectId }) => links.findLinkedIds(projectId, SUBJECTS),
};
const isNothing = (found: unknown) =>
  found === null || found === false || found === 0 || (Array.isArray(found) && found.length === 0);

async function stored() {
  const database = mongo.databases.of('access');
  return [
    await database.collection('dashboards').find().toArray(),
    await database.collection('visuals').find().toArray(),
    await database.collection('dashboardShareParts').find().toArray(),
    await database.collection('visualShareParts').find().toArray(),
  ];
}

describe('the stores', () => {
  it('have a test case for each of their functions', () => {
    const functions = Object.keys(stores.dashboards).filter(
      // The functions of copies have their own test.
      (name) => name !== 'platform' && name !== 'copies',
    );
    expect(functions.toSorted()).toEqual(Object.keys(resourceCalls).toSorted());
    expect(Object.keys(stores.visuals)).toEqual(Object.keys(stores.dashboards));
    expect(Object.keys(stores.links).toSorted()).toEqual(Object.keys(linkCalls).toSorted());
    // These have no principal: they serve the check of a secret and the sweep.
    expect(Object.keys(stores.dashboards.platform)).toEqual([
      'addMissingTerms',
      'findSecretHolder',
      'findExpired',
      'settleParts',
    ]);
    expect(Object.keys(stores)).toEqual(['dashboards', 'visuals', 'links']);
  });

  it.each(['dashboards', 'visuals'] as const)(
    'return and change no %s of another project or organization',
    async (name) => {
      const store = stores[name];
      for (const [call, run] of Object.entries(resourceCalls)) {
        const id = name === 'dashboards' ? dashboard._id : visual._id;
        const header = await store.getHeader(HERE.projectId, id);
        expect(isNothing(await run(store, HERE, header)), `${call} finds the resource in its own scope`).toBe(
          false,
        );
        const current = await store.getHeader(HERE.projectId, id);
        const before = await stored();
        for (const place of ELSEWHERE) {
          const claimed = { ...current, ...place };
          expect(isNothing(await run(store, place, claimed)), `${call} in ${place.projectId}`).toBe(true);
          expect(await stored(), `${call} writes nothing`).toEqual(before);
        }
      }
    },
  );

  it('return no link of another project', async () => {
    for (const [call, run] of Object.entries(linkCalls)) {
      expect(
        isNothing(await run(stores.links, HERE, dashboard)),
        `${call} finds the resource in its own scope`,
      ).toBe(false);
      for (const place of ELSEWHERE) {
        expect(isNothing(await run(stores.links, place, dashboard)), `${call} in ${place.projectId}`).toBe(
          true,
        );
      }
    }
  });
});
