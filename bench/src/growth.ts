import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { load, type Work } from './load.js';
import { seed } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

export interface Growth {
  dashboards: number;
  listP50Ms: number;
  searchP50Ms: number;
}

const SECONDS = 10;
const list: Work = { method: 'GET', next: () => ({ path: '/api/management/v1/dashboards' }) };
const search: Work = { method: 'GET', next: () => ({ path: '/api/management/v1/dashboards?search=cedar' }) };

/** The list's and a search's p50, one request at a time, at growing numbers of dashboards. */
export async function measureGrowth(sizes: number[]): Promise<Growth[]> {
  const measured: Growth[] = [];
  for (const dashboards of sizes) {
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-growth-'));
    const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
    const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
    const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
    try {
      const seeded = await seed(await readCredentials(dataDir), client.db('gatehouse_access'), dashboards);
      const aim = { baseUrl: server.baseUrl, headers: { authorization: `Bearer ${seeded.viewerToken}` } };
      await load(aim, list, { connections: 1, seconds: 3 });
      const listed = await load(aim, list, { connections: 1, seconds: SECONDS });
      const searched = await load(aim, search, { connections: 1, seconds: SECONDS });
      measured.push({ dashboards, listP50Ms: listed.p50Ms, searchP50Ms: searched.p50Ms });
    } finally {
      await server.stop();
      await client.close();
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return measured;
}
