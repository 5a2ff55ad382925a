/**
 * Parse Server with dashboards, on the engine of the comparison. It is started with the URL of the engine and
 * the database, and with the folder of its modules in `NODE_PATH`. It prints a `ParseWorld` as JSON.
 */
import { createRequire } from 'node:module';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient, type Document } from 'mongodb';
import { DASHBOARD, parseHeaders } from './parse.js';

const COUNT = 20_000;
const BATCH = 2000;

const [url = '', databaseName = ''] = process.argv.slice(2);
// It is no dependency of the workspace.
// oxlint-disable-next-line gatehouse/import-boundaries
const load = createRequire(import.meta.url) as (name: string) => unknown;

/** The parts of Parse Server that are used here: it is not installed when this is compiled. */
interface ParseModule {
  ParseServer: new (options: object) => { app: RequestListener; start(): Promise<void> };
}
interface AdapterModule {
  default: new (options: object) => { client?: unknown; database?: unknown; connect(): Promise<void> };
}

interface FilesModule {
  default: new (uri: string) => object;
}

process.env['PARSE_SERVER_LOGS_FOLDER'] = 'null';
const { ParseServer } = load('parse-server') as ParseModule;
const adapterFile = 'parse-server/lib/Adapters/Storage/Mongo/MongoStorageAdapter.js';
const { default: MongoAdapter } = load(adapterFile) as AdapterModule;
const filesFile = 'parse-server/lib/Adapters/Files/GridFSBucketAdapter.js';
const { default: FilesAdapter } = load(filesFile) as FilesModule;

/** Connects to a unix socket: the adapter itself cannot parse such a URL. */
class SocketAdapter extends MongoAdapter {
  #connecting: Promise<void> | undefined;

  override connect(): Promise<void> {
    this.#connecting ??= MongoClient.connect(url, { maxPoolSize: 64 }).then((client) => {
      this.client = client;
      this.database = client.db(databaseName);
    });
    return this.#connecting;
  }
}

const server = new ParseServer({
  appId: 'bench',
  masterKey: 'bench',
  allowClientClassCreation: true,
  serverURL: 'http://127.0.0.1/',
  databaseAdapter: new SocketAdapter({ uri: 'mongodb://unused' }),
  filesAdapter: new FilesAdapter('mongodb://unused'),
  silent: true,
  logLevel: 'error',
  logsFolder: null,
});
await server.start();
const http = createServer(server.app).listen(0, '127.0.0.1');
await new Promise((resolve) => void http.once('listening', resolve));
const { port } = http.address() as AddressInfo;

async function call(path: string, body: object, sessionToken?: string): Promise<Record<string, string>> {
  const headers = parseHeaders(sessionToken);
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

/** Creates one dashboard through the API; all others are copies of what Parse Server stored. */
async function fill(): Promise<{ ids: string[]; ownerId: string; sessionToken: string }> {
  const user = await call('/users', { username: 'owner', password: 'secret' });
  const { objectId: ownerId = '', sessionToken = '' } = user;
  const acl = { [ownerId]: { read: true, write: true }, reader1: { read: true }, reader2: { read: true } };
  const { objectId } = await call('/classes/Dashboard', { ...DASHBOARD, ACL: acl }, sessionToken);
  const client = await new MongoClient(url, { retryWrites: false }).connect();
  const dashboards = client.db(databaseName).collection<Document & { _id: string }>('Dashboard');
  const pattern = await dashboards.findOne({ _id: objectId ?? '' });
  const ids = Array.from({ length: COUNT }, (_, index) => `d${String(index).padStart(9, '0')}`);
  for (let start = 0; start < COUNT; start += BATCH) {
    const some = ids.slice(start, start + BATCH);
    await dashboards.insertMany(some.map((_id) => ({ ...pattern, _id, title: `Revenue ${_id}` })));
  }
  await client.close();
  return { ids, ownerId, sessionToken };
}

process.stdout.write(`${JSON.stringify({ port, ...(await fill()) })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
