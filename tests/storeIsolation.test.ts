import { services } from '@gatehouse/contract';
import { newKey, ScopedCollection, type Databases } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { createShared, createTenantUsers } from './src/manyUsers.js';
import { SEEDS } from './src/quotas/growingRequests.js';
import { kinds } from './src/resourceKinds.js';
import { startTestStandalone } from './src/servers.js';
import { specimens } from './src/statusCases/allCases.js';
import { makeStatusWorld } from './src/statusCases/statusCase.js';
import { STORE_SCOPES } from './src/storeScopes.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

type Stored = Record<string, unknown> & { _id: string };
type Database = ReturnType<Databases['of']>;

const ELSEWHERE = 'elsewhere';
/** More than the document of a resource holds: the others are in parts. */
const SHARES = 201;
/** Some documents of a collection stand for all. */
const SAMPLE = 20;

const scoped = Object.entries(STORE_SCOPES).flatMap(([service, collections]) =>
  Object.entries(collections).flatMap(([collection, found]) =>
    'scope' in found ? [{ service, collection, scope: found.scope }] : [],
  ),
);

/** The functions that find or change the document when they are called for the scope. */
async function findReaching(
  documents: ScopedCollection<Stored>,
  scopeId: string,
  _id: string,
): Promise<string[]> {
  // A condition that names the document, and one that matches every document.
  const named = { _id };
  const any = { $or: [named, { _id: { $exists: true } }] };
  const update = { $set: { planted: newKey() } };
  const isSame = (found: { _id: string } | null) => found?._id === _id;
  const hasSame = (found: readonly { _id: string }[]) => found.some(isSame);
  const hasRead = async (found: AsyncIterable<Stored>) => {
    let isRead = false;
    for await (const document of found) isRead ||= isSame(document);
    return isRead;
  };
  const calls: Record<string, () => Promise<boolean>> = {
    findOne: async () => isSame(await documents.findOne<Stored>(scopeId, named)),
    find: async () => hasSame(await documents.find(scopeId, any)),
    scan: () => hasRead(documents.scan(scopeId, any)),
    count: async () => (await documents.count(scopeId, named)) > 0,
    distinct: async () =>
      (await documents.distinct<string>(scopeId, any, { field: '_id' })).some((found) => found === _id),
    aggregate: async () => hasSame(await documents.aggregate<Stored>(scopeId, any, { stages: [] })),
    scanStages: () => hasRead(documents.scanStages<Stored>(scopeId, any, { stages: [] })),
    updateOne: () => documents.updateOne(scopeId, named, { update }),
    updateMany: async () => (await documents.updateMany(scopeId, named, { update })) > 0,
    findOneAndUpdate: async () =>
      isSame(await documents.findOneAndUpdate<Stored>(scopeId, named, { update })),
    deleteMany: async () => (await documents.deleteMany(scopeId, named)) > 0,
  };
  const reaching: string[] = [];
  for (const [name, call] of Object.entries(calls)) if (await call()) reaching.push(name);
  return reaching;
}

/** The records of a collection. Tombstones and marks of undone copies lack the fields of a record. */
async function readRecords(database: Database, collection: string): Promise<Stored[]> {
  const live = { deletedAt: { $exists: false }, undoneAt: { $exists: false } };
  return database.collection<Stored>(collection).find(live, { limit: SAMPLE }).toArray();
}

describe('the collections of the running platform', () => {
  let observed: ObservedServer;
  beforeAll(async () => {
    observed = await startObserved(startTestStandalone, WEBHOOK_SETTINGS);
    const world = await makeStatusWorld(observed.api, observed.adminId);
    for (const operationId of SEEDS) await specimens[operationId](world);
    const userIds = await createTenantUsers(observed.api, world.tenantId, SHARES);
    for (const kind of kinds) await createShared(kind, world.admin, userIds);
    await observed.readSettled();
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  it.each(Object.keys(services))('of %s are all in this suite', async (service) => {
    const found = await observed.databases.of(service).listCollections({}, { nameOnly: true }).toArray();
    const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
    const covered = Object.keys(STORE_SCOPES[service] ?? {});
    expect(names.filter((name) => !covered.includes(name))).toEqual([]);
  });

  it.each(['dashboardShareParts', 'visualShareParts'])('include parts in %s', async (collection) => {
    expect(await readRecords(observed.databases.of('access'), collection)).not.toEqual([]);
  });

  it.each(scoped)(
    'show and change nothing of $collection of $service outside its $scope',
    async ({ service, collection, scope }) => {
      const database = observed.databases.of(service);
      const records = await readRecords(database, collection);
      const planted: Stored = { _id: newKey(), planted: newKey() };
      if (scope !== '_id') planted[scope] = newKey();
      // No index of the platform applies to the planted document.
      const bare = database.collection<Stored>(`${collection}Planted`);
      await bare.insertOne(planted);
      const open = (name: string) => new ScopedCollection<Stored>(database, { collection: name, scope });
      try {
        for (const record of records) {
          expect(record[scope]).toEqual(expect.any(String));
          expect(await findReaching(open(collection), ELSEWHERE, record._id)).toEqual([]);
        }
        const own = String(planted[scope]);
        expect(await findReaching(open(bare.collectionName), ELSEWHERE, planted._id)).toEqual([]);
        expect(await findReaching(open(bare.collectionName), own, planted._id)).toHaveLength(11);
        // Deliveries may be sent meanwhile, so only what this suite would write is compared.
        const after = await readRecords(database, collection);
        expect(after.filter((record) => 'planted' in record)).toEqual([]);
        const ids = after.map(({ _id }) => _id);
        expect(records.filter(({ _id }) => !ids.includes(_id))).toEqual([]);
      } finally {
        await bare.drop();
      }
    },
  );

  it('are caught by this suite if a mutant drops the scope', async () => {
    const database = observed.databases.of('access');
    const record: Stored = { _id: newKey(), projectId: 'p_here', everywhere: ELSEWHERE };
    const bare = database.collection<Stored>('mutant');
    await bare.insertOne(record);
    const mutant = new ScopedCollection<Stored>(database, { collection: 'mutant', scope: 'everywhere' });
    expect(await findReaching(mutant, ELSEWHERE, record._id)).toHaveLength(11);
    await bare.drop();
  });
});
