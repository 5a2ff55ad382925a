import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DashboardSummary } from '@gatehouse/contract';
import { removeDataDir } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Session } from './src/api.js';
import { NoAnswerError } from './src/exchange.js';
import { spawnServer } from './src/servers.js';

const COUNT = 100;
const TAG = 'batched';
/** The kill happens once so many dashboards exist. */
const KILLED_AT = 5;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-batch-'));
});
afterAll(() => removeDataDir(dataDir));

async function readTitles(session: Session): Promise<string[]> {
  const { body } = await session.get<{ dashboards: DashboardSummary[] }>(
    `/dashboards?limit=500&tag=${TAG}&sort=title`,
  );
  return body.dashboards.map(({ title }) => title);
}

describe('an atomic batch whose process is killed half-way', () => {
  it('is completed by the same request, without a second copy of what it had created', async () => {
    // The time limit is not what is tested: a busy machine takes long for so many operations.
    const settings = { DATA_DIR: dataDir, MONGODB_PREFIX: 'batch', REQUEST_TIMEOUT_MS: '60000' };
    const titles = Array.from({ length: COUNT }, (_, index) => `Batch ${String(index).padStart(3, '0')}`);
    const operations = titles.map((title) => ({ op: 'create', title, tags: [TAG] }));
    const body = { mode: 'atomic', operations };
    const key = { 'idempotency-key': 'one-batch' };
    {
      await using killed = await spawnServer('standalone', settings);
      const { admin } = await createApi(killed.credentials);
      let answer: unknown;
      // A busy process may reject the batch before it has created anything: it is sent again.
      const send = async (): Promise<void> => {
        answer = await admin.post('/dashboards:batch', body, key).catch((error: unknown) => error);
        if ((answer as { status?: number }).status === 503) await send();
      };
      const sent = send();
      await expect
        .poll(async () => (await readTitles(admin)).length, { interval: 10 })
        .toBeGreaterThan(KILLED_AT);
      await killed.end('SIGKILL');
      await sent;
      expect(answer).toBeInstanceOf(NoAnswerError);
    }
    await using server = await spawnServer('standalone', settings);
    const { admin } = await createApi(server.credentials);
    expect((await readTitles(admin)).length).toBeLessThan(COUNT);
    const repeat = async () => (await admin.post('/dashboards:batch', body, key)).status;
    // The key belongs to the killed process until its claim ends.
    await expect.poll(repeat, { interval: 500 }).toBe(200);
    expect(await readTitles(admin)).toEqual(titles);
  });
});
