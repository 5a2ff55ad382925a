import { readConfig, readQuotas, type Current } from '@gatehouse/service';
import { startTestMongo, writeOutcome, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../catalogs/logic/entry.js';
import { createIndexes, createStores, type Stores } from '../dependencies.js';
import { scanned } from '../testing/scanned.js';

const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };
const base = { organizationId: 'o_one', name: 'one', nameFolded: 'one', createdBy: null };
const entry: CatalogEntry = {
  version: 1,
  key: 'k_one',
  digest: 'd',
  bytes: 2,
  areChangesKept: true,
  readAt: now,
};
const template = '{}';

let mongo: TestMongo;
let stores: Stores;
const current: Record<string, Current> = {};

beforeAll(async () => {
  mongo = await startTestMongo();
  const database = mongo.databases.of('semantics');
  await createIndexes(database);
  stores = createStores(database, readQuotas(readConfig({})));
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(() => seed());

/** Replaces everything by one record of each kind, all in one project. */
async function seed(): Promise<void> {
  const database = mongo.databases.of('semantics');
  for (const { name } of await database.listCollections().toArray())
    await database.collection(name).deleteMany({});
  const { domains, datamodels, assistantProfiles, connections, catalogs } = stores;
  const project = 'p_one';
  const named = { label: 'One', description: '' };
  const governance = {
    rowBarrier: false,
    unassignedActors: 'deny' as const,
    catalogs: [entry],
    catalogReadAt: now,
  };
  const config = { type: 'static' as const, config: { dialect: 'postgres' as const }, sealedPassword: null };
  current['domains'] = await domains.insert(
    project,
    { _id: 'dom_one', ...base, ...named, template, connectionIds: ['c_one'] },
    written,
  );
  current['datamodels'] = await datamodels.insert(
    project,
    { _id: 'dm_one', ...base, description: '', connectionId: 'c_one', template },
    written,
  );
  current['assistantProfiles'] = await assistantProfiles.insert(
    project,
    { _id: 'ap_one', ...base, description: '', instructions: '' },
    written,
  );
  current['connections'] = await connections.insert(
    project,
    { _id: 'c_one', ...base, ...config, ...governance },
    written,
  );
  const catalog = {
    organizationId: 'o_one',
    connectionId: 'c_one',
    version: 1,
    catalog: '{}',
    changes: null,
    hasRenames: false,
    readAt: now,
  };
  await catalogs.insert(project, { _id: 'k_one', ...catalog });
}

const currentOf = (name: string): Current => current[name] ?? { _id: '', revision: 0, organizationId: '' };

/** Each store function, called on the one record of its kind: true when it found or changed the record. */
function calls(project: string): Record<string, () => Promise<boolean>> {
  const { domains, datamodels, assistantProfiles, connections, catalogs } = stores;
  const isFound = (read: Promise<unknown>) =>
    read.then(
      (value) => value !== null,
      () => false,
    );
  const isAny = (read: Promise<unknown[]>) => read.then((list) => list.length > 0);
  const records = { domains, datamodels, assistantProfiles, connections };
  const common = Object.entries(records).flatMap(([name, store]) => {
    const { _id: id } = currentOf(name);
    return [
      [`${name}.find`, () => isFound(store.find(project, id))],
      [`${name}.get`, () => isFound(store.get(project, id))],
      [`${name}.list`, () => isAny(store.list(project))],
      [`${name}.listPart`, () => isAny(store.listPart(project, { limit: 100 }).then((part) => part.records))],
      [`${name}.count`, () => store.count(project, 10).then((count) => count > 0)],
      [
        `${name}.update`,
        () => isFound(store.update(project, currentOf(name), { set: { name: 'two' }, ...written })),
      ],
      [`${name}.delete`, () => isFound(writeOutcome(store.delete(project, currentOf(name), written)))],
    ] as [string, () => Promise<boolean>][];
  });
  const wanted = { wholeKeys: ['k_one'], changesKeys: [] };
  const connection = currentOf('connections');
  return {
    ...Object.fromEntries(common),
    'domains.getWhole': () => isFound(domains.getWhole(project, 'dom_one')),
    'domains.scanWhole': () => isAny(scanned(domains.scanWhole(project))),
    'domains.scanWholeByIds': () => isAny(scanned(domains.scanWholeByIds(project, ['dom_one']))),
    'domains.listNamed': () => isAny(domains.listNamed(project, ['dom_one', 'one'])),
    'domains.listByConnection': () => isAny(domains.listByConnection(project, 'c_one', 10)),
    'datamodels.scanWhole': () => isAny(scanned(datamodels.scanWhole(project))),
    'datamodels.scanWholeByIds': () => isAny(scanned(datamodels.scanWholeByIds(project, ['dm_one']))),
    'datamodels.listByConnection': () => isAny(datamodels.listByConnection(project, 'c_one', 10)),
    'assistantProfiles.listNames': () => isAny(assistantProfiles.listNames(project)),
    'connections.listByIds': () => isAny(connections.listByIds(project, ['c_one'])),
    'connections.moveCatalog': () =>
      isFound(connections.moveCatalog(project, connection, { catalogs: [], ...written })),
    'connections.noteCatalogRead': () => isFound(connections.noteCatalogRead(project, connection, { now })),
    'catalogs.getText': () => isFound(catalogs.getText(project, 'k_one')),
    'catalogs.listChangeSizes': () =>
      isAny(catalogs.listChangeSizes(project, ['k_one']).then((sizes) => [...sizes])),
    'catalogs.listParts': () => isAny(catalogs.listParts(project, wanted)),
    'catalogs.delete': async () => {
      await catalogs.delete(project, ['k_one']);
      return !(await isFound(catalogs.getText('p_one', 'k_one')));
    },
  };
}

/** Functions that only sweeps call. */
const OF_EVERY_PROJECT = ['connections.listCatalogKeys', 'catalogs.listAfter'];
/**
 * Functions that only insert, and functions that only other store functions call. RecordStore has a suite of
 * its own.
 */
const INNER = ['insert', 'constructor', 'listByName', 'scanByName'];

describe('a store function', () => {
  it('finds and changes nothing in another project', async () => {
    for (const [name, call] of Object.entries(calls('p_two')))
      expect([name, await call()]).toEqual([name, false]);
  });

  it('finds and changes records in its own project', async () => {
    for (const name of Object.keys(calls('p_one'))) {
      await seed();
      expect([name, await calls('p_one')[name]?.()]).toEqual([name, true]);
    }
  });

  it('has a case in this test', () => {
    const methodsOf = (prototype: unknown) => Object.getOwnPropertyNames(prototype);
    // transfer/store.test.ts covers the functions for copies.
    const { copies: _copies, ...others } = stores;
    const methods = Object.entries(others).flatMap(([name, store]) => {
      const prototype: unknown = Object.getPrototypeOf(store);
      const inherited =
        name === 'catalogs' ? [] : [...methodsOf(Object.getPrototypeOf(prototype)), 'update', 'delete'];
      return [...methodsOf(prototype), ...inherited].map((method) => `${name}.${method}`);
    });
    const isTested = (name: string) =>
      !OF_EVERY_PROJECT.includes(name) && !INNER.includes(name.replace(/^\w+\./, ''));
    expect(new Set(methods.filter(isTested))).toEqual(new Set(Object.keys(calls('p_one'))));
  });
});
