import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogChange, Connection, FieldError, ManagementErrorBody } from '@gatehouse/contract';
import { services } from '@gatehouse/contract';
import { removeDataDir, startTestMongo, type TestMongo } from '@gatehouse/testing';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Answer, type Api, type Session } from './src/api.js';
import { addPeople, type People } from './src/people.js';
import { createConnection, createDatamodel, createDomain } from './src/semanticRecords.js';
import { forms, spawnServer, type TestServer } from './src/servers.js';

const CONNECTIONS = '/api/v1/connections';
const SERVER = { host: 'db.example.com', database: 'sales', user: 'reader' };
const table = (name: string, ...columns: string[]) => ({
  name,
  kind: 'table',
  columns: columns.map((column) => ({ name: column, type: 'text' })),
});
const catalogOf = (...tables: ReturnType<typeof table>[]) => ({ schemas: [{ name: 'main', tables }] });

type ConnectionAnswer = { connection: Connection; changes?: CatalogChange[] };
const fieldsOf = ({ body }: Answer<Partial<ManagementErrorBody>>) =>
  (body.fieldErrors ?? []).map(({ field }: FieldError) => field);

describe.each(forms)('connections over HTTP ($form)', ({ start }) => {
  let server: TestServer;
  let folder: string;
  let api: Api;
  let people: People;
  let admin: Session;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-connections-'));
    server = await start({ SQLITE_DIR: folder });
    api = await createApi(server.credentials);
    people = await addPeople(api);
    admin = api.admin;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await removeDataDir(folder);
  });

  const at = (id: string, rest = '') => `${CONNECTIONS}/${id}${rest}`;

  it('are writable for an ADMIN, readable for an AUTHOR, and hidden from all others', async () => {
    const { id } = await createConnection(admin);
    const { author, orgViewer, tenant } = people;
    const statuses = async (session: Session) => [
      (await session.get(CONNECTIONS)).status,
      (await session.get(at(id))).status,
      (await session.get(at(id, '/catalog/changes'))).status,
      (await session.patch(at(id), { name: unique('Renamed') })).status,
      (await session.post(at(id, '/introspect'), { catalog: catalogOf() })).status,
    ];
    expect(await statuses(admin)).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(author.session)).toEqual([200, 200, 200, 403, 403]);
    for (const { session } of [
      orgViewer,
      tenant.powerUser,
      tenant.viewer,
      { session: await api.openSession({}) },
    ])
      expect(await statuses(session)).toEqual([403, 403, 403, 403, 403]);
    const elsewhere = await api.openSession({ orgUserId: people.admin.id }, await api.createProject());
    expect(await statuses(elsewhere)).toEqual([200, 404, 404, 404, 404]);
  });

  it('report the exact location of a fault in a configuration or a catalog', async () => {
    const body = (fields: object) => ({ name: unique('Wrong'), type: 'postgres', config: SERVER, ...fields });
    const statically = (catalog: unknown) => body({ type: 'static', config: { dialect: 'mysql' }, catalog });
    const requests: [object, string[]][] = [
      [body({ config: { ...SERVER, port: '5432' } }), ['config.port']],
      [body({ config: { ...SERVER, port: 70_000 } }), ['config.port']],
      [body({ config: { ...SERVER, prot: 1 } }), ['config.prot']],
      [body({ type: 'sqlite' }), ['config.file', 'config.host', 'config.database', 'config.user']],
      [body({ type: 'oracle' }), ['type']],
      [body({ catalog: catalogOf() }), ['catalog']],
      [statically({}), ['catalog.schemas']],
      [statically(catalogOf(table('a', 'x', 'x'))), ['catalog.schemas[0].tables[0].columns[1].name']],
      [
        statically({ databases: [{ name: 'd', schemas: [{ name: 's', tables: [{ name: 't' }] }] }] }),
        ['catalog.databases[0].schemas[0].tables[0].columns'],
      ],
    ];
    for (const [request, fields] of requests) {
      const answer = await admin.post<ManagementErrorBody>(CONNECTIONS, request);
      expect([request, answer.status, fieldsOf(answer)]).toEqual([request, 400, fields]);
    }
  });

  it('read the catalog of a SQLite file, and list its changes', async () => {
    const name = `${unique('shop')}.db`;
    const own = join(folder, server.credentials.organizationId);
    await mkdir(own, { mode: 0o755 });
    const database = new sqlite.Database(join(own, name));
    database.exec('CREATE TABLE orders (id INTEGER, total NUMERIC)');
    // The platform may run as another user.
    await chmod(join(own, name), 0o644);
    const { id } = await createConnection(admin, {
      type: 'sqlite',
      config: { file: name },
      catalog: undefined,
    });
    const introspect = async () => succeeded(await admin.post<ConnectionAnswer>(at(id, '/introspect'), {}));
    const first = await introspect();
    expect(first.connection).toMatchObject({ catalogVersion: 1, dialect: 'sqlite' });
    expect(first.connection.catalog).toMatchObject({ schemas: [{ tables: [{ name: 'orders' }] }] });
    expect((await introspect()).connection.catalogVersion).toBe(1);
    database.exec('ALTER TABLE orders RENAME COLUMN total TO amount');
    database.close();
    const rename = {
      kind: 'columnRenamed',
      schema: 'main',
      table: 'orders',
      column: 'amount',
      from: 'total',
      to: 'amount',
    };
    expect(await introspect()).toMatchObject({ connection: { catalogVersion: 2 }, changes: [rename] });
    const { author } = people;
    const told = succeeded(await author.session.get(at(id, '/catalog/changes')));
    expect(told).toEqual({ connectionId: id, from: 1, to: 2, changes: [rename], nextCursor: null });
    const unknown = await author.session.get<ManagementErrorBody>(at(id, '/catalog/changes?from=0&to=3'));
    expect([unknown.status, fieldsOf(unknown)]).toEqual([400, ['to']]);
    expect((await author.session.get(at('c_none', '/catalog/changes'))).status).toBe(404);
    const read = succeeded(await author.session.get<ConnectionAnswer>(at(id)));
    expect(read.connection.catalogVersion).toBe(2);
  });

  it('reach no host or file that the operator does not allow', async () => {
    const hidden = await createConnection(admin, {
      type: 'mysql',
      config: { ...SERVER, host: '127.0.0.1' },
      catalog: undefined,
    });
    const outside = await createConnection(admin, {
      type: 'sqlite',
      config: { file: '../../etc/passwd' },
      catalog: undefined,
    });
    const answers = await Promise.all(
      [hidden, outside].map(({ id }) => admin.post<ManagementErrorBody>(at(id, '/introspect'), {})),
    );
    expect(answers.map((answer) => [answer.status, fieldsOf(answer)])).toEqual([
      [400, ['config.host']],
      [400, ['config.file']],
    ]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/127\.0\.0\.1|passwd/);
  });

  it('are not deleted while a policy definition, a domain or a data model refers to one', async () => {
    const { id, name } = await createConnection(admin);
    const datamodel = await createDatamodel(admin, id);
    const domain = await createDomain(admin);
    const datasets = [{ name: 'orders', table: 'orders', connectionId: id }];
    succeeded(await admin.put(`/api/v1/domains/${domain.id}/template`, { datasets }));
    const definitions = `/projects/${api.project.projectId}/unified-security/definitions`;
    const clsConfig = { params: { region: 'eu' } };
    const { data } = succeeded(
      await admin.post<{ data: { definition: { id: string } } }>(definitions, {
        connectionId: id,
        name: 'Regions',
        clsConfig,
      }),
    );
    const blocking = async () => {
      const { status, body } = await admin.delete<ManagementErrorBody>(at(id));
      return [status, body.blockedBy?.map((each) => each.id)];
    };
    expect(await blocking()).toEqual([409, [datamodel.id, domain.id, data.definition.id]]);
    succeeded(await admin.delete(`/api/v1/datamodels/${datamodel.id}`));
    succeeded(await admin.put(`/api/v1/domains/${domain.id}/template`, {}));
    expect(await blocking()).toEqual([409, [data.definition.id]]);
    succeeded(await admin.delete(`${definitions}/${data.definition.id}`));
    const { status, body } = await admin.delete(at(id));
    expect([status, body]).toMatchObject([200, { deletedConnection: { id, name } }]);
    expect((await admin.get(at(id))).status).toBe(404);
  });

  it('honour their entity tags', async () => {
    const { id } = await createConnection(admin);
    const { headers } = await admin.get(at(id));
    const condition = { 'if-match': headers.get('etag') ?? '' };
    succeeded(await admin.patch(at(id), { rowBarrier: true }, condition));
    expect((await admin.patch(at(id), { rowBarrier: false }, condition)).status).toBe(412);
    expect((await admin.send('DELETE', at(id), { headers: condition })).status).toBe(412);
  });

  it('accept a password, and never return it', async () => {
    const password = unique('marked-secret');
    const config = { ...SERVER, password, tls: 'verify' };
    const { id, config: made } = await createConnection(admin, {
      type: 'postgres',
      config,
      catalog: undefined,
    });
    expect(made).toEqual({ ...SERVER, tls: 'verify', hasPassword: true });
    const { password: _, ...base } = config;
    for (const change of [
      { host: 'evil.example.com' },
      { port: 6543 },
      { user: 'other' },
      { tls: 'disable' },
    ]) {
      const answer = await admin.put<ManagementErrorBody>(at(id), { config: { ...base, ...change } });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['config.password']]);
    }
    const kept = succeeded(
      await admin.put<ConnectionAnswer>(at(id), { config: { ...base, database: 'stock' } }),
    );
    expect(kept.connection.config).toMatchObject({ database: 'stock', hasPassword: true });
    const moved = { ...config, host: 'new.example.com' };
    const answers = [
      succeeded(await admin.put<ConnectionAnswer>(at(id), { config: moved })),
      await admin.get(at(id)),
      await admin.get(CONNECTIONS),
    ];
    expect(JSON.stringify(answers.map((answer) => ('body' in answer ? answer.body : answer)))).not.toContain(
      password,
    );
  });
});

describe('data models and assistant profiles over HTTP', () => {
  it.each(forms)('are written by authors ($form)', async ({ start }) => {
    await using server = await start();
    const api = await createApi(server.credentials);
    const { author, orgViewer } = await addPeople(api);
    const { id: connectionId } = await createConnection(api.admin);
    const nouns = [
      {
        noun: 'datamodel',
        path: '/api/v1/datamodels',
        fields: { connectionId },
        deleted: 'deletedDatamodel',
      },
      {
        noun: 'assistantProfile',
        path: '/api/v1/assistant-profiles',
        fields: { instructions: 'Be brief' },
        deleted: 'deletedAssistantProfile',
      },
    ];
    for (const { noun, path, fields, deleted } of nouns) {
      const name = unique('Record');
      const created = await author.session.post<Record<string, { id: string }>>(path, { name, ...fields });
      expect(created.status).toBe(201);
      const id = created.body[noun]?.id ?? '';
      expect((await author.session.post(path, { name, ...fields })).status).toBe(409);
      expect(succeeded(await author.session.get(`${path}/${id}`))).toEqual(created.body);
      expect(JSON.stringify(succeeded(await author.session.get(path)))).toContain(id);
      const changed = succeeded(await author.session.patch(`${path}/${id}`, { description: 'Changed' }));
      expect(changed).toMatchObject({ [noun]: { id, name, description: 'Changed', version: 2 } });
      for (const refused of [orgViewer.session.get(path), orgViewer.session.delete(`${path}/${id}`)])
        expect((await refused).status).toBe(403);
      expect(succeeded(await author.session.delete(`${path}/${id}`))).toMatchObject({
        [deleted]: { id, name },
      });
      expect((await author.session.get(`${path}/${id}`)).status).toBe(404);
    }
  });
});

describe('a password of a connection', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startTestMongo();
  });
  afterAll(() => mongo[Symbol.asyncDispose]());

  it('is in no document, event, log or output of the platform', async () => {
    const settings = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, LOG_LEVEL: 'trace' };
    const server = await spawnServer('standalone', { ...settings, CONNECTION_HOSTS: '127.0.0.1' });
    const { admin } = await createApi(server.credentials);
    const marks = ['marked-one', 'marked-two', 'marked-three'].map(unique);
    const [first = '', second = '', third = ''] = marks;
    // Port 1 is closed, so that reading the catalog fails and logs the error.
    const config = { ...SERVER, host: '127.0.0.1', port: 1 };
    const fields = { type: 'postgres', config: { ...config, password: first }, catalog: undefined };
    const key = { 'idempotency-key': unique('key') };
    const { id } = succeeded(
      await admin.post<ConnectionAnswer>(CONNECTIONS, { name: unique('Sales'), ...fields }, key),
    ).connection;
    succeeded(await admin.put(`${CONNECTIONS}/${id}`, { config: { ...config, password: second } }));
    const failed = await admin.post(`${CONNECTIONS}/${id}/introspect`, {});
    expect(failed.status).toBe(503);
    const wrong = { config: { ...config, password: third, port: 'x' } };
    const refused = await admin.put(`${CONNECTIONS}/${id}`, wrong);
    expect(refused.status).toBe(400);
    await server.stop();

    const names = [...Object.keys(services), 'events'];
    const stored = names.map(async (name) => {
      const database = mongo.databases.of(name);
      const collections = await database.listCollections({}, { nameOnly: true }).toArray();
      return Promise.all(collections.map((each) => database.collection(each.name).find().toArray()));
    });
    const written = [JSON.stringify(await Promise.all(stored)), server.errors(), server.output()];
    expect(written[0]).toContain(id);
    expect(written[1]).toContain('introspection failed');
    const everything = JSON.stringify([written, failed.body, refused.body]);
    for (const mark of marks) expect(everything).not.toContain(mark);
    await server[Symbol.asyncDispose]();
  });
});
