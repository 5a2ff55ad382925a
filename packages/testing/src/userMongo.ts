import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, newSecret } from '@gatehouse/service';
import { MongoClient, type Document } from 'mongodb';
import type { TestMongo } from './mongo.js';
import { removeDataDir } from './removeDataDir.js';

/** A user of a MongoDB. */
export interface MongoUser {
  name: string;
  password: string;
  /** The database that knows the user, who may read and write only this one. */
  database: string;
}

/** A MongoDB with users, in front of the databases of a test. */
export interface UserMongo extends AsyncDisposable {
  urlOf(user: MongoUser): string;
  create(user: MongoUser): Promise<void>;
  drop(user: MongoUser): Promise<void>;
  /**
   * Authenticates a user, and reads from a database.
   * @throws MongoServerError with its code: 18 authentication failed, 13 unauthorized
   */
  read(user: MongoUser, database: string): Promise<void>;
  /** The names of the users with open connections. */
  readConnected(): Promise<Set<string>>;
}

interface Place {
  /** The URL of an administrator. */
  adminUrl: string;
  stop(): Promise<void>;
}

const PROGRAM = createRequire(import.meta.url).resolve('@gatehouse/mongod-stand-in');
const SET = 'rs0';

/** The substitute for mongod that serves an embedded engine to users: its program documents its limits. */
async function startStandIn(engineUrl: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-users-'));
  const port = await findFreePort();
  const engineSocket = decodeURIComponent(new URL(engineUrl).hostname);
  const password = newSecret();
  const firstUser = join(folder, 'firstUser');
  await writeFile(firstUser, `root ${password}`, { mode: 0o600 });
  const options = { replSet: SET, dbpath: folder, port: String(port), engineSocket, firstUser };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').finally(() => process.off('exit', kill));
  const stop = async () => {
    kill();
    await exited;
    await removeDataDir(folder);
  };
  const ended = exited.then(() => Promise.reject(new Error('The stand-in for mongod did not start')));
  try {
    await Promise.race([once(child.stdout, 'data'), ended]);
    const member = `127.0.0.1:${port}`;
    const members = [{ _id: 0, host: member }];
    await using client = new MongoClient(`mongodb://root:${password}@${member}/?directConnection=true`);
    await client.db('admin').command({ replSetInitiate: { _id: SET, members } });
    return { adminUrl: `mongodb://root:${password}@${member}/?replicaSet=${SET}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Adds users to the MongoDB of a test: directly to that of `MONGODB_URL`, if it is set; to the embedded
 * engine through a substitute for the server.
 */
export async function startUserMongo({ url }: Pick<TestMongo, 'url'>): Promise<UserMongo> {
  const isEmbedded = new URL(url).hostname.endsWith('.sock');
  const place = isEmbedded ? await startStandIn(url) : { adminUrl: url, stop: async () => {} };
  const admin = new MongoClient(place.adminUrl);
  const made = new Map<string, MongoUser>();
  const drop = async ({ name, database }: MongoUser) => {
    await admin.db(database).command({ dropUser: name });
    made.delete(name);
  };
  const urlOf = ({ name, password, database }: MongoUser) => {
    const own = new URL(place.adminUrl);
    [own.username, own.password] = [name, password];
    own.searchParams.set('authSource', database);
    return own.href;
  };
  return {
    urlOf,
    async create(user) {
      const { name, password: pwd, database } = user;
      await admin.db(database).command({ createUser: name, pwd, roles: ['readWrite'] });
      made.set(name, user);
    },
    drop,
    async read(user, database) {
      await using client = new MongoClient(urlOf(user));
      await client.db(database).collection('any').findOne();
    },
    async readConnected() {
      const { inprog } = await admin.db('admin').command({ currentOp: 1, $all: true });
      const users = (inprog as Document[]).flatMap(({ effectiveUsers = [] }) => effectiveUsers as Document[]);
      return new Set(users.map(({ user }) => String(user)).filter((name) => made.has(name)));
    },
    async [Symbol.asyncDispose]() {
      for (const user of made.values()) await drop(user);
      await admin.close();
      await place.stop();
    },
  };
}
