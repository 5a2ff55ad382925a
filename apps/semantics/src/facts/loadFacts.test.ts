import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

type Facts = TestPlatform['semantics']['facts'];
const load = async (query: Parameters<Facts['load']['query']>[0] = {}, by = us.service) =>
  platform.semantics.facts.load.query(query, { context: await platform.as(by) });

const tableOf = (name: string, ...columns: string[]) => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'text' })),
});
const catalogOf = (...tables: ReturnType<typeof tableOf>[]) => ({ schemas: [{ name: 'main', tables }] });

async function createConnection(name = 'Warehouse', catalog?: ReturnType<typeof catalogOf>) {
  const fields = { name, type: 'static' as const, config: { dialect: 'duckdb' as const } };
  const as = await platform.as(us.orgAdmin);
  return (
    await platform.semantics.connections.create.mutate(
      { ...fields, ...(catalog && { catalog }) },
      { context: as },
    )
  ).connection;
}
const introspect = async (id: string, catalog: ReturnType<typeof catalogOf>) =>
  platform.semantics.connections.introspect.mutate(
    { id, catalog },
    { context: await platform.as(us.orgAdmin) },
  );

describe('the facts of a project', () => {
  it('are complete for the service identity and authors, and only domains for other callers', async () => {
    const { id: connectionId } = await createConnection();
    const admin = await platform.as(us.orgAdmin);
    const datasets = [{ name: 'orders', table: 'orders' }];
    const { domain } = await platform.semantics.domains.create.mutate(
      { name: 'sales', label: 'Sales' },
      { context: admin },
    );
    const { template } = await platform.semantics.domains.putTemplate.mutate(
      {
        domainId: domain.id,
        datasets,
      },
      { context: admin },
    );
    const { datamodel } = await platform.semantics.datamodels.create.mutate(
      {
        name: 'Model',
        connectionId,
        template: { datasets },
      },
      { context: admin },
    );
    const { assistantProfile } = await platform.semantics.assistantProfiles.create.mutate(
      {
        name: 'Analyst',
      },
      { context: admin },
    );
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
    const unreadable = { connections: [], datamodels: [], assistantProfiles: [], isLimited: true };
    for (const caller of ['tenantViewer', 'tenantPowerUser', 'orgViewer'] as const)
      expect(await load({}, us[caller])).toEqual({ ...facts, ...unreadable });
    for (const caller of ['service', 'orgAuthor', 'orgAdmin'] as const)
      expect(await load({}, us[caller])).toEqual(facts);
    const stranger = callersOf(newGround()).orgAdmin;
    expect(await load({}, stranger)).toEqual({
      connections: [],
      domains: [],
      datamodels: [],
      assistantProfiles: [],
    });
    const { code } = await platform.rejectionOf(() => load({}, us.anonymousOnDashboard));
    expect(code).toBe('FORBIDDEN');
  });

  it('leave out domains that the token does not see', async () => {
    const admin = await platform.as(us.orgAdmin);
    for (const name of ['sales', 'stock'])
      await platform.semantics.domains.create.mutate({ name }, { context: admin });
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

  it('are those of each caller, also of callers who read at the same time', async () => {
    const admin = await platform.as(us.orgAdmin);
    await createConnection();
    for (const name of ['sales', 'stock'])
      await platform.semantics.domains.create.mutate({ name }, { context: admin });
    const limitedTo = (name: string) =>
      ({ ...us.service, semanticDomainAccess: { mode: 'include', domains: [name] } }) as typeof us.service;
    const callers = [
      us.service,
      us.tenantViewer,
      limitedTo('stock'),
      us.orgAuthor,
      callersOf(newGround()).orgAdmin,
      limitedTo('sales'),
      us.orgViewer,
    ];
    const alone = [];
    for (const caller of callers) alone.push(await load({}, caller));
    const shared = await Promise.all([...callers, ...callers].map((caller) => load({}, caller)));
    expect(shared).toEqual([...alone, ...alone]);
    expect(alone.map(({ domains, connections }) => [domains.length, connections.length])).toEqual([
      [2, 1],
      [2, 0],
      [1, 1],
      [2, 1],
      [0, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  it('leave out catalogs of which the caller has the latest version', async () => {
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

describe('the changes in the catalogs', () => {
  it('always include renames, oldest first', async () => {
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

  it('include the tables that changed since a moment', async () => {
    const { id } = await createConnection('A', catalogOf(tableOf('a', 'x'), tableOf('b', 'x')));
    const { connection } = await introspect(id, catalogOf(tableOf('a', 'x', 'y'), tableOf('b', 'x')));
    const known = [{ connectionId: id, catalogVersion: 2 }];
    const since = async (changedSince: string) => {
      const [[first], [held]] = [
        (await load({ changedSince })).connections,
        (await load({ changedSince, known })).connections,
      ];
      expect(held?.changedTables).toEqual(first?.changedTables);
      return held?.changedTables;
    };
    const named = (...tables: string[]) => tables.map((table) => ({ schema: 'main', table }));
    expect(await since('2020-01-01T00:00:00Z')).toEqual(named('a', 'b'));
    const secondAt = connection.catalogReadAt ?? '';
    expect(await since(secondAt)).toEqual(expect.arrayContaining(named('a')));
    expect(await since('2999-01-01T00:00:00+01:00')).toEqual([]);
  });

  it('include every table when the changes are no longer kept', async () => {
    const { id } = await createConnection('A', catalogOf(tableOf('same', 'x'), tableOf('t0')));
    for (let version = 1; version <= 20; version += 1)
      await introspect(id, catalogOf(tableOf('same', 'x'), tableOf(`t${version}`)));
    const known = [{ connectionId: id, catalogVersion: 21 }];
    const [facts] = (await load({ changedSince: '2020-01-01T00:00:00Z', known })).connections;
    expect(facts?.changedTables?.map(({ table }) => table)).toEqual(['same', 't20']);
    expect(facts).not.toHaveProperty('catalog');
  });
});
