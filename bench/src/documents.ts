import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { ScopedCollection } from '@gatehouse/service';
import { MongoClient, type Db, type Document } from 'mongodb';
import { seed, type Seeded } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

type Subjects = readonly string[];

/** Ways to read the shares of the dashboards of a list that reach its reader, as projections. */
const SHARES: Record<string, (subjects: Subjects) => Document> = {
  'the packed text': () => ({ packedShares: 1 }),
  'the shares, filtered in the engine': (subjects) => {
    const cond = { $in: ['$$share.subject', { $literal: subjects }] };
    return { shares: { $filter: { input: '$shares', as: 'share', cond } } };
  },
  'all shares': () => ({ shares: 1 }),
};

const FIELDS = Object.fromEntries(
  (
    'tenantId title description isPrivate isDataApp tags ownerId ownerKey ownerType ownerTenantKey ' +
    'createdBy createdAt updatedAt version'
  )
    .split(' ')
    .map((field) => [field, 1]),
);

type Dashboard = Document & { _id: string };

async function readList(
  database: Db,
  { projectId, subjects }: Seeded,
  shares: (subjects: Subjects) => Document,
): Promise<void> {
  const found = await database
    .collection('dashboards')
    .find({ projectId, readers: { $in: subjects } }, { projection: { ...FIELDS, ...shares(subjects) } })
    .hint('readers_updatedAt')
    .sort({ updatedAt: -1, _id: -1 })
    .limit(100)
    .batchSize(100)
    .toArray();
  if (found.length !== 100) throw new Error('The list is not full');
}

type Works = Record<string, () => Promise<unknown>>;

/** Lists of dashboards with so many shares, which read the shares in each way. */
function listsOf(database: Db, seeded: Seeded, shareCount: number): Works {
  const lists = Object.entries(SHARES).map(([name, shares]) => [
    `list, ${shareCount} shares each: ${name}`,
    () => readList(database, seeded, shares),
  ]);
  return Object.fromEntries(lists) as Works;
}

/** Changes with and without the reads that caches save. */
function changesOf(database: Db, { visibleIds, projectId }: Seeded): Works {
  const dashboards = database.collection<Dashboard>('dashboards');
  const settings = database.collection<Dashboard>('commitSettings');
  const [id = ''] = visibleIds;
  const projection = { ...FIELDS, shares: 1, revision: 1 };
  let title = 0;
  const change = () =>
    dashboards.findOneAndUpdate(
      { _id: id, revision: { $gt: 0 } },
      { $set: { title: `Title ${(title += 1)}` }, $inc: { revision: 1, version: 1 } },
      { projection: { _id: 1 } },
    );
  return {
    'change alone': change,
    'change after a read of the header': async () => {
      await dashboards.findOne({ _id: id }, { projection });
      return change();
    },
    'change after a read of the commit setting': async () => {
      await settings.findOne({ _id: projectId });
      return change();
    },
  };
}

const TOGETHER = 16;

/** Sixteen concurrent changes of different dashboards, which share a command or not. */
function concurrentChangesOf(database: Db, { visibleIds, projectId }: Seeded): Works {
  const dashboards = database.collection<Dashboard>('dashboards');
  const place = { collection: 'dashboards', scope: 'projectId' };
  const scoped = new ScopedCollection<Dashboard>(database, place);
  const ids = visibleIds.slice(0, TOGETHER);
  const conditionOf = (_id: string) => ({ _id, projectId, revision: { $gt: 0 } });
  const update = () => ({ $set: { title: `Title ${Math.random()}` }, $inc: { revision: 1, version: 1 } });
  const all = (change: (id: string) => Promise<unknown>) => () => Promise.all(ids.map(change));
  return {
    '16 changes at once, with a shared command': all((id) =>
      scoped.updateOne(projectId, conditionOf(id), { update: update() }),
    ),
    '16 changes at once, each with its own command': all((id) =>
      dashboards.updateOne(conditionOf(id), update()),
    ),
  };
}

/** Adds shares with other users to all dashboards, in both of their copies. Returns the number of each. */
async function addShares(database: Db, count: number): Promise<number> {
  const expiresAt = null;
  const share = {
    scope: 'specific_org_user',
    role: 'VIEWER',
    tenantKey: null,
    createdBy: 'ou_bench',
    expiresAt,
  };
  const shares = Array.from({ length: count }, (_, index) => {
    const named = { id: `sh_${'x'.repeat(16)}${index}`, subject: `u:${'y'.repeat(16)}${index}` };
    return { ...share, ...named, targetId: `ou_${index}`, createdAt: new Date(0) };
  });
  const lines = shares.map(({ id, subject }) => `\n${subject} ${share.scope} ${share.role} - ${id}`);
  const dashboards = database.collection('dashboards');
  const added = { $concatArrays: ['$shares', { $literal: shares }] };
  const text = { $concat: ['$packedShares', { $literal: lines.join('') }] };
  await dashboards.updateMany({}, [{ $set: { shares: added, packedShares: text } }]);
  const [changed] = await dashboards
    .aggregate([{ $limit: 1 }, { $project: { count: { $size: '$shares' } } }])
    .toArray();
  return Number(changed?.['count']);
}

/** The processor time of one kind of work, and its ratio to the first one of its group. */
export interface DocumentCost {
  work: string;
  engineMs: number;
  clientMs: number;
  ratio: number;
}

const MS_PER_TICK = 10;
/** Runs of one work in a row: long enough for the clock of the processor time. */
const BATCH = 50;

async function engineTimeMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function clientTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Alternates between the works of a group. Processor time depends little on the load of the machine. */
async function compareWorks(
  works: Works,
  { times, pid }: { times: number; pid: number },
): Promise<DocumentCost[]> {
  const runs = Object.entries(works).map(([work, run]) => ({ work, run, engineMs: 0, clientMs: 0 }));
  for (let round = 0; round * BATCH < times; round += 1) {
    for (const each of runs) {
      const before = [await engineTimeMs(pid), clientTimeMs()] as const;
      for (let count = 0; count < BATCH; count += 1) await each.run();
      each.clientMs += clientTimeMs() - before[1];
      each.engineMs += (await engineTimeMs(pid)) - before[0];
    }
  }
  const runsOfEach = Math.ceil(times / BATCH) * BATCH;
  const [first] = runs;
  const base = first === undefined ? 1 : first.engineMs + first.clientMs;
  return runs.map(({ work, engineMs, clientMs }) => ({
    work,
    engineMs: engineMs / runsOfEach,
    clientMs: clientMs / runsOfEach,
    ratio: (engineMs + clientMs) / base,
  }));
}

/**
 * What the second copy of the shares, the caches of the access service and the shared command of concurrent
 * changes save: the operations of the engine with and without them, without Gatehouse.
 */
export async function measureDocuments(count: number, times: number): Promise<DocumentCost[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-documents-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const database = client.db('gatehouse_access');
    const seeded = await seed(await readCredentials(dataDir), database, { count });
    await server.stop();
    const measure = (works: Works) => compareWorks(works, { times, pid: engine.pid });
    const changes = await measure(changesOf(database, seeded));
    changes.push(...(await measure(concurrentChangesOf(database, seeded))));
    const lists: DocumentCost[] = [];
    for (const added of [0, 18]) {
      const shareCount = await addShares(database, added);
      lists.push(...(await measure(listsOf(database, seeded, shareCount))));
    }
    return [...lists, ...changes];
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export function reportDocuments(costs: readonly DocumentCost[]): string {
  const rows = costs.map(
    ({ work, engineMs, clientMs, ratio }) =>
      `| ${work} | ${engineMs.toFixed(2)} | ${clientMs.toFixed(2)} | ${ratio.toFixed(2)} |`,
  );
  return `## Documents

Operations that a second copy of the shares, two caches and a shared command save, without Gatehouse.
The times are processor time; a ratio is to the first operation of its group.

| Operation | engine, ms | client, ms | ratio |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
