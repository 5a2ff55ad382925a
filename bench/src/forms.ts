import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { compare, targetOf, type ComparisonSettings, type Row, type Target } from './compare.js';
import { startParse } from './parse.js';
import { copyForLimit, seed, type Seeded } from './seed.js';
import { readCredentials, startGatehouse, startLimit } from './servers.js';

const DASHBOARDS = 20_000;

type Form = 'standalone' | 'mesh';

/**
 * Starts a deployment mode and fills it. Each has databases of its own, or one would deliver the other's
 * events.
 */
async function startForm(form: Form, client: MongoClient, place: { url: string; dataDir: string }) {
  const dataDir = join(place.dataDir, form);
  const prefix = `gatehouse_${form}`;
  const settings = { MONGODB_PREFIX: prefix };
  const server = await startGatehouse(form, { mongodbUrl: place.url, dataDir, settings });
  const database = client.db(`${prefix}_access`);
  return {
    server,
    database,
    seeded: await seed(await readCredentials(dataDir), database, { count: DASHBOARDS }),
  };
}

/** What is measured beside the limit. */
interface Compared {
  forms: readonly Form[];
  /** Whether Parse Server is, which is installed from npm first. */
  hasParse: boolean;
}

/** Measures the deployment modes, the limit and Parse Server alternately, on one engine. */
export async function compareForms(
  { forms, hasParse }: Compared,
  settings: ComparisonSettings,
): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const targets: Target[] = [];
  let first: Seeded | undefined;
  try {
    for (const form of forms) {
      const { server, database, seeded } = await startForm(form, client, { url: engine.url, dataDir });
      targets.push(targetOf(server, seeded));
      if (first === undefined) await copyForLimit(database, client.db('limit'));
      first ??= seeded;
    }
    if (first === undefined) return [];
    const { projectId, subjects } = first;
    const limit = await startLimit([engine.url, 'limit', projectId, JSON.stringify(subjects)]);
    // It has copies of the dashboards of the first.
    targets.unshift(targetOf(limit, first));
    if (hasParse) targets.push(await startParse(engine.url));
    return await compare(targets, settings, engine.pid);
  } finally {
    for (const { server } of targets.toReversed()) await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
