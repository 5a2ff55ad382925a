import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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

type Fields = Parameters<TestPlatform['semantics']['connections']['create']>[1];
const create = async (fields: Pick<Fields, 'type' | 'config'>) => {
  const as = await platform.as(us.orgAdmin);
  return (await platform.semantics.connections.create(as, { name: 'Live', ...fields })).connection.id;
};
const introspect = async (id: string, at = platform) =>
  at.semantics.connections.introspect(await at.as(us.orgAdmin), { id });
const outcomeOf = async (id: string) => {
  const { code, message, fieldErrors, retryAfterSeconds } = await platform.refusalOf(() => introspect(id));
  return { code, message, fields: fieldErrors?.map(({ field }) => field), retryAfterSeconds };
};
const serverConfig = (fields: object = {}) => {
  const { user, password, port } = postgres;
  return { host: '127.0.0.1', port, database: 'postgres', user, password, ...fields };
};

describe('the catalog of a database', () => {
  it('is read, kept while it stays the same, and read anew when it changed', async () => {
    const database = new sqlite.Database(join(folder, 'shop.db'));
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
});

describe('a database that cannot be read', () => {
  it('because the operator does not allow it is a fault of the host or file', async () => {
    const allowed = await create({ type: 'mysql', config: serverConfig({ host: '10.0.0.1' }) });
    expect(await outcomeOf(allowed)).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.host'] });
    us = callersOf(newGround());
    const outside = await create({ type: 'sqlite', config: { file: '../secret.db' } });
    expect(await outcomeOf(outside)).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.file'] });
  });

  it('because it refuses is a fault of the user', async () => {
    const id = await create({ type: 'postgres', config: serverConfig({ password: 'wrong-marked-secret' }) });
    const outcome = await outcomeOf(id);
    expect(outcome).toMatchObject({ code: 'INVALID_REQUEST', fields: ['config.user'] });
    expect(JSON.stringify(outcome)).not.toMatch(/marked-secret|127\.0\.0\.1/);
  });

  it('because it offers no TLS, which the connection asks for, is a fault of that', async () => {
    const id = await create({ type: 'postgres', config: serverConfig({ tls: 'require' }) });
    const { code, fields, ...told } = await outcomeOf(id);
    expect([code, fields]).toEqual(['INVALID_REQUEST', ['config.tls']]);
    expect(JSON.stringify(told)).not.toMatch(/127\.0\.0\.1|SSL/);
  });

  it('because nobody answers may be tried again', async () => {
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

describe('a connection that changes while its catalog is read', () => {
  it('does not get the catalog of where it led before', async () => {
    const id = await create({ type: 'postgres', config: serverConfig() });
    const admin = await platform.as(us.orgAdmin);
    // Stands between the two and lets the database answer only once the connection leads elsewhere.
    const between = createServer((socket) => {
      const config = { ...serverConfig(), port: postgres.port };
      const moved = platform.semantics.connections.update(admin, { id, config });
      void moved.then(() => socket.pipe(connect(postgres.port, '127.0.0.1')).pipe(socket));
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    await platform.semantics.connections.update(admin, { id, config: serverConfig({ port }) });
    await expect(introspect(id)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { connection } = await platform.semantics.connections.get(admin, { id });
    expect([connection.config, connection.catalogVersion]).toMatchObject([{ port: postgres.port }, null]);
    between.close();
  });
});

describe('a password that was sealed with a former key', () => {
  it('opens as long as the key is configured, and is no other connection’s', async () => {
    const id = await create({ type: 'postgres', config: serverConfig() });
    expect((await introspect(id)).connection.catalogVersion).toBe(1);
    const added = newSealingKey();
    const rotated = await startPlatform(mongo.databases, {
      sealingKeys: `${added},${sealingKeys}`,
      settings,
    });
    const forgetful = await startPlatform(mongo.databases, { sealingKeys: added, settings });
    expect((await introspect(id, rotated)).connection.catalogVersion).toBe(1);
    await expect(introspect(id, forgetful)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await rotated[Symbol.asyncDispose]();
    await forgetful[Symbol.asyncDispose]();

    const stored = platform.database.collection<{ _id: string; sealedPassword: string }>('connections');
    const { sealedPassword } = (await stored.findOne({ _id: id })) ?? {};
    us = callersOf(newGround());
    const thief = await create({ type: 'postgres', config: serverConfig({ password: 'other' }) });
    await stored.updateOne({ _id: thief }, { $set: { sealedPassword } });
    await expect(introspect(thief)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});
