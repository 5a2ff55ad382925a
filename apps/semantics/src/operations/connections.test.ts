import type { Principal } from '@gatehouse/contract';
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

type Connections = TestPlatform['semantics']['connections'];
type Fields = Parameters<Connections['create']>[1];
const SERVER = { host: 'db.example.com', database: 'sales', user: 'reader' };
const STATIC: Fields = { name: 'Warehouse', type: 'static', config: { dialect: 'snowflake' } };
const PASSWORD = 'hunter2-hunter2';

const create = async (fields: Fields = STATIC, by: Principal = us.orgAdmin) =>
  (await platform.semantics.connections.create(await platform.as(by), fields)).connection;
const createServer = (config: object = {}) =>
  create({ name: 'Sales', type: 'postgres', config: { ...SERVER, password: PASSWORD, ...config } });
const update = async (id: string, fields: object) =>
  (await platform.semantics.connections.update(await platform.as(us.orgAdmin), { id, ...fields })).connection;
const get = async (id: string) =>
  (await platform.semantics.connections.get(await platform.as(us.orgAuthor), { id })).connection;
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.refusalOf(call)).fieldErrors?.map(({ field }) => field);
const codeOf = async (call: () => Promise<unknown>) => (await platform.refusalOf(call)).code;

describe('who may use connections', () => {
  const AUTHORS = ['orgAdmin', 'orgAuthor'];
  type Caller = keyof Callers;
  const others = (allowed: string[]) =>
    (Object.keys(callersOf(newGround())) as Caller[]).filter((each) => !allowed.includes(each));

  it.each(others(AUTHORS))('%s reads none', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { connections } = platform.semantics;
    for (const call of [
      () => connections.list(as, {}),
      () => connections.get(as, { id }),
      () => connections.changes(as, { id }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it.each(others(['orgAdmin']))('%s writes none', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { connections } = platform.semantics;
    for (const call of [
      () => connections.create(as, { ...STATIC, name: 'Other' }),
      () => connections.update(as, { id, name: 'Other' }),
      () => connections.introspect(as, { id, catalog: { schemas: [] } }),
      () => connections.delete(as, { id }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('an AUTHOR reads, and nobody finds those of another project', async () => {
    const made = await create();
    const author = await platform.as(us.orgAuthor);
    const { catalog, ...summary } = made;
    expect(catalog).toBeNull();
    expect((await platform.semantics.connections.list(author, {})).connections).toEqual([summary]);
    expect(await get(made.id)).toEqual(made);
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    const { connections } = platform.semantics;
    const { id } = made;
    for (const call of [
      () => connections.get(stranger, { id }),
      () => connections.update(stranger, { id, name: 'Mine' }),
      () => connections.introspect(stranger, { id, catalog: { schemas: [] } }),
      () => connections.changes(stranger, { id }),
      () => connections.delete(stranger, { id }),
    ]) {
      expect(await codeOf(call)).toBe('NOT_FOUND');
    }
    expect((await connections.list(stranger, {})).connections).toEqual([]);
    expect(await connections.describe(stranger, { connectionId: id })).toEqual({ connection: null });
    expect(await connections.names(stranger, { ids: [id] })).toEqual({ connections: [] });
  });
});

describe('a configuration', () => {
  const refused: [string, Pick<Fields, 'type' | 'config'>, string[]][] = [
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
  it.each(refused)('is refused where it is wrong: %s', async (_, fields, expected) => {
    expect(await faultsOf(() => create({ name: 'Wrong', ...fields }))).toEqual(expected);
  });

  it('is refused on update by the type that the connection has', async () => {
    const { id } = await create();
    expect(await faultsOf(() => update(id, { config: SERVER }))).toEqual([
      'config.dialect',
      'config.host',
      'config.database',
      'config.user',
    ]);
  });

  it('of a static connection says its dialect, else its type does', async () => {
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
  it('has a name of its own in the project', async () => {
    await create();
    expect(await codeOf(() => create())).toBe('CONFLICT');
    const { id } = await createServer();
    expect(await codeOf(() => update(id, { name: 'Warehouse' }))).toBe('CONFLICT');
    await create(STATIC, callersOf(newGround()).orgAdmin);
  });

  it('denies actors without an assignment and has no barrier unless told otherwise', async () => {
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

  it('stays as it is when nothing differs, and is not changed in another version', async () => {
    const { id } = await createServer();
    expect(await update(id, { name: 'Sales', config: SERVER })).toMatchObject({ version: 1 });
    const stale = await platform.as(us.orgAdmin, [7]);
    const { connections } = platform.semantics;
    expect(await codeOf(() => connections.update(stale, { id, name: 'x' }))).toBe('PRECONDITION_FAILED');
    expect(await codeOf(() => connections.delete(stale, { id }))).toBe('PRECONDITION_FAILED');
  });

  it('is not deleted while anything refers to it, which the refusal names', async () => {
    const { id } = await create();
    const admin = await platform.as(us.orgAdmin);
    const { connections, datamodels, domains } = platform.semantics;
    const { datamodel } = await datamodels.create(admin, { name: 'Model', connectionId: id });
    const { domain } = await domains.create(admin, { name: 'sales' });
    const { id: domainId } = domain;
    await domains.putTemplate(admin, { domainId, datasets: [{ name: 'a', table: 'a', connectionId: id }] });
    const blind = await platform.as({ ...us.orgAdmin, semanticDomainAccess: { mode: 'none' } });
    const hidden = await platform.refusalOf(() => connections.delete(blind, { id }));
    expect(hidden.blockedBy?.map((each) => each.id)).toEqual([datamodel.id]);
    platform.policy.setDefinitions(id, [{ id: 'usd_1', name: 'Rows' }]);
    const remove = () => connections.delete(admin, { id });
    const blocking = async () => {
      const { code, blockedBy } = await platform.refusalOf(remove);
      return [code, blockedBy?.map((each) => each.id)];
    };
    expect(await blocking()).toEqual(['CONFLICT', [datamodel.id, domainId, 'usd_1']]);
    await datamodels.delete(admin, { id: datamodel.id });
    expect(await blocking()).toEqual(['CONFLICT', [domainId, 'usd_1']]);
    await domains.putTemplate(admin, { domainId });
    expect(await blocking()).toEqual(['CONFLICT', ['usd_1']]);
    platform.policy.setDefinitions(id, []);
    expect((await remove()).deletedConnection).toEqual({ id, name: 'Warehouse' });
    expect(await codeOf(() => connections.get(admin, { id }))).toBe('NOT_FOUND');
    const [event] = await platform.eventsOf('management.connection.deleted.v1', id);
    expect(event?.data).toMatchObject({ id, type: 'static' });
  });

  it('is named to whoever asks for a list of them, and described with its catalog unless that is known', async () => {
    const catalog = { schemas: [] };
    const { id } = await create({ ...STATIC, catalog });
    const as = await platform.as(us.service);
    const { connections } = platform.semantics;
    expect(await connections.names(as, { ids: [id, 'c_none'] })).toEqual({
      connections: [{ id, name: 'Warehouse', type: 'static', dialect: 'snowflake' }],
    });
    const described = await connections.describe(as, { connectionId: id });
    expect([described.connection?.catalogVersion, described.catalog]).toEqual([1, catalog]);
    const known = await connections.describe(as, { connectionId: id, knownCatalogVersion: 1 });
    expect([known.connection?.id, 'catalog' in known]).toEqual([id, false]);
    expect(
      await codeOf(async () =>
        connections.describe(await platform.as(us.anonymousOnDashboard), { connectionId: id }),
      ),
    ).toBe('FORBIDDEN');
  });
});

describe('a password', () => {
  it('has to be given again when it would go to somebody else, or less protected', async () => {
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

  it('is taken away by an empty one, and is asked for no more then', async () => {
    const { id } = await createServer();
    expect((await update(id, { config: { ...SERVER, password: '' } })).config).toMatchObject({
      hasPassword: false,
    });
    await update(id, { config: { ...SERVER, host: 'new.example.com' } });
  });

  it('is sealed for its connection, and is in no answer, document or event', async () => {
    const { id, name } = await createServer();
    const answers = [
      await get(id),
      await update(id, { config: { ...SERVER, host: 'x.example.com', password: `${PASSWORD}-2` } }),
      await platform.semantics.connections.list(await platform.as(us.orgAdmin), {}),
      await platform.semantics.connections.describe(await platform.as(us.orgAdmin), { connectionId: id }),
      await platform.semantics.facts.load(await platform.as(us.orgAdmin), {}),
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
    const everything = JSON.stringify([answers, platform.events, await platform.snapshot(), stored]);
    expect(everything).toContain(id);
    expect(everything).not.toContain(PASSWORD);
    expect(stored.find(({ _id }) => String(_id) === id)?.['sealedPassword']).toMatch(/^[\w-]{8}\.[\w-]+$/);
  });
});
