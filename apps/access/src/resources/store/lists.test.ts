import {
  comparePositions,
  readConfig,
  readQuotas,
  ScopedCollection,
  type Position,
} from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import type { Document, FindOptions } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Share } from '../../sharing/logic/grants.js';
import { openMovingDashboards } from '../../testing/movingDashboards.js';
import { foldText, type ResourceDocument } from './document.js';
import { positionOf, SORT_NAMES, type Page, type Selection } from './lists.js';
import { createResourceLists } from './pages.js';
import { createShareParts } from './shareParts.js';
import { openAccessStores, type AccessStores } from './openStores.js';
import type { NewResource } from './writes.js';

const PROJECT = 'p_one';
const COUNT = 60;
const SUBJECTS = ['u:a', 'g:b'];
/** The subjects of a reader in so many groups that one query cannot have all of them. */
const WIDE = [...SUBJECTS, 'home:org', ...Array.from({ length: 450 }, (_, index) => `g:wide${index}`)];
const WORDS = ['revenue', 'Harbour', 'cedar', 'ß', 'quartz willow'];
/** Small limits, so that few resources lead to each way of reading. */
const LIMITS = {
  window: 7,
  rare: [
    { most: 2, terms: 3 },
    { most: 9, terms: 2 },
  ],
};

const mongo = await startTestMongo();
const database = mongo.databases.of('access');
const resources = new ScopedCollection<ResourceDocument>(database, {
  collection: 'dashboards',
  scope: 'projectId',
});
const parts = createShareParts(database, 'dashboard');
const lists = createResourceLists({ resources, parts }, LIMITS);
const nearLists = createResourceLists({ resources, parts }, { ...LIMITS, nearest: 2 });
let stores: AccessStores;
let stored: NewResource[];

const pick = <T>(items: readonly T[], index: number) => items[index % items.length] as T;
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const shareWith = (subject: string): Share => ({
  id: `sh_${subject}`,
  scope: 'specific_org_user',
  subject,
  targetId: subject,
  tenantKey: null,
  role: 'VIEWER',
  expiresAt: null,
  createdAt: at(0),
  createdBy: 'ou_a',
});

function resourceOf(index: number): NewResource {
  return {
    _id: `d_${String((index * 37) % COUNT).padStart(2, '0')}`,
    organizationId: 'o_one',
    tenantId: index % 11 === 0 ? 't_a' : null,
    title: `${pick(WORDS, index)} ${pick(WORDS, index * 3)} ${index % 20}`,
    description: index % 4 === 0 ? `about ${pick(WORDS, index + 1)}` : '',
    isPrivate: index % 13 !== 0,
    tags: index % 17 === 0 ? ['rare', 'common'] : ['common'],
    ownerId: 'ou_o',
    ownerKey: index % 7 === 1 ? 'u:a' : 'u:o',
    ownerType: 'organization',
    ownerTenantKey: null,
    createdBy: index % 19 === 0 ? 'ou_rare' : 'ou_a',
    createdAt: at(index % 8),
    updatedAt: at(index % 5),
    version: 1,
    shares: index % 6 === 5 ? [] : [shareWith(pick(SUBJECTS, index))],
    body: null,
  };
}

/** Records the reads of a list. */
class RecordedCollection extends ScopedCollection<ResourceDocument> {
  readonly reads: { condition: Document; options: FindOptions }[] = [];

  override find<R extends Document>(scopeId: string, condition: Document, options: FindOptions = {}) {
    this.reads.push({ condition, options });
    return super.find<R>(scopeId, condition, options);
  }

  override findOne<R>(scopeId: string, condition: Document, options: FindOptions = {}) {
    this.reads.push({ condition, options: { ...options, limit: 1 } });
    return super.findOne<R>(scopeId, condition, options);
  }
}

beforeAll(async () => {
  stores = await openAccessStores(database, readQuotas(readConfig({})));
  stored = Array.from({ length: COUNT }, (_, index) => resourceOf(index));
  for (const resource of stored) {
    await stores.dashboards.insertResource(PROJECT, resource, { events: [] });
    const other = { ...resource, _id: `other_${resource._id}` };
    await stores.dashboards.insertResource('p_two', other, { events: [] });
  }
});
afterAll(() => mongo[Symbol.asyncDispose]());

const contains = (text: string, search: string) => foldText(text).includes(foldText(search));

const readersOf = ({ ownerKey, isPrivate, shares }: NewResource) => [
  ownerKey,
  ...(isPrivate ? [] : ['home:org']),
  ...shares.map(({ subject }) => subject),
];

/** The slow reference: all matching resources in order. */
function expectedOf(selection: Selection, { sort, order }: Pick<Page, 'sort' | 'order'>): NewResource[] {
  const { readers, alsoIds, search, isPrivate, createdBy, tag, tenantId } = selection;
  const found = stored.filter(
    (each) =>
      (readers === null ||
        alsoIds.includes(each._id) ||
        readersOf(each).some((reader) => readers.includes(reader))) &&
      (search === undefined || contains(each.title, search) || contains(each.description, search)) &&
      (isPrivate === undefined || each.isPrivate === isPrivate) &&
      (createdBy === undefined || each.createdBy === createdBy) &&
      (tag === undefined || each.tags.includes(tag)) &&
      (tenantId === undefined || each.tenantId === tenantId),
  );
  const sign = order === 'asc' ? 1 : -1;
  return found.toSorted((a, b) => sign * comparePositions(positionOf(a, sort), positionOf(b, sort)));
}

/** Most lists have few filters: with all of them, hardly anything is found. */
const NONE = fc.constant(undefined);
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.oneof({ arbitrary: NONE, weight: 2 }, value);
const oneOf = (...values: string[]) => sometimes(fc.constantFrom(...values));
const searches = [...WORDS, 'HARBOUR CEDAR', 'cedar harbour 1', 'e', '7', 'absent', 'about revenue', 'z'];
const selections: fc.Arbitrary<Selection> = fc.record({
  readers: fc.constantFrom(null, SUBJECTS, ['g:b'], [], WIDE, WIDE.slice(1)),
  alsoIds: fc.constantFrom([], ['d_05', 'd_23']),
  search: oneOf(...searches, 'x'.repeat(200)),
  isPrivate: sometimes(fc.boolean()),
  createdBy: oneOf('ou_a', 'ou_rare', 'ou_absent'),
  tag: oneOf('common', 'rare', 'absent'),
  tenantId: oneOf('t_a', 't_absent'),
});
const orders = fc.record({
  sort: fc.constantFrom(...SORT_NAMES),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});

type Order = Pick<Page, 'sort' | 'order'>;

async function readAll(selection: Selection, order: Order, limit: number, from = lists) {
  const ids: string[] = [];
  let after: Position | null = null;
  do {
    const page = { ...order, after, limit, subjects: SUBJECTS };
    const found: Awaited<ReturnType<typeof lists.findPage>> = await from.findPage(PROJECT, selection, page);
    ids.push(...found.resources.map(({ _id }) => _id));
    after = found.end;
  } while (after !== null);
  return ids;
}

describe('a list with filters', () => {
  it('has the resources of the reference in its order, on pages of every size, and counts them', async () => {
    const property = fc.asyncProperty(
      selections,
      orders,
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(lists, nearLists),
      async (selection, order, limit, from) => {
        const expected = expectedOf(selection, order).map(({ _id }) => _id);
        expect(await readAll(selection, order, limit, from)).toEqual(expected);
        expect(await lists.countSelected(PROJECT, selection, 1000)).toBe(expected.length);
        expect(await lists.countSelected(PROJECT, selection, 5)).toBe(Math.min(5, expected.length));
      },
    );
    await fc.assert(property, { numRuns: randomRuns(150) });
  });

  it.each(SORT_NAMES)('has the resources of a reader in very many groups, by %s', async (sort) => {
    const readerLists = [WIDE, WIDE.slice(1), WIDE.slice(2)];
    const cases = readerLists.flatMap((readers) => [
      { readers, alsoIds: ['d_05'] },
      { readers, alsoIds: [] },
    ]);
    for (const selection of cases)
      for (const order of ['asc', 'desc'] as const) {
        const expected = expectedOf(selection, { sort, order }).map(({ _id }) => _id);
        for (const limit of [1, 5, 12])
          expect(await readAll(selection, { sort, order }, limit)).toEqual(expected);
        expect(await readAll(selection, { sort, order }, 4, nearLists)).toEqual(expected);
      }
  });

  it.each(SORT_NAMES)(
    'reads only its own resources for a reader in very many groups, by %s',
    async (sort) => {
      const page = { sort, order: 'desc', after: null, limit: 3, subjects: WIDE } as const;
      const recorded = new RecordedCollection(database, { collection: 'dashboards', scope: 'projectId' });
      const { resources: found } = await createResourceLists({ resources: recorded, parts }, LIMITS).findPage(
        PROJECT,
        { readers: WIDE, alsoIds: [] },
        page,
      );
      expect(found).toHaveLength(3);
      const collection = database.collection('dashboards');
      const examined = recorded.reads.map(async ({ condition, options }) => {
        const explained = await collection.find({ projectId: PROJECT, ...condition }, options).explain();
        return (explained['executionStats'] as { totalDocsExamined: number }).totalDocsExamined;
      });
      // The end of the window and the ids come from indexes.
      expect(await Promise.all(examined)).toEqual([0, 0, 3]);
    },
  );

  it.each(['asc', 'desc'] as const)(
    'passes over none when a resource moves between the reads of a page, %s',
    async (order) => {
      const id = 'd_12';
      const [first, last] = order === 'asc' ? ['', 'zzz'] : ['zzz', ''];
      const setTitle = (title: string) =>
        database
          .collection<ResourceDocument>('dashboards')
          .updateOne({ _id: id }, { $set: { title, titleFolded: title } });
      const { title } = stored.find(({ _id }) => _id === id) as NewResource;
      await setTitle(first);
      const moving = openMovingDashboards(database, () => setTitle(last));
      const selection = { readers: WIDE, alsoIds: [] };
      const page = { sort: 'title', order, after: null, limit: 5, subjects: SUBJECTS } as const;
      const { resources: found, end } = await createResourceLists(
        { resources: moving, parts },
        LIMITS,
      ).findPage(PROJECT, selection, page);
      await setTitle(foldText(title));
      const others = expectedOf(selection, page).filter(({ _id }) => _id !== id);
      expect(found.map(({ _id }) => _id)).toEqual(others.slice(0, 5).map(({ _id }) => _id));
      expect(end).toEqual(positionOf(others[4] as NewResource, 'title'));
    },
  );

  it('has resources of a former release, which have no terms, and those with too many', async () => {
    const points = Array.from({ length: 4900 }, (_, index) => 0x4e00 + ((index * 7919) % 20_000));
    const description = `${String.fromCodePoint(...points)} unheard of`;
    const resource = { ...resourceOf(0), _id: 'd_long', description };
    await stores.dashboards.insertResource(PROJECT, resource, { events: [] });
    const search = { readers: null, alsoIds: [], search: 'unheard of' };
    const order = { sort: 'title', order: 'asc' } as const;
    expect(await readAll(search, order, 5)).toEqual(['d_long']);
    const collection = database.collection<ResourceDocument>('dashboards');
    await collection.updateOne(
      { _id: 'd_03' },
      { $set: { searchText: 'former\0', title: 'former' }, $unset: { terms: '' } },
    );
    const former = { readers: null, alsoIds: [], search: 'former' };
    expect(await readAll(former, order, 5)).toEqual(['d_03']);
    await stores.dashboards.platform.addMissingTerms();
    expect(await collection.countDocuments({ terms: { $exists: false } })).toBe(0);
    expect(await readAll(former, order, 5)).toEqual(['d_03']);
  });

  it('is counted in several parts of more resources than the engine tries indexes for', async () => {
    const size = 11_000;
    const documents = Array.from({ length: size }, (_, index) => ({
      ...resourceOf(1),
      _id: `many_${String(index).padStart(5, '0')}`,
      projectId: 'p_many',
      titleFolded: 'many',
      searchText: 'many\0',
      readers: SUBJECTS,
      terms: [index],
    }));
    await database.collection<{ _id: string }>('dashboards').insertMany(documents);
    const selection = { readers: SUBJECTS, alsoIds: ['many_00005'] };
    expect(await lists.countSelected('p_many', selection, 10_001)).toBe(10_001);
    expect(await lists.countSelected('p_many', { ...selection, search: 'z' }, 10_001)).toBe(0);
    expect(await lists.countSelected('p_many', { ...selection, search: 'a' }, 20_000)).toBe(size);
  });
});
