import { readConfig, readQuotas, ScopedCollection, type Position } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient, type CommandSucceededEvent, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Share } from '../../sharing/logic/grants.js';
import { newResource } from '../../testing/newResource.js';
import type { ResourceDocument } from './document.js';
import { SORT_NAMES, type Page } from './lists.js';
import { openAccessStores, type AccessStores } from './openStores.js';
import { createResourceLists } from './pages.js';
import { createShareParts, type ShareParts } from './shareParts.js';

const PROJECT = 'p_one';
/** As many shares are stored in parts. */
const WIDE = 201;
/** More resources in parts than a page sorts. */
const COUNT = 240;

const mongo = await startTestMongo();
const client = new MongoClient(mongo.url, {
  ignoreUndefined: true,
  retryWrites: false,
  monitorCommands: true,
});
const database = client.db(`${mongo.prefix}_pages`);
let stores: AccessStores;

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

const shareWith = (name: string): Share => ({
  id: `sh_${name}`,
  scope: name.startsWith('g:') ? 'group' : 'specific_org_user',
  subject: name,
  targetId: name.slice(2),
  tenantKey: null,
  role: 'VIEWER',
  expiresAt: null,
  createdAt: at(0),
  createdBy: 'ou_a',
});

/** How resources are shared with readers, by their place in the order. */
const READERS: Readonly<Record<string, (index: number) => boolean>> = {
  'u:all': () => true,
  'u:most': (index) => index % 4 > 0,
  'u:old': (index) => index < 150,
  'u:new': (index) => index >= 90,
  'u:few': (index) => index % 50 === 7,
  'g:some': (index) => index % 9 === 4,
};
const idOf = (index: number) => `d_${String((index * 37) % COUNT).padStart(3, '0')}`;
const isParted = (index: number) => index % 8 !== 3;
const titleOf = (index: number) => (index % 3 === 0 ? 'Harbour' : `Cedar ${index % 5}`);

async function insert(index: number): Promise<void> {
  const subjects = Object.keys(READERS).filter((subject) => READERS[subject]?.(index));
  const others = isParted(index) ? Array.from({ length: WIDE }, (_, each) => `u:other${each}`) : [];
  const times = { createdAt: at(index % 40), updatedAt: at(index) };
  const resource = newResource(idOf(index), { ...times, title: titleOf(index) });
  const created = await stores.dashboards.insertResource(PROJECT, resource, { events: [] });
  const change = { shares: [...subjects, ...others].map(shareWith) };
  await stores.dashboards.changeResource(PROJECT, created, { change, events: [] });
}

beforeAll(async () => {
  stores = await openAccessStores(database, readQuotas(readConfig({})));
  for (let index = 0; index < COUNT; index += 1) await insert(index);
});
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});

/** Reads all pages of a list, and returns the ids in their order. */
async function listAll(
  readers: readonly string[],
  query: Pick<Page, 'sort' | 'order' | 'limit'> & { search?: string },
) {
  const { search, ...order } = query;
  const ids: string[] = [];
  let after: Position | null = null;
  do {
    const page: Page = { ...order, after, subjects: readers };
    const { resources, end } = await stores.dashboards.findPage(
      PROJECT,
      { readers, alsoIds: [], search },
      page,
    );
    ids.push(...resources.map(({ _id }) => _id));
    after = end;
  } while (after !== null);
  return ids;
}

const ALL = Array.from({ length: COUNT }, (_, index) => index);
const keyOf = (index: number, sort: Page['sort']): string =>
  sort === 'title'
    ? titleOf(index).toLowerCase()
    : String(sort === 'updatedAt' ? index : index % 40).padStart(3, '0');

/** The slow reference. */
function expectedOf(
  readers: readonly string[],
  { sort, order, search }: Pick<Page, 'sort' | 'order'> & { search?: string },
) {
  const isListed = (index: number) => readers.some((reader) => READERS[reader]?.(index));
  const found = ALL.filter((index) => isListed(index) && titleOf(index).includes(search ?? ''));
  const placed = found.map((index) => `${keyOf(index, sort)} ${idOf(index)}`).toSorted();
  if (order === 'desc') placed.reverse();
  return placed.map((place) => place.slice(-idOf(0).length));
}

/** Opens lists that run an action before their n-th read. */
function listsWith(moment: number, action: () => Promise<void>) {
  let reads = 0;
  const beforeRead = async () => {
    reads += 1;
    if (reads === moment + 1) await action();
  };
  class Watched extends ScopedCollection<ResourceDocument> {
    override async find<R extends Document>(...args: Parameters<ScopedCollection<ResourceDocument>['find']>) {
      await beforeRead();
      return super.find<R>(...args);
    }
  }
  const parts = createShareParts(database, 'dashboard');
  const watched: ShareParts = {
    ...parts,
    async findReaching(...args) {
      await beforeRead();
      return parts.findReaching(...args);
    },
    async findResourceIds(...args) {
      await beforeRead();
      return parts.findResourceIds(...args);
    },
  };
  const resources = new Watched(database, { collection: 'dashboards', scope: 'projectId' });
  return createResourceLists({ resources, parts: watched });
}

const readerSets = fc.subarray(Object.keys(READERS), { minLength: 1, maxLength: 3 });

describe('lists of resources with parts that are shared with their reader', () => {
  it('contain what the reference contains, in every order and page size', async () => {
    const query = fc.record(
      {
        sort: fc.constantFrom(...SORT_NAMES),
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.constantFrom(20, 101, 300),
        search: fc.constantFrom('Harbour', 'Cedar 3', 'absent'),
      },
      { requiredKeys: ['sort', 'order', 'limit'] },
    );
    await fc.assert(
      fc.asyncProperty(readerSets, query, async (readers, each) => {
        expect(await listAll(readers, each)).toEqual(expectedOf(readers, each));
      }),
      { numRuns: randomRuns(40) },
    );
  });

  it('are of the kind that the tests are about', async () => {
    const parted = await database.collection('dashboards').countDocuments({ shareParts: { $exists: true } });
    expect(parted).toBe(ALL.filter(isParted).length);
  });

  it('read about as many documents for a reader of all as the page has', async () => {
    let documents = 0;
    const count = ({ reply }: CommandSucceededEvent) => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
      documents += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
    };
    client.on('commandSucceeded', count);
    const page: Page = { sort: 'updatedAt', order: 'desc', after: null, limit: 20, subjects: ['u:all'] };
    await stores.dashboards.findPage(PROJECT, { readers: ['u:all'], alsoIds: [] }, page);
    client.off('commandSucceeded', count);
    // The first parts, the page twice, and its parts.
    expect(documents).toBeLessThanOrEqual(101 + 3 * 20);
  });

  it.each(Object.keys(READERS))(
    'contain every resource, whenever its shares move, for %s',
    async (reader) => {
      const index = ALL.findLast((each) => READERS[reader]?.(each) && isParted(each)) ?? 0;
      const id = idOf(index);
      const { shares } = await stores.dashboards.getHeader(PROJECT, id);
      const few = shares.filter(({ subject }) => !subject.startsWith('u:other'));
      const page: Page = { sort: 'updatedAt', order: 'desc', after: null, limit: 20, subjects: [reader] };
      async function moveTo(to: readonly Share[]) {
        const header = await stores.dashboards.getHeader(PROJECT, id);
        await stores.dashboards.changeResource(PROJECT, header, { change: { shares: to }, events: [] });
      }
      const moves = [
        { from: shares, to: few },
        { from: few, to: shares },
      ];
      for (const { from, to } of moves)
        for (let moment = 0; moment < 8; moment += 1) {
          await moveTo(from);
          // Otherwise the parts of the move before would be found.
          await database
            .collection('dashboardShareParts')
            .updateMany({ pendingAt: { $exists: true } }, { $set: { pendingAt: at(0) } });
          await stores.dashboards.platform.settleParts(at(1));
          const lists = listsWith(moment, () => moveTo(to));
          const { resources } = await lists.findPage(PROJECT, { readers: [reader], alsoIds: [] }, page);
          const ids = resources.map(({ _id }) => _id);
          expect(ids).toContain(id);
          expect(ids).toEqual(expectedOf([reader], page).slice(0, ids.length));
        }
      await moveTo(shares);
    },
  );
});
