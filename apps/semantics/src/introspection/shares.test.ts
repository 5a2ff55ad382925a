import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpServer } from '../testing/databaseProxy.js';
import { introspect, type IntrospectionLimits } from './index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-shares-'));
  const database = new sqlite.Database(join(folder, 'shop.db'));
  database.exec('CREATE TABLE orders (id INTEGER)');
  database.close();
});
afterAll(() => rm(folder, { recursive: true }));

const limitsOf = (organizationId: string, timeoutMs: number): IntrospectionLimits => ({
  organizationId,
  timeoutMs,
  allowedHosts: '127.0.0.1',
  sqliteDir: folder,
});

/** A server that takes connections and never says anything, with the number of those who wait for it. */
async function startHanging() {
  let open = 0;
  let most = 0;
  const server = await startTcpServer((socket) => {
    open += 1;
    most = Math.max(most, open);
    socket.on('close', () => (open -= 1));
  });
  return { ...server, open: () => open, most: () => most };
}

describe('the readings of one organization', () => {
  it('leave room for those of others, however many hang', async () => {
    const server = await startHanging();
    const { port } = server;
    const config = { host: '127.0.0.1', port, database: 'shop', user: 'reader', tls: 'disable' } as const;
    const hang = (timeoutMs: number) =>
      introspect({ type: 'postgres', config }, limitsOf('o_hanging', timeoutMs));
    const hanging = Array.from({ length: 12 }, () => hang(600_000));
    await expect.poll(server.open, { timeout: 20_000 }).toBe(2);
    const other = { type: 'sqlite', config: { file: 'shop.db' } } as const;
    // All of the hanging ones still hang while others are read, one after the other and many at once.
    for (const count of [1, 10]) {
      const readings = Array.from({ length: count }, () => introspect(other, limitsOf('o_other', 120_000)));
      const outcomes = await Promise.all(readings);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(count);
    }
    expect(await hang(100)).toMatchObject({
      ok: false,
      reason: 'busy',
      message: 'Other databases are being read: try again later.',
    });
    expect(server.most()).toBe(2);
    await server[Symbol.asyncDispose]();
    const outcomes = await Promise.all(hanging);
    expect(new Set(outcomes.map((outcome) => !outcome.ok && outcome.reason))).toEqual(
      new Set(['unreachable']),
    );
  });
});
