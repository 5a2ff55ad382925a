import type { CatalogInput } from '@gatehouse/contract';
import { type Callers, callersOf, newGround, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';
import { CATALOG_MAX_BYTES } from './catalogs.js';
import { createCatalogSweep } from './catalogSweep.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Callers;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = callersOf(newGround());
});

const column = (name: string, type = 'text') => ({ name, type });
const table = (name: string, ...columns: string[]) => ({
  name,
  kind: 'table' as const,
  columns: columns.map((each) => column(each)),
});
const catalogOf = (...tables: ReturnType<typeof table>[]) => ({
  defaultSchema: 'public',
  schemas: [{ name: 'public', tables }],
});
const ORDERS = catalogOf(table('orders', 'id', 'total'));

const create = async (catalog?: CatalogInput) => {
  const fields = { name: 'Warehouse', type: 'static' as const, config: { dialect: 'postgres' as const } };
  const as = await platform.as(us.orgAdmin);
  return (await platform.semantics.connections.create(as, { ...fields, ...(catalog && { catalog }) }))
    .connection;
};
const introspect = async (id: string, catalog: CatalogInput) =>
  platform.semantics.connections.introspect(await platform.as(us.orgAdmin), { id, catalog });
const changes = async (id: string, versions: { from?: number; to?: number } = {}) =>
  platform.semantics.connections.changes(await platform.as(us.orgAuthor), { id, ...versions });
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.refusalOf(call)).fieldErrors?.map(({ field }) => field);
const storedCount = (connectionId: string) =>
  platform.database.collection('catalogs').countDocuments({ connectionId });

describe('the catalog of a static connection', () => {
  it('comes as it was sent: on creation, on update, and by introspection', async () => {
    const { id, catalog, catalogVersion, catalogReadAt } = await create(ORDERS);
    expect([catalog, catalogVersion]).toEqual([ORDERS, 1]);
    expect(catalogReadAt).not.toBeNull();
    const admin = await platform.as(us.orgAdmin);
    const second = catalogOf(table('people', 'name'), table('orders', 'id', 'total'));
    const updated = await platform.semantics.connections.update(admin, {
      id,
      catalog: second,
      name: 'Renamed',
    });
    expect(updated.connection).toMatchObject({
      catalog: second,
      catalogVersion: 2,
      version: 2,
      name: 'Renamed',
    });
    const third = { databases: [{ name: 'main', schemas: [] }], defaultDatabase: null };
    const { connection } = await introspect(id, third);
    expect(connection).toMatchObject({ catalog: third, catalogVersion: 3, version: 3 });
    const read = await platform.semantics.connections.get(admin, { id });
    expect(read.connection).toEqual(connection);
    const events = await platform.eventsOf('management.connection_catalog.updated.v1', id, 3);
    expect(events.map(({ data }) => [data['catalogVersion'], data['changeCount']])).toEqual([
      [1, 2],
      [2, 1],
      [3, 3],
    ]);
  });

  it('is no new version when it is the same, however its tables are ordered', async () => {
    const { id, catalogReadAt } = await create(catalogOf(table('a', 'x'), table('b', 'y')));
    const { connection, changes: list } = await introspect(id, catalogOf(table('b', 'y'), table('a', 'x')));
    expect([connection.catalogVersion, connection.version, list]).toEqual([1, 1, []]);
    expect(Date.parse(connection.catalogReadAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(catalogReadAt ?? ''),
    );
    const admin = await platform.as(us.orgAdmin);
    const again = catalogOf(table('b', 'y'), table('a', 'x'));
    const { connection: updated } = await platform.semantics.connections.update(admin, {
      id,
      catalog: again,
    });
    expect(updated).toMatchObject({ catalogVersion: 1, version: 1 });
    expect(updated).toEqual((await platform.semantics.connections.get(admin, { id })).connection);
    expect(await storedCount(id)).toBe(1);
  });

  it('has to come where it is asked for, and does not go with other connections', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections } = platform.semantics;
    expect(await faultsOf(() => connections.introspect(admin, { id }))).toEqual(['catalog']);
    const config = { host: 'a', database: 'b', user: 'c' };
    const live = { name: 'Live', type: 'postgres' as const, config };
    expect(await faultsOf(() => connections.create(admin, { ...live, catalog: ORDERS }))).toEqual([
      'catalog',
    ]);
    const { connection } = await connections.create(admin, live);
    const withCatalog = { id: connection.id, catalog: ORDERS };
    expect(await faultsOf(() => connections.introspect(admin, withCatalog))).toEqual(['catalog']);
    expect(await faultsOf(() => connections.update(admin, withCatalog))).toEqual(['catalog']);
  });

  const refused: [string, CatalogInput, string][] = [
    ['a table twice', catalogOf(table('a'), table('a')), 'catalog.schemas[0].tables[1].name'],
    ['a column twice', catalogOf(table('a', 'x', 'x')), 'catalog.schemas[0].tables[0].columns[1].name'],
    ['a nameless schema', { schemas: [{ name: '', tables: [] }] }, 'catalog.schemas[0].name'],
    [
      'a nameless schema of a database',
      { databases: [{ name: 'a', schemas: [{ name: '', tables: [] }] }] },
      'catalog.databases[0].schemas[0].name',
    ],
    ['neither form', {}, 'catalog.schemas'],
    ['both forms', { schemas: [], databases: [] }, 'catalog.databases'],
    ['the default of the other form', { schemas: [], defaultDatabase: 'a' }, 'catalog.defaultDatabase'],
  ];
  it.each(refused)('is refused with the place: %s', async (_, catalog, field) => {
    expect(await faultsOf(() => create(catalog))).toEqual([field]);
  });

  it('is not left behind by a request that is refused', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections } = platform.semantics;
    const other = { name: 'Other', type: 'static' as const, config: { dialect: 'mysql' as const } };
    await connections.create(admin, other);
    const taken = [
      () => connections.create(admin, { ...other, catalog: ORDERS }),
      () => connections.update(admin, { id, name: 'Other', catalog: ORDERS }),
    ];
    for (const call of taken) expect((await platform.refusalOf(call)).code).toBe('CONFLICT');
  });

  it('is stored once when a creation is made again to end it', async () => {
    const origin = { ...(await platform.as(us.orgAdmin)), operationKey: 'the same operation' };
    const config = { dialect: 'postgres' as const };
    const fields = { name: 'Warehouse', type: 'static' as const, config, catalog: ORDERS };
    const { connections } = platform.semantics;
    const first = await connections.create(origin, fields);
    expect(await connections.create(origin, fields)).toEqual(first);
    expect(await storedCount(first.connection.id)).toBe(1);
  });

  it('has room for 2,000 tables of 50 columns', async () => {
    const columns = Array.from({ length: 50 }, (_, index) => `column_number_${index}`);
    const tables = Array.from({ length: 2000 }, (_, index) => table(`table_number_${index}`, ...columns));
    const { id } = await create(catalogOf(...tables));
    const { connection } = await platform.semantics.connections.get(await platform.as(us.orgAuthor), { id });
    expect(connection.catalog).toEqual(catalogOf(...tables));
  });

  it('is refused when it would not fit into one document', async () => {
    const columns = Array.from({ length: 5000 }, (_, index) => `c${index}${'x'.repeat(190)}`);
    const count = Math.ceil(CATALOG_MAX_BYTES / 1_000_000);
    const tables = Array.from({ length: count }, (_, index) => table(`t${index}`, ...columns));
    expect(await faultsOf(() => create(catalogOf(...tables)))).toEqual(['catalog']);
  });
});

describe('what changed', () => {
  it('is told between the last two versions, or those that are named', async () => {
    const { id } = await create();
    expect(await changes(id)).toEqual({ connectionId: id, from: 0, to: 0, changes: [] });
    await introspect(id, ORDERS);
    await introspect(id, catalogOf(table('orders', 'id', 'amount')));
    const orders = table('orders', 'id', 'amount');
    const taxed = { ...orders, columns: [...orders.columns, column('tax', 'numeric')] };
    const { changes: last } = await introspect(id, catalogOf(taxed));
    const at = { schema: 'public', table: 'orders' };
    const added = { kind: 'columnAdded', ...at, column: 'tax', to: 'numeric' };
    const renamed = { kind: 'columnRenamed', ...at, column: 'amount', from: 'total', to: 'amount' };
    expect(last).toEqual([added]);
    expect(await changes(id)).toEqual({ connectionId: id, from: 2, to: 3, changes: [added] });
    expect(await changes(id, { to: 2 })).toMatchObject({ from: 1, to: 2, changes: [renamed] });
    expect((await changes(id, { from: 1 })).changes).toEqual([renamed, added]);
    expect((await changes(id, { from: 0, to: 1 })).changes.map(({ kind }) => kind)).toEqual([
      'schemaAdded',
      'tableAdded',
    ]);
    expect((await changes(id, { from: 2, to: 2 })).changes).toEqual([]);
  });

  it('is refused for versions that there are not, and backwards', async () => {
    const { id } = await create(ORDERS);
    await introspect(id, catalogOf());
    expect(await faultsOf(() => changes(id, { to: 3 }))).toEqual(['to']);
    expect(await faultsOf(() => changes(id, { to: 9 }))).toEqual(['to']);
    expect(await faultsOf(() => changes(id, { from: 9 }))).toEqual(['from']);
    expect(await faultsOf(() => changes(id, { from: 2, to: 1 }))).toEqual(['from']);
  });

  it('is known of the last 20 versions', async () => {
    const { id } = await create(ORDERS);
    for (let version = 2; version <= 23; version += 1)
      await introspect(id, catalogOf(table(`t${version}`, `c${version}`)));
    expect(await storedCount(id)).toBe(20);
    expect((await changes(id, { from: 4 })).changes).toHaveLength(2);
    expect(await faultsOf(() => changes(id, { from: 3 }))).toEqual(['from']);
    expect(await faultsOf(() => changes(id, { to: 4 }))).toEqual(['from']);
  });
});

describe('versions', () => {
  it('are counted without a gap or a twin when several are made at once', async () => {
    const { id } = await create(ORDERS);
    const catalogs = Array.from({ length: 6 }, (_, index) => catalogOf(table(`t${index}`, 'x')));
    const made = await Promise.all(catalogs.map((catalog) => introspect(id, catalog)));
    const versions = new Set(made.map(({ connection }) => connection.catalogVersion));
    expect(versions).toEqual(new Set([2, 3, 4, 5, 6, 7]));
    expect(await storedCount(id)).toBe(7);
  });

  it('go with their connection', async () => {
    const { id } = await create(ORDERS);
    await platform.semantics.connections.delete(await platform.as(us.orgAdmin), { id });
    expect(await storedCount(id)).toBe(0);
  });

  it('that no connection lists are swept once they are old, and no others', async () => {
    const { id } = await create(ORDERS);
    const { projectId } = us.orgAdmin;
    const orphan = { connectionId: id, version: 2, catalog: '{}', changes: null, hasRenames: false };
    const long = new Date(Date.now() - 3_600_000);
    await platform.stores.catalogs.insert(projectId, { _id: 'old', ...orphan, readAt: long });
    await platform.stores.catalogs.insert(projectId, { _id: 'new', ...orphan, readAt: new Date() });
    await platform.stores.catalogs.insert(projectId, {
      _id: 'lone',
      ...orphan,
      connectionId: 'c_gone',
      readAt: long,
    });
    await platform.database.collection('catalogs').updateMany({ version: 1 }, { $set: { readAt: long } });
    const sweep = createCatalogSweep(platform.stores);
    await sweep(new Date());
    const left = await platform.database
      .collection('catalogs')
      .find({ connectionId: { $in: [id, 'c_gone'] } })
      .toArray();
    expect(left.map(({ version, _id }) => (version === 1 ? 'listed' : String(_id))).toSorted()).toEqual([
      'listed',
      'new',
    ]);
    await sweep(new Date(Date.now() + 3_600_000));
    expect(await storedCount(id)).toBe(1);
  });
});
