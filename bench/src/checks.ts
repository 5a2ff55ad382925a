import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { load, type Measured, type Work } from './load.js';
import { cpuSecondsOf } from './processUse.js';
import { seed, type Seeded } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

/** The result of one kind of question, of batches with many and of single explanations. */
export interface CheckCost {
  about: string;
  batch: Measured;
  decisionsPerSecond: number;
  /** By the program's own CPU time, and by that of the program and its engine together. */
  perCoreSecond: number;
  perCoreSecondWithEngine: number;
  /** One request to `explain` for each decision, on the same connections. */
  single: Measured;
}

const SEED = { count: 5000 };
const BATCH = 100;
const CONNECTIONS = 1;
const WARM_UPS = 3;
const API = '/api/management/v1';

interface Question {
  resourceId: string;
  userId: string;
}

const pick = <T>(list: readonly T[], index: number): T => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
};

/** The questions of two kinds: for a page of links of one user, and of any user about any dashboard. */
function questionsOf({ allIds, tenantUserIds }: Seeded): Record<string, (index: number) => Question> {
  // Steps that share no factor with the lengths of the lists, so that every pair comes up.
  return {
    'one user, 100 dashboards': (index) => ({
      resourceId: pick(allIds, index * 7),
      userId: pick(tenantUserIds, Math.floor(index / BATCH)),
    }),
    'any users, any dashboards': (index) => ({
      resourceId: pick(allIds, index * 7),
      userId: pick(tenantUserIds, index * 3),
    }),
  };
}

/**
 * Measures decisions in batches of 100 over HTTP, in one process with 5,000 dashboards, beside single
 * explanations of the same questions.
 */
export async function measureChecks(seconds: number): Promise<CheckCost[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-checks-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const seeded = await seed(await readCredentials(dataDir), client.db('gatehouse_access'), SEED);
    const aim = { baseUrl: server.baseUrl, headers: { authorization: `Bearer ${seeded.ownerToken}` } };
    const costs: CheckCost[] = [];
    for (const [about, questionAt] of Object.entries(questionsOf(seeded))) {
      let index = 0;
      const next = () => questionAt((index += 1));
      const checks = () =>
        Array.from({ length: BATCH }, () => ({ resourceType: 'dashboard', level: 'EDITOR', ...next() }));
      const batches: Work = {
        method: 'POST',
        next: () => ({ path: `${API}/access:check`, body: { checks: checks() } }),
      };
      const explanations: Work = {
        method: 'GET',
        next() {
          const { resourceId, userId } = next();
          return { path: `${API}/dashboards/${resourceId}/access?userId=${userId}` };
        },
      };
      const size = { connections: CONNECTIONS, seconds };
      for (let round = 0; round < WARM_UPS; round += 1) await load(aim, batches, size);
      const readCpu = () => Promise.all([server.pid, engine.pid].map(cpuSecondsOf));
      const [programBefore = 0, engineBefore = 0] = await readCpu();
      const batch = await load(aim, batches, size);
      const [program = 0, ofEngine = 0] = await readCpu();
      const decisions = batch.requestsPerSecond * BATCH * seconds;
      await load(aim, explanations, size);
      costs.push({
        about,
        batch,
        decisionsPerSecond: batch.requestsPerSecond * BATCH,
        perCoreSecond: decisions / (program - programBefore),
        perCoreSecondWithEngine: decisions / (program - programBefore + ofEngine - engineBefore),
        single: await load(aim, explanations, size),
      });
    }
    return costs;
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The results as a section of Markdown. */
export function reportChecks(costs: readonly CheckCost[]): string {
  const lines = costs.map(({ about, batch, single, ...rates }) => {
    const { decisionsPerSecond, perCoreSecond, perCoreSecondWithEngine } = rates;
    const numbers = [decisionsPerSecond, perCoreSecond, perCoreSecondWithEngine].map(Math.round);
    const ratio = decisionsPerSecond / single.requestsPerSecond;
    const times = [batch.p50Ms, batch.p95Ms].map((ms) => ms.toFixed(1));
    return `| ${about} | ${[...numbers, ...times].join(' | ')} | ${ratio.toFixed(1)} |`;
  });
  return `
## Batched decisions

\`access:check\` with ${BATCH} questions in each request, one request at a time, in one process with
${SEED.count.toLocaleString('en')} dashboards. Times in milliseconds.
The last column is the number of decisions for each decision of single explanations.

| questions | decisions/s | per CPU second of the program | with its engine | p50 | p95 | × explain |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
