import type { Principal } from '@gatehouse/contract';
import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

type Connections = TestPlatform['semantics']['connections'];
type Fields = Parameters<Connections['create']['mutate']>[0];
const SERVER = { host: 'db.example.com', database: 'sales', user: 'reader' };
const STATIC: Fields = { name: 'Warehouse', type: 'static', config: { dialect: 'snowflake' } };
const PASSWORD = 'hunter2-hunter2';

const create = async (fields: Fields = STATIC, by: Principal = us.orgAdmin) =>
  (await platform.semantics.connections.create.mutate(fields, { context: await platform.as(by) })).connection;
const createServer = (config: object = {}) =>
  create({ name: 'Sales', type: 'postgres', config: { ...SERVER, password: PASSWORD, ...config } });
const update = async (id: string, fields: object) =>
  (
    await platform.semantics.connections.update.mutate(
      { id, ...fields },
      { context: await platform.as(us.orgAdmin) },
    )
  ).connection;
const get = async (id: string) =>
  (await platform.semantics.connections.get.query({ id }, { context: await platform.as(us.orgAuthor) }))
    .connection;
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.rejectionOf(call)).fieldErrors?.map(({ field }) => field);
const codeOf = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;

describe('access to connections', () => {
  const AUTHORS = ['orgAdmin', 'orgAuthor'];
  type Caller = keyof Callers;
  const others = (allowed: string[]) =>
    (Object.keys(callersOf(newGround())) as Caller[]).filter((each) => !allowed.includes(each));

  it.each(others(AUTHORS))('denies %s to read', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { connections } = platform.semantics;
    for (const call of [
      () => connections.list.query({}, { context: as }),
      () => connections.get.query({ id }, { context: as }),
      () => connections.changes.query({ id }, { context: as }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it.each(others(['orgAdmin']))('denies %s to write', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { connections } = platform.semantics;
    for (const call of [
      () => connections.create.mutate({ ...STATIC, name: 'Other' }, { context: as }),
      () => connections.update.mutate({ id, name: 'Other' }, { context: as }),
      () => connections.introspect.mutate({ id, catalog: { schemas: [] } }, { context: as }),
      () => connections.delete.mutate({ id }, { context: as }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('lets an AUTHOR read, and returns NOT_FOUND in another project', async () => {
    const made = await create();
    const author = await platform.as(us.orgAuthor);
    const { catalog, ...summary } = made;
    expect(catalog).toBeNull();
    expect((await platform.semantics.connections.list.query({}, { context: author })).connections).toEqual([
      summary,
    ]);
    expect(await get(made.id)).toEqual(made);
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    const { connections } = platform.semantics;
    const { id } = made;
    for (const call of [
      () => connections.get.query({ id }, { context: stranger }),
      () => connections.update.mutate({ id, name: 'Mine' }, { context: stranger }),
      () => connections.introspect.mutate({ id, catalog: { schemas: [] } }, { context: stranger }),
      () => connections.changes.query({ id }, { context: stranger }),
      () => connections.delete.mutate({ id }, { context: stranger }),
    ]) {
      expect(await codeOf(call)).toBe('NOT_FOUND');
    }
    expect((await connections.list.query({}, { context: stranger })).connections).toEqual([]);
    expect(await connections.describe.query({ connectionId: id }, { context: stranger })).toEqual({
      connection: null,
    });
    expect(await connections.names.query({ ids: [id] }, { context: stranger })).toEqual({ connections: [] });
  });
});

describe('a configuration', () => {
  const rejected: [string, Pick<Fields, 'type' | 'config'>, string[]][] = [
    ['a port out of range', { type: 'postgres', config: { ...SERVER, port: 0 } }, ['config.port']],
    [
      'no host, database and user',
      { type: 'mysql', config: {} },
      ['config.host', 'config.database', 'config.user'],
    ],
    ['a host that is none', { type: 'mysql', config: { ...SERVER, host: 'a b' } }, ['config.host']],
    ['a file of a server', { type: 'postgres', config: { ...SERVER, file: 'a.db' } }, ['config.file']],
    [
      'a server of a file',
      { type: 'sqlite', config: SERVER },
      ['config.file', 'config.host', 'config.database', 'config.user'],
    ],
    [
      'a password of a static one',
      { type: 'static', config: { dialect: 'duckdb', password: 'x' } },
      ['config.password'],
    ],
    ['no dialect of a static one', { type: 'static', config: {} }, ['config.dialect']],
  ];
  it.each(rejected)('is rejected with the faulty fields: %s', async (_, fields, expected) => {
    expect(await faultsOf(() => create({ name: 'Wrong', ...fields }))).toEqual(expected);
  });

  it('is checked on update by the type of the connection', async () => {
    const { id } = await create();
    expect(await faultsOf(() => update(id, { config: SERVER }))).toEqual([
      'config.dialect',
      'config.host',
      'config.database',
      'config.user',
    ]);
  });

  it('holds the dialect of a static connection; the type determines it otherwise', async () => {
    const { id, dialect } = await create();
    const { dialect: ofServer, config } = await createServer();
    expect([dialect, ofServer]).toEqual(['snowflake', 'postgres']);
    expect(config).toEqual({ ...SERVER, tls: 'disable', hasPassword: true });
    expect(await update(id, { config: { dialect: 'bigquery' } })).toMatchObject({
      dialect: 'bigquery',
      version: 2,
    });
  });
});

describe('a connection', () => {
  it('has a unique name in the project', async () => {
    await create();
    expect(await codeOf(() => create())).toBe('CONFLICT');
    const { id } = await createServer();
    expect(await codeOf(() => update(id, { name: 'Warehouse' }))).toBe('CONFLICT');
    await create(STATIC, callersOf(newGround()).orgAdmin);
  });

  it('by default denies actors without an assignment and has no row barrier', async () => {
    const { id, rowBarrier, unassignedActors } = await create();
    expect([rowBarrier, unassignedActors]).toEqual([false, 'deny']);
    const changed = await update(id, { rowBarrier: true, unassignedActors: 'allow' });
    expect(changed).toMatchObject({ rowBarrier: true, unassignedActors: 'allow', version: 2 });
    const [event] = await platform.eventsOf('management.connection.updated.v1', id);
    expect(event?.data['changes']).toEqual({
      rowBarrier: { from: false, to: true },
      unassignedActors: { from: 'deny', to: 'allow' },
    });
  });

  it('keeps its version when nothing differs, and rejects another expected version', async () => {
    const { id } = await createServer();
    expect(await update(id, { name: 'Sales', config: SERVER })).toMatchObject({ version: 1 });
    const stale = await platform.as(us.orgAdmin, [7]);
    const { connections } = platform.semantics;
    expect(await codeOf(() => connections.update.mutate({ id, name: 'x' }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await codeOf(() => connections.delete.mutate({ id }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
  });

  it('is not deleted while records refer to it, which the error names', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections, datamodels, domains } = platform.semantics;
    const { datamodel } = await datamodels.create.mutate(
      { name: 'Model', connectionId: id },
      { context: admin },
    );
    const { domain } = await domains.create.mutate({ name: 'sales' }, { context: admin });
    const { id: domainId } = domain;
    await domains.putTemplate.mutate(
      { domainId, datasets: [{ name: 'a', table: 'a', connectionId: id }] },
      { context: admin },
    );
    const blind = await platform.as({ ...us.orgAdmin, semanticDomainAccess: { mode: 'none' } });
    const hidden = await platform.rejectionOf(() => connections.delete.mutate({ id }, { context: blind }));
    expect(hidden.blockedBy?.map((each) => each.id)).toEqual([datamodel.id]);
    platform.policy.setDefinitions(id, [{ id: 'usd_1', name: 'Rows' }]);
    const remove = () => connections.delete.mutate({ id }, { context: admin });
    const blocking = async () => {
      const { code, blockedBy } = await platform.rejectionOf(remove);
      return [code, blockedBy?.map((each) => each.id)];
    };
    expect(await blocking()).toEqual(['CONFLICT', [datamodel.id, domainId, 'usd_1']]);
    await datamodels.delete.mutate({ id: datamodel.id }, { context: admin });
    expect(await blocking()).toEqual(['CONFLICT', [domainId, 'usd_1']]);
    await domains.putTemplate.mutate({ domainId }, { context: admin });
    expect(await blocking()).toEqual(['CONFLICT', ['usd_1']]);
    platform.policy.setDefinitions(id, []);
    expect((await remove()).deletedConnection).toEqual({ id, name: 'Warehouse' });
    expect(await codeOf(() => connections.get.query({ id }, { context: admin }))).toBe('NOT_FOUND');
    const [event] = await platform.eventsOf('management.connection.deleted.v1', id);
    expect(event?.data).toMatchObject({ id, type: 'static' });
  });

  it('is found by a part of its name in any case, in parts, and the search is never a pattern', async () => {
    for (const name of ['ÄRGER & Co. (a|b) [x]', 'North', 'Northwest', 'South'])
      await create({ ...STATIC, name });
    await create({ ...STATIC, name: 'North' }, callersOf(newGround()).orgAdmin);
    const list = async (input: { search: string; limit?: number; cursor?: string }) =>
      platform.semantics.connections.list.query(input, { context: await platform.as(us.orgAuthor) });
    const find = async (search: string) => (await list({ search })).connections.map(({ name }) => name);
    expect(await find('oRtH')).toEqual(['North', 'Northwest']);
    expect(await find('a\u0308rger')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find('(a|b) [')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    for (const search of ['.*', '^N', '$', 'n.rth', String.raw`\w`]) expect(await find(search)).toEqual([]);
    const first = await list({ search: 'north', limit: 1 });
    expect(first).toMatchObject({
      connections: [{ name: 'North' }],
      nextCursor: expect.any(String) as string,
    });
    const second = await list({ search: 'north', limit: 1, cursor: first.nextCursor ?? '' });
    expect(second).toMatchObject({ connections: [{ name: 'Northwest' }], nextCursor: null });
    for (const search of ['', 'x'.repeat(201)])
      expect(await faultsOf(() => list({ search }))).toEqual(['search']);
  });

  it('is listed by name, and described with its catalog unless the caller has it', async () => {
    const catalog = { schemas: [] };
    const { id } = await create({ ...STATIC, catalog });
    const as = await platform.as(us.service);
    const { connections } = platform.semantics;
    expect(await connections.names.query({ ids: [id, 'c_none'] }, { context: as })).toEqual({
      connections: [{ id, name: 'Warehouse', type: 'static', dialect: 'snowflake' }],
    });
    const described = await connections.describe.query({ connectionId: id }, { context: as });
    expect([described.connection?.catalogVersion, described.catalog]).toEqual([1, catalog]);
    const known = await connections.describe.query(
      { connectionId: id, knownCatalogVersion: 1 },
      { context: as },
    );
    expect([known.connection?.id, 'catalog' in known]).toEqual([id, false]);
    expect(
      await codeOf(async () =>
        connections.describe.query(
          { connectionId: id },
          { context: await platform.as(us.anonymousOnDashboard) },
        ),
      ),
    ).toBe('FORBIDDEN');
  });
});

describe('a password', () => {
  it('must be repeated when it would be sent elsewhere or with less protection', async () => {
    const { id } = await createServer({ tls: 'verify' });
    const base = { ...SERVER, tls: 'verify' };
    for (const change of [
      { host: 'evil.example.com' },
      { port: 6000 },
      { user: 'root' },
      { tls: 'disable' },
    ]) {
      expect(await faultsOf(() => update(id, { config: { ...base, ...change } }))).toEqual([
        'config.password',
      ]);
    }
    const kept = await update(id, { config: { ...base, port: 5432, database: 'stock' } });
    expect(kept.config).toMatchObject({ database: 'stock', hasPassword: true });
    const moved = await update(id, { config: { ...base, host: 'new.example.com', password: 'another' } });
    expect(moved.config).toMatchObject({ host: 'new.example.com', hasPassword: true });
  });

  it('is removed by an empty one, and is then not required', async () => {
    const { id } = await createServer();
    expect((await update(id, { config: { ...SERVER, password: '' } })).config).toMatchObject({
      hasPassword: false,
    });
    await update(id, { config: { ...SERVER, host: 'new.example.com' } });
  });

  it('is sealed for its connection, and is in no response, document or event', async () => {
    const { id, name } = await createServer();
    const responses = [
      await get(id),
      await update(id, { config: { ...SERVER, host: 'x.example.com', password: `${PASSWORD}-2` } }),
      await platform.semantics.connections.list.query({}, { context: await platform.as(us.orgAdmin) }),
      await platform.semantics.connections.describe.query(
        { connectionId: id },
        { context: await platform.as(us.orgAdmin) },
      ),
      await platform.semantics.facts.load.query({}, { context: await platform.as(us.orgAdmin) }),
    ];
    const [updated] = await platform.eventsOf('management.connection.updated.v1', id);
    expect(updated?.data['changes']).toEqual({
      config: {
        from: { ...SERVER, tls: 'disable', hasPassword: true },
        to: { ...SERVER, host: 'x.example.com', tls: 'disable', hasPassword: true },
      },
      password: { from: '***', to: '***' },
    });
    const stored = await platform.database.collection('connections').find({ name }).toArray();
    const everything = JSON.stringify([responses, platform.events, await platform.snapshot(), stored]);
    expect(everything).toContain(id);
    expect(everything).not.toContain(PASSWORD);
    expect(stored.find(({ _id }) => String(_id) === id)?.['sealedPassword']).toMatch(/^[\w-]{8}\.[\w-]+$/);
  });
});
