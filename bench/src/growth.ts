import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { COMMON, DIRECTORY_LISTS, RARE, seedDirectory } from './growthDirectory.js';
import { percentile } from './load.js';
import { caller, issueToken, seed, type Call, type Vary } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

/** The times of one kind of list: the slowest median of all its orders, for the first and the second page. */
export interface ListCost {
  list: string;
  viewer: string;
  search: string;
  filter: string;
  /** Milliseconds, by number of dashboards and of tenant users. */
  p50Ms: Map<number, number>;
}

const API = '/api/management/v1';
const SAMPLES = 5;
const ORDERS = ['updatedAt', 'createdAt', 'title'].flatMap((sort) =>
  ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`),
);
/** The first of two groups of each dashboard, of which one user is a member. */
const EVERYONE = 'Everyone';

const SEARCHES: Record<string, string> = {
  none: '',
  rare: 'search=unheard',
  absent: 'search=nowhere',
  common: 'search=fifthly',
  'one letter': 'search=e',
  '200 letters': `search=${'absent'.repeat(33)}xx`,
};
const FILTERS: Record<string, string> = {
  none: '',
  'createdBy, rare': 'createdBy=ou_rare',
  'createdBy, absent': 'createdBy=ou_absent',
  'createdBy, common': 'createdBy=ou_common',
  'tag, rare': 'tag=rare',
  'tag, absent': 'tag=absent',
  'tag, common': 'tag=common',
  'tenantId, rare': 'tenantId=rare',
  'tenantId, absent': 'tenantId=absent',
  'tenantId, common': 'tenantId=acme',
  'isPrivate, rare': 'isPrivate=false',
  'isPrivate, common': 'isPrivate=true',
};

const DASHBOARDS = { list: 'dashboards', path: '/dashboards', filters: FILTERS, orders: ORDERS };
type Viewer = 'all visible' | '500 visible' | 'admin' | 'tenant user';
interface MeasuredList extends Omit<typeof DASHBOARDS, 'filters'> {
  viewer: Viewer;
  filters: Record<string, string>;
}

const LISTS: readonly MeasuredList[] = [
  { ...DASHBOARDS, viewer: 'all visible' },
  { ...DASHBOARDS, viewer: '500 visible' },
  ...DIRECTORY_LISTS.flatMap(({ isForTenants, orders, ...list }) =>
    (isForTenants ? (['admin', 'tenant user'] as const) : (['admin'] as const)).map((viewer) => {
      return { ...list, orders: [...orders], viewer };
    }),
  ),
];
const KINDS = LISTS.flatMap(({ filters, ...list }) =>
  Object.entries(SEARCHES).flatMap(([search, searchQuery]) =>
    Object.entries(filters).map(([filter, filterQuery]) => {
      return { ...list, search, filter, query: `${searchQuery}&${filterQuery}` };
    }),
  ),
);

/** Gives some dashboards rare and common properties, and all of them a reader. */
function varyOf(count: number, groupId: string): Vary {
  return (copy, index) => {
    const isRare = index % Math.floor(count / RARE) === 11;
    const isCommon = index % COMMON === 1;
    const word = isRare ? 'unheard' : isCommon ? 'fifthly' : 'monthly';
    const description = `${word} figures with the plan beside them`;
    const shared = JSON.parse(
      JSON.stringify({
        shares: copy['shares'],
        readers: copy['readers'],
        packed: copy['packedShares'],
      }).replaceAll(/grp_other\d+/g, groupId),
    ) as { shares: unknown; readers: unknown; packed: unknown };
    return {
      ...copy,
      description,
      searchText: `${String(copy['titleFolded'])}\0${description}`,
      tags: isRare ? ['finance', 'rare'] : ['finance', isCommon ? 'common' : 'other'],
      createdBy: isRare ? 'ou_rare' : isCommon ? 'ou_common' : 'ou_other',
      tenantId: isRare ? 'rare' : isCommon ? 'acme' : null,
      isPrivate: !isRare,
      shares: shared.shares,
      readers: shared.readers,
      packedShares: shared.packed,
    };
  };
}

/** Creates the group of the one who sees everything. Returns its id. */
async function makeEveryone(call: Call): Promise<string> {
  const created = await call('POST', '/api/management/v1/groups', { name: EVERYONE, type: 'ORG_GROUP' });
  const { id } = created['group'] as unknown as { id: string };
  await call('POST', `/api/management/v1/groups/${id}/members`, { userIds: ['user0'] });
  return id;
}

/** The median of some requests, in milliseconds; and the cursor of the next page. */
async function timePage(call: Call, path: string): Promise<{ p50Ms: number; next: string | null }> {
  const times: number[] = [];
  let next: string | null = null;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const start = performance.now();
    const page = await call('GET', path);
    times.push(performance.now() - start);
    next = page['nextCursor'] as unknown as string | null;
  }
  return {
    p50Ms: percentile(
      times.toSorted((a, b) => a - b),
      0.5,
    ),
    next,
  };
}

/** The slowest median of all orders and of the first two pages. */
async function timeList(
  call: Call,
  { path: list, orders, query }: Pick<(typeof KINDS)[number], 'path' | 'orders' | 'query'>,
): Promise<number> {
  let slowest = 0;
  for (const order of orders) {
    const path = `${API}${list}?limit=50&${order}&${query}`;
    const first = await timePage(call, path);
    const second = first.next === null ? first : await timePage(call, `${path}&cursor=${first.next}`);
    slowest = Math.max(slowest, first.p50Ms, second.p50Ms);
  }
  return slowest;
}

async function measureSize(size: number, note: (cost: Omit<ListCost, 'p50Ms'>, ms: number) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-growth-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const credentials = await readCredentials(dataDir);
    const seeded = await seed(credentials, client.db('gatehouse_access'), {
      count: size,
      prepare: async (call) => varyOf(size, await makeEveryone(call)),
    });
    const tokens = {
      'all visible': await issueToken(credentials, { endUserId: 'user0' }),
      '500 visible': seeded.viewerToken,
      admin: seeded.ownerToken,
      'tenant user': seeded.viewerToken,
    };
    await seedDirectory(client.db('gatehouse_directory'), credentials.organizationId, size);
    for (const { list, viewer, search, filter, ...read } of KINDS) {
      const call = caller(server.baseUrl, tokens[viewer]);
      note({ list, viewer, search, filter }, await timeList(call, read));
    }
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Measures every combination of search, filter and order, one request at a time, at growing sizes. */
export async function measureGrowth(sizes: readonly number[]): Promise<ListCost[]> {
  const costs = new Map<string, ListCost>();
  for (const size of sizes) {
    await measureSize(size, (kind, ms) => {
      const key = Object.values(kind).join('\n');
      const cost = costs.get(key) ?? { ...kind, p50Ms: new Map<number, number>() };
      cost.p50Ms.set(size, ms);
      costs.set(key, cost);
    });
  }
  return [...costs.values()];
}

/** The results as a section of Markdown: for each search, its slowest filter. */
export function reportGrowth(costs: readonly ListCost[]): string {
  const sizes = [...(costs[0]?.p50Ms.keys() ?? [])];
  const [smallest = 0, largest = smallest] = [sizes[0], sizes.at(-1)];
  const timesOf = ({ p50Ms }: ListCost) => (p50Ms.get(largest) ?? 0) / (p50Ms.get(smallest) ?? 1);
  const lines = costs.map((cost) => {
    const times = sizes.map((size) => (cost.p50Ms.get(size) ?? Number.NaN).toFixed(1));
    const cells = [cost.list, cost.viewer, cost.search, cost.filter, ...times, timesOf(cost).toFixed(2)];
    return `| ${cells.join(' | ')} |`;
  });
  const slowest = Math.max(...costs.map(({ p50Ms }) => p50Ms.get(largest) ?? 0));
  const within = costs.filter((cost) => timesOf(cost) <= 1.5).length;
  return `
## Growth

Standalone, one request at a time, pages of 50: the slowest median of all orders and of the first two
pages, in milliseconds. A rare property belongs to ${RARE} records, a common one to every fifth.
The sizes are the numbers of dashboards and of tenant users.
There are a tenth as many org users, groups and tenants.
The aim is at most 50 ms and 1.5 times.
The slowest takes ${slowest.toFixed(1)} ms at ${largest.toLocaleString('en')};
${within} of ${costs.length} take at most 1.5 times.

| list | viewer | search | filter | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} | times |
|---|---|---|---|${sizes.map(() => '---|').join('')}---|
${lines.join('\n')}
`;
}
