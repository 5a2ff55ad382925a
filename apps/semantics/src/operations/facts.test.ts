import { type Callers, callersOf, newGround, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

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

type Facts = TestPlatform['semantics']['facts'];
const load = async (question: Parameters<Facts['load']>[1] = {}, by = us.service) =>
  platform.semantics.facts.load(await platform.as(by), question);

const tableOf = (name: string, ...columns: string[]) => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'text' })),
});
const catalogOf = (...tables: ReturnType<typeof tableOf>[]) => ({ schemas: [{ name: 'main', tables }] });

async function createConnection(name = 'Warehouse', catalog?: ReturnType<typeof catalogOf>) {
  const fields = { name, type: 'static' as const, config: { dialect: 'duckdb' as const } };
  const as = await platform.as(us.orgAdmin);
  return (await platform.semantics.connections.create(as, { ...fields, ...(catalog && { catalog }) }))
    .connection;
}
const introspect = async (id: string, catalog: ReturnType<typeof catalogOf>) =>
  platform.semantics.connections.introspect(await platform.as(us.orgAdmin), { id, catalog });

describe('the facts of a project', () => {
  it('are all that it has, for any project token, and no other project’s', async () => {
    const { id: connectionId } = await createConnection();
    const admin = await platform.as(us.orgAdmin);
    const datasets = [{ name: 'orders', table: 'orders' }];
    const { domain } = await platform.semantics.domains.create(admin, { name: 'sales', label: 'Sales' });
    const { template } = await platform.semantics.domains.putTemplate(admin, {
      domainId: domain.id,
      datasets,
    });
    const { datamodel } = await platform.semantics.datamodels.create(admin, {
      name: 'Model',
      connectionId,
      template: { datasets },
    });
    const { assistantProfile } = await platform.semantics.assistantProfiles.create(admin, {
      name: 'Analyst',
    });
    const facts = {
      connections: [
        {
          id: connectionId,
          name: 'Warehouse',
          type: 'static',
          dialect: 'duckdb',
          catalogVersion: null,
          catalog: null,
          renames: [],
        },
      ],
      domains: [{ id: domain.id, name: 'sales', label: 'Sales', template }],
      datamodels: [{ id: datamodel.id, name: 'Model', connectionId, template: datamodel.template }],
      assistantProfiles: [{ id: assistantProfile.id, name: 'Analyst' }],
    };
    for (const caller of [
      'service',
      'tenantViewer',
      'tenantPowerUser',
      'orgViewer',
      'orgAuthor',
      'orgAdmin',
    ] as const)
      expect(await load({}, us[caller])).toEqual(facts);
    const stranger = callersOf(newGround()).orgAdmin;
    expect(await load({}, stranger)).toEqual({
      connections: [],
      domains: [],
      datamodels: [],
      assistantProfiles: [],
    });
    const { code } = await platform.refusalOf(() => load({}, us.anonymousOnDashboard));
    expect(code).toBe('FORBIDDEN');
  });

  it('leave out the domains that the token may not see', async () => {
    const admin = await platform.as(us.orgAdmin);
    for (const name of ['sales', 'stock']) await platform.semantics.domains.create(admin, { name });
    const namesFor = async (access: object) => {
      const { domains } = await load({}, {
        ...us.service,
        semanticDomainAccess: access,
      } as typeof us.service);
      return domains.map(({ name }) => name);
    };
    expect(await namesFor({ mode: 'none' })).toEqual([]);
    expect(await namesFor({ mode: 'include', domains: ['stock'] })).toEqual(['stock']);
    expect(await namesFor({ mode: 'exclude', domains: ['stock'] })).toEqual(['sales']);
  });

  it('leave out the catalogs that the caller holds in the present version', async () => {
    const catalog = catalogOf(tableOf('a', 'x'));
    const { id, catalog: stored } = await createConnection('A', catalog);
    const other = await createConnection('B', catalog);
    const known = (catalogVersion: number) => ({ known: [{ connectionId: id, catalogVersion }] });
    const [first, second] = (await load(known(1))).connections;
    expect([first?.id, second?.catalog, second?.renames]).toEqual([id, stored, []]);
    expect(first).not.toHaveProperty('catalog');
    expect(first).not.toHaveProperty('renames');
    await introspect(id, catalogOf(tableOf('b', 'y')));
    const { connections } = await load(known(1));
    expect(connections.map(({ catalogVersion }) => catalogVersion)).toEqual([2, 1]);
    expect(connections[0]?.catalog).toMatchObject({ schemas: [{ tables: [{ name: 'b' }] }] });
    expect(connections[1]?.id).toBe(other.id);
  });
});

describe('what changed in the catalogs', () => {
  it('is told as renames, oldest first, whatever is asked', async () => {
    const { id } = await createConnection('A', catalogOf(tableOf('a', 'x', 'total')));
    await introspect(id, catalogOf(tableOf('a', 'x', 'amount')));
    await introspect(id, catalogOf(tableOf('a', 'x', 'amount', 'y')));
    await introspect(id, catalogOf(tableOf('b', 'x', 'amount', 'y')));
    const [facts] = (await load()).connections;
    expect(facts?.renames?.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['columnRenamed', 'total', 'amount'],
      ['tableRenamed', 'a', 'b'],
    ]);
    expect(facts).not.toHaveProperty('changedTables');
  });

  it('is told as the tables that changed since a moment', async () => {
    const { id } = await createConnection('A', catalogOf(tableOf('a', 'x'), tableOf('b', 'x')));
    const { connection } = await introspect(id, catalogOf(tableOf('a', 'x', 'y'), tableOf('b', 'x')));
    const known = [{ connectionId: id, catalogVersion: 2 }];
    const since = async (changedSince: string) => {
      const [[asked], [held]] = [
        (await load({ changedSince })).connections,
        (await load({ changedSince, known })).connections,
      ];
      expect(held?.changedTables).toEqual(asked?.changedTables);
      return held?.changedTables;
    };
    const named = (...tables: string[]) => tables.map((table) => ({ schema: 'main', table }));
    expect(await since('2020-01-01T00:00:00Z')).toEqual(named('a', 'b'));
    const secondAt = connection.catalogReadAt ?? '';
    expect(await since(secondAt)).toEqual(expect.arrayContaining(named('a')));
    expect(await since('2999-01-01T00:00:00+01:00')).toEqual([]);
  });

  it('is every table when it is not known any more', async () => {
    const { id } = await createConnection('A', catalogOf(tableOf('same', 'x'), tableOf('t0')));
    for (let version = 1; version <= 20; version += 1)
      await introspect(id, catalogOf(tableOf('same', 'x'), tableOf(`t${version}`)));
    const known = [{ connectionId: id, catalogVersion: 21 }];
    const [facts] = (await load({ changedSince: '2020-01-01T00:00:00Z', known })).connections;
    expect(facts?.changedTables?.map(({ table }) => table)).toEqual(['same', 't20']);
    expect(facts).not.toHaveProperty('catalog');
  });
});
