import type { CatalogInput } from '@gatehouse/contract';
import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { CATALOG_MAX_BYTES } from './checkCatalog.js';
import { createCatalogSweep } from './sweeps.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
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
  return (
    await platform.semantics.connections.create.mutate(
      { ...fields, ...(catalog && { catalog }) },
      { context: as },
    )
  ).connection;
};
const introspect = async (id: string, catalog: CatalogInput) =>
  platform.semantics.connections.introspect.mutate(
    { id, catalog },
    { context: await platform.as(us.orgAdmin) },
  );
const changes = async (id: string, versions: { from?: number; to?: number } = {}) =>
  platform.semantics.connections.changes.query(
    { id, ...versions },
    { context: await platform.as(us.orgAuthor) },
  );
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.rejectionOf(call)).fieldErrors?.map(({ field }) => field);
const storedCount = (connectionId: string) =>
  platform.database.collection('catalogs').countDocuments({ connectionId });

describe('the catalog of a static connection', () => {
  it('is returned as it was sent: on creation, on update, and by introspection', async () => {
    const { id, catalog, catalogVersion, catalogReadAt } = await create(ORDERS);
    expect([catalog, catalogVersion]).toEqual([ORDERS, 1]);
    expect(catalogReadAt).not.toBeNull();
    const admin = await platform.as(us.orgAdmin);
    const second = catalogOf(table('people', 'name'), table('orders', 'id', 'total'));
    const updated = await platform.semantics.connections.update.mutate(
      {
        id,
        catalog: second,
        name: 'Renamed',
      },
      { context: admin },
    );
    expect(updated.connection).toMatchObject({
      catalog: second,
      catalogVersion: 2,
      version: 2,
      name: 'Renamed',
    });
    const third = { databases: [{ name: 'main', schemas: [] }], defaultDatabase: null };
    const { connection } = await introspect(id, third);
    expect(connection).toMatchObject({ catalog: third, catalogVersion: 3, version: 3 });
    const read = await platform.semantics.connections.get.query({ id }, { context: admin });
    expect(read.connection).toEqual(connection);
    const events = await platform.eventsOf('management.connection_catalog.updated.v1', id, 3);
    expect(events.map(({ data }) => [data['catalogVersion'], data['changeCount']])).toEqual([
      [1, 2],
      [2, 1],
      [3, 3],
    ]);
  });

  it('stores no new version of an equal catalog, in any order of its tables', async () => {
    const { id, catalogReadAt } = await create(catalogOf(table('a', 'x'), table('b', 'y')));
    const { connection, changes: list } = await introspect(id, catalogOf(table('b', 'y'), table('a', 'x')));
    expect([connection.catalogVersion, connection.version, list]).toEqual([1, 1, []]);
    expect(connection).not.toHaveProperty('catalogReadDurationMs');
    expect(Date.parse(connection.catalogReadAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(catalogReadAt ?? ''),
    );
    const admin = await platform.as(us.orgAdmin);
    const again = catalogOf(table('b', 'y'), table('a', 'x'));
    const { connection: updated } = await platform.semantics.connections.update.mutate(
      {
        id,
        catalog: again,
      },
      { context: admin },
    );
    expect(updated).toMatchObject({ catalogVersion: 1, version: 1 });
    expect(updated).toEqual(
      (await platform.semantics.connections.get.query({ id }, { context: admin })).connection,
    );
    expect(await storedCount(id)).toBe(1);
  });

  it('is required for introspection, and rejected for other types of connections', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections } = platform.semantics;
    expect(await faultsOf(() => connections.introspect.mutate({ id }, { context: admin }))).toEqual([
      'catalog',
    ]);
    const config = { host: 'a', database: 'b', user: 'c' };
    const live = { name: 'Live', type: 'postgres' as const, config };
    expect(
      await faultsOf(() => connections.create.mutate({ ...live, catalog: ORDERS }, { context: admin })),
    ).toEqual(['catalog']);
    const { connection } = await connections.create.mutate(live, { context: admin });
    const withCatalog = { id: connection.id, catalog: ORDERS };
    expect(await faultsOf(() => connections.introspect.mutate(withCatalog, { context: admin }))).toEqual([
      'catalog',
    ]);
    expect(await faultsOf(() => connections.update.mutate(withCatalog, { context: admin }))).toEqual([
      'catalog',
    ]);
  });

  const rejected: [string, CatalogInput, string][] = [
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
  it.each(rejected)('is rejected with the faulty field: %s', async (_, catalog, field) => {
    expect(await faultsOf(() => create(catalog))).toEqual([field]);
  });

  it('is not left behind by a rejected request', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections } = platform.semantics;
    const other = { name: 'Other', type: 'static' as const, config: { dialect: 'mysql' as const } };
    await connections.create.mutate(other, { context: admin });
    const taken = [
      () => connections.create.mutate({ ...other, catalog: ORDERS }, { context: admin }),
      () => connections.update.mutate({ id, name: 'Other', catalog: ORDERS }, { context: admin }),
    ];
    for (const call of taken) expect((await platform.rejectionOf(call)).code).toBe('CONFLICT');
  });

  it('is stored once when a creation is retried', async () => {
    const origin = { ...(await platform.as(us.orgAdmin)), operationKey: 'the same operation' };
    const config = { dialect: 'postgres' as const };
    const fields = { name: 'Warehouse', type: 'static' as const, config, catalog: ORDERS };
    const { connections } = platform.semantics;
    const first = await connections.create.mutate(fields, { context: origin });
    expect(await connections.create.mutate(fields, { context: origin })).toEqual(first);
    expect(await storedCount(first.connection.id)).toBe(1);
  });

  it('may have 2,000 tables of 50 columns', async () => {
    const columns = Array.from({ length: 50 }, (_, index) => `column_number_${index}`);
    const tables = Array.from({ length: 2000 }, (_, index) => table(`table_number_${index}`, ...columns));
    const { id } = await create(catalogOf(...tables));
    const { connection } = await platform.semantics.connections.get.query(
      { id },
      { context: await platform.as(us.orgAuthor) },
    );
    expect(connection.catalog).toEqual(catalogOf(...tables));
  });

  it('is rejected when it does not fit into one document', async () => {
    const columns = Array.from({ length: 5000 }, (_, index) => `c${index}${'x'.repeat(190)}`);
    const count = Math.ceil(CATALOG_MAX_BYTES / 1_000_000);
    const tables = Array.from({ length: count }, (_, index) => table(`t${index}`, ...columns));
    expect(await faultsOf(() => create(catalogOf(...tables)))).toEqual(['catalog']);
  });
});

describe('the changes between versions', () => {
  it('are those between the latest two versions, or between given ones', async () => {
    const { id } = await create();
    const whole = { connectionId: id, nextCursor: null };
    expect(await changes(id)).toEqual({ ...whole, from: 0, to: 0, changes: [] });
    await introspect(id, ORDERS);
    await introspect(id, catalogOf(table('orders', 'id', 'amount')));
    const orders = table('orders', 'id', 'amount');
    const taxed = { ...orders, columns: [...orders.columns, column('tax', 'numeric')] };
    const { changes: last } = await introspect(id, catalogOf(taxed));
    const at = { schema: 'public', table: 'orders' };
    const added = { kind: 'columnAdded', ...at, column: 'tax', to: 'numeric' };
    const renamed = { kind: 'columnRenamed', ...at, column: 'amount', from: 'total', to: 'amount' };
    expect(last).toEqual([added]);
    expect(await changes(id)).toEqual({ ...whole, from: 2, to: 3, changes: [added] });
    expect(await changes(id, { to: 2 })).toMatchObject({ from: 1, to: 2, changes: [renamed] });
    expect((await changes(id, { from: 1 })).changes).toEqual([renamed, added]);
    expect((await changes(id, { from: 0, to: 1 })).changes.map(({ kind }) => kind)).toEqual([
      'schemaAdded',
      'tableAdded',
    ]);
    expect((await changes(id, { from: 2, to: 2 })).changes).toEqual([]);
  });

  it('are rejected for unknown versions, and in reverse order', async () => {
    const { id } = await create(ORDERS);
    await introspect(id, catalogOf());
    expect(await faultsOf(() => changes(id, { to: 3 }))).toEqual(['to']);
    expect(await faultsOf(() => changes(id, { to: 9 }))).toEqual(['to']);
    expect(await faultsOf(() => changes(id, { from: 9 }))).toEqual(['from']);
    expect(await faultsOf(() => changes(id, { from: 2, to: 1 }))).toEqual(['from']);
  });

  it('are kept for the latest 20 versions', async () => {
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
  it('are numbered without gaps or duplicates under concurrent writes', async () => {
    const { id } = await create(ORDERS);
    const catalogs = Array.from({ length: 6 }, (_, index) => catalogOf(table(`t${index}`, 'x')));
    const made = await Promise.all(catalogs.map((catalog) => introspect(id, catalog)));
    const versions = new Set(made.map(({ connection }) => connection.catalogVersion));
    expect(versions).toEqual(new Set([2, 3, 4, 5, 6, 7]));
    expect(await storedCount(id)).toBe(7);
  });

  it('are deleted with their connection', async () => {
    const { id } = await create(ORDERS);
    await platform.semantics.connections.delete.mutate({ id }, { context: await platform.as(us.orgAdmin) });
    expect(await storedCount(id)).toBe(0);
  });

  it('are swept when they are old and no connection lists them', async () => {
    const { id } = await create(ORDERS);
    const { organizationId, projectId } = us.orgAdmin;
    const orphan = {
      organizationId,
      connectionId: id,
      version: 2,
      catalog: '{}',
      changes: null,
      hasRenames: false,
    };
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
