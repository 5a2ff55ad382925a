/**
 * The limit that Gatehouse is compared with: a minimal server that runs the same indexed queries on the same
 * engine and performs no access checks. It is started with the URL of the engine, the database, and the
 * subjects of the bench user.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';

interface Stored {
  _id: string;
  projectId: string;
  readers: string[];
  title: string;
  searchText: string;
  version: number;
  updatedAt: Date;
  ownerId: string;
  shares: object[];
}

const [url = '', databaseName = '', projectId = '', subjectsJson = '[]'] = process.argv.slice(2);
const subjects = JSON.parse(subjectsJson) as string[];
// The write concern is in the engine's URL, for Gatehouse as well.
const client = new MongoClient(url, { retryWrites: false, maxPoolSize: 64 });
await client.connect();
const dashboards = client.db(databaseName).collection<Stored>('dashboards');

const listProjection = {
  secretHash: 0,
  body: 0,
  packedShares: 0,
  searchText: 0,
  titleFolded: 0,
  outbox: 0,
  readers: 0,
  shares: 0,
} as const;

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
}

async function list(query: string | undefined): Promise<unknown> {
  const search = new URLSearchParams(query).get('search');
  const matches = search === null ? {} : { searchText: { $regex: search.replace(/[^\w]/g, '\\$&') } };
  return dashboards
    .find({ projectId, readers: { $in: subjects }, ...matches }, { projection: listProjection })
    .sort({ updatedAt: -1, _id: -1 })
    .limit(100)
    .toArray();
}

const updateTitle = (id: string, title: unknown) =>
  dashboards.findOneAndUpdate(
    { _id: id },
    { $set: { title: String(title), updatedAt: new Date() }, $inc: { version: 1 } },
    { returnDocument: 'after', projection: { shares: 0, readers: 0 } },
  );

interface ShareEntry {
  role: string;
  tenantUserId: string;
}

const pushShare = (id: string, { role, tenantUserId }: ShareEntry) => {
  const subject = `u:${tenantUserId}`;
  const share = { id: `sh_${Math.random().toString(36).slice(2)}`, createdAt: new Date(), role, subject };
  return dashboards.findOneAndUpdate(
    { _id: id },
    { $push: { shares: share }, $addToSet: { readers: subject } },
    { projection: { _id: 1 } },
  );
};

async function answer(request: IncomingMessage): Promise<unknown> {
  const [path = '', query] = (request.url ?? '').split('?');
  const [, , id = '', verb] = path.split('/');
  if (!id) return { dashboards: await list(query) };
  if (verb === 'access') return dashboards.findOne({ _id: id }, { projection: { shares: 1, ownerId: 1 } });
  if (verb === 'share') {
    const { shares } = (await readJson(request)) as { shares: [ShareEntry] };
    return pushShare(id, shares[0]);
  }
  if (request.method === 'PATCH') return updateTitle(id, (await readJson(request))['title']);
  return dashboards.findOne({ _id: id }, { projection: { shares: 0, readers: 0 } });
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  answer(request).then(
    (body) => {
      const text = JSON.stringify(body);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(500).end();
    },
  );
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
