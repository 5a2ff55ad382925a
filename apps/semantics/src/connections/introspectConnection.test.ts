import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Callers,
  callersOf,
  type DatabaseServer,
  newGround,
  startPostgres,
  startTestMongo,
  type TestMongo,
} from '@gatehouse/testing';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSealingKey, startPlatform, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let folder: string;
let postgres: DatabaseServer;
let settings: Record<string, string>;
const sealingKeys = newSealingKey();
let platform: TestPlatform;
let us: Callers;
beforeAll(async () => {
  [mongo, folder, postgres] = await Promise.all([
    startTestMongo(),
    mkdtemp(join(tmpdir(), 'gatehouse-semantics-')),
    startPostgres(),
  ]);
  settings = { CONNECTION_HOSTS: '127.0.0.1', SQLITE_DIR: folder };
  platform = await startPlatform(mongo.databases, { sealingKeys, settings });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await Promise.all([
    postgres[Symbol.asyncDispose](),
    mongo[Symbol.asyncDispose](),
    rm(folder, { recursive: true }),
  ]);
});
beforeEach(() => {
  us = callersOf(newGround());
});

type Fields = Parameters<TestPlatform['semantics']['connections']['create']['mutate']>[0];
const create = async (fields: Pick<Fields, 'type' | 'config'>) => {
  const as = await platform.as(us.orgAdmin);
  return (await platform.semantics.connections.create.mutate({ name: 'Live', ...fields }, { context: as }))
    .connection.id;
};
const introspect = async (id: string, at = platform) =>
  at.semantics.connections.introspect.mutate({ id }, { context: await at.as(us.orgAdmin) });
const outcomeOf = async (id: string) => {
  const { code, message, fieldErrors, retryAfterSeconds } = await platform.rejectionOf(() => introspect(id));
  return { code, message, fields: fieldErrors?.map(({ field }) => field), retryAfterSeconds };
};
const serverConfig = (fields: object = {}) => {
  const { user, password, port } = postgres;
  return { host: '127.0.0.1', port, database: 'postgres', user, password, ...fields };
};

describe('the catalog of a database', () => {
  it('is read, and stored as a new version only when it changed', async () => {
    const own = join(folder, us.orgAdmin.organizationId);
    await mkdir(own);
    const database = new sqlite.Database(join(own, 'shop.db'));
    database.exec('CREATE TABLE orders (id INTEGER, total NUMERIC)');
    const id = await create({ type: 'sqlite', config: { file: 'shop.db' } });
    const { connection, changes } = await introspect(id);
    expect([connection.catalogVersion, changes.map(({ kind }) => kind)]).toEqual([
      1,
      ['schemaAdded', 'tableAdded'],
    ]);
    const again = await introspect(id);
    expect([again.connection.catalogVersion, again.changes]).toEqual([1, []]);
    database.exec('ALTER TABLE orders RENAME COLUMN total TO amount');
    database.close();
    const { connection: renamed, changes: second } = await introspect(id);
    expect(second).toMatchObject([{ kind: 'columnRenamed', from: 'total', to: 'amount' }]);
    expect([renamed.catalogVersion, renamed.version]).toEqual([2, 3]);
  });

  it('has the duration of its last reading, unless an earlier version of the platform read it', async () => {
    const id = await create({ type: 'postgres', config: serverConfig() });
    const { connection } = await introspect(id);
    expect(connection.catalogReadDurationMs).toBeGreaterThanOrEqual(0);
    expect(connection.catalogReadDurationMs).toSatisfy(Number.isInteger);
    const stored = platform.database.collection<{ _id: string }>('connections');
    const read = async () =>
      (await platform.semantics.connections.get.query({ id }, { context: await platform.as(us.orgAdmin) }))
        .connection;
    expect(await read()).toEqual(connection);
    await stored.updateOne({ _id: id }, { $unset: { catalogReadDurationMs: '' } });
    const { catalogReadDurationMs: _duration, ...rest } = connection;
    expect(await read()).toStrictEqual(rest);
    expect((await introspect(id)).connection.catalogReadDurationMs).toBeGreaterThanOrEqual(0);
  });
});

describe('a database that cannot be read', () => {
  it('is an error of the host or file when the operator does not allow it', async () => {
    const allowed = await create({ type: 'mysql', config: serverConfig({ host: '10.0.0.1' }) });
    expect(await outcomeOf(allowed)).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.host'] });
    us = callersOf(newGround());
    const outside = await create({ type: 'sqlite', config: { file: '../secret.db' } });
    expect(await outcomeOf(outside)).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.file'] });
  });

  it('is an error of the user when it rejects the login', async () => {
    const id = await create({ type: 'postgres', config: serverConfig({ password: 'wrong-marked-secret' }) });
    const outcome = await outcomeOf(id);
    expect(outcome).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.user'] });
    expect(JSON.stringify(outcome)).not.toMatch(/marked-secret|127\.0\.0\.1/);
  });

  it('is an error of the TLS setting when it offers no TLS and the connection requires it', async () => {
    const id = await create({ type: 'postgres', config: serverConfig({ tls: 'require' }) });
    const { code, fields, ...shown } = await outcomeOf(id);
    expect([code, fields]).toEqual(['INVALID_REQUEST', ['config.tls']]);
    expect(JSON.stringify(shown)).not.toMatch(/127\.0\.0\.1|SSL/);
  });

  it('is a temporary error when the server is unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const id = await create({ type: 'postgres', config: serverConfig({ port }) });
    const { code, message, retryAfterSeconds } = await outcomeOf(id);
    expect([code, retryAfterSeconds]).toEqual(['UNAVAILABLE', 5]);
    expect(message).not.toContain(String(port));
  });
});

describe('a connection that is updated while its catalog is read', () => {
  it('does not store the catalog of its former target', async () => {
    const id = await create({ type: 'postgres', config: serverConfig() });
    const admin = await platform.as(us.orgAdmin);
    // A proxy that forwards to the database only after the connection was moved.
    const proxy = createServer((socket) => {
      const config = { ...serverConfig(), port: postgres.port };
      const moved = platform.semantics.connections.update.mutate({ id, config }, { context: admin });
      void moved.then(() => socket.pipe(connect(postgres.port, '127.0.0.1')).pipe(socket));
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    await platform.semantics.connections.update.mutate(
      { id, config: serverConfig({ port }) },
      { context: admin },
    );
    await expect(introspect(id)).rejects.toMatchObject({ cause: { code: 'CONFLICT' } });
    const { connection } = await platform.semantics.connections.get.query({ id }, { context: admin });
    expect([connection.config, connection.catalogVersion]).toMatchObject([{ port: postgres.port }, null]);
    proxy.close();
  });
});

describe('a password that is sealed with a former key', () => {
  it('opens while the key is configured, and not for another connection', async () => {
    const id = await create({ type: 'postgres', config: serverConfig() });
    expect((await introspect(id)).connection.catalogVersion).toBe(1);
    const added = newSealingKey();
    const rotated = await startPlatform(mongo.databases, {
      sealingKeys: `${added},${sealingKeys}`,
      settings,
    });
    const forgetful = await startPlatform(mongo.databases, { sealingKeys: added, settings });
    expect((await introspect(id, rotated)).connection.catalogVersion).toBe(1);
    await expect(introspect(id, forgetful)).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
    await rotated[Symbol.asyncDispose]();
    await forgetful[Symbol.asyncDispose]();

    const stored = platform.database.collection<{ _id: string; sealedPassword: string }>('connections');
    const { sealedPassword } = (await stored.findOne({ _id: id })) ?? {};
    us = callersOf(newGround());
    const thief = await create({ type: 'postgres', config: serverConfig({ password: 'other' }) });
    await stored.updateOne({ _id: thief }, { $set: { sealedPassword } });
    await expect(introspect(thief)).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
  });
});
