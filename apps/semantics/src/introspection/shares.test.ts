import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@gatehouse/contract';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpServer } from '../testing/databaseProxy.js';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionLimits } from './logic/outcome.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-shares-'));
  await mkdir(join(folder, 'o_other'));
  const database = new sqlite.Database(join(folder, 'o_other', 'shop.db'));
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

/** A server that accepts connections and never responds, with the number of open ones and its maximum. */
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

/** The error code or the outcome of an introspection. */
async function endOf(introspection: ReturnType<typeof introspectDatabase>): Promise<string> {
  try {
    const outcome = await introspection;
    return outcome.ok ? 'read' : outcome.reason;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('the concurrent reads of one organization', () => {
  it('leave room for other organizations when 520 of them wait for a hanging server', async () => {
    const server = await startHanging();
    const { port } = server;
    const config = { host: '127.0.0.1', port, database: 'shop', user: 'reader', tls: 'disable' } as const;
    const ended: string[] = [];
    const hanging = Array.from({ length: 520 }, async () => {
      const limits = limitsOf('o_hanging', 600_000);
      ended.push(await endOf(introspectDatabase({ type: 'postgres', config }, limits)));
    });
    await expect.poll(server.open, { timeout: 20_000 }).toBe(2);
    // Two run and eight wait. All others were rejected.
    expect(ended).toEqual(Array.from({ length: 510 }, () => 'RATE_LIMITED'));
    const other = { type: 'sqlite', config: { file: 'shop.db' } } as const;
    for (const count of [1, 4]) {
      const readings = Array.from({ length: count }, () =>
        introspectDatabase(other, limitsOf('o_other', 120_000)),
      );
      const outcomes = await Promise.all(readings);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(count);
    }
    expect(server.most()).toBe(2);
    await server[Symbol.asyncDispose]();
    await Promise.all(hanging);
    // Each that waited either ran or timed out in the queue.
    for (const end of ended.slice(510)) expect(['unreachable', 'RATE_LIMITED']).toContain(end);
  });

  it('are rejected with a retry delay', async () => {
    const server = await startHanging();
    const config = {
      host: '127.0.0.1',
      port: server.port,
      database: 'shop',
      user: 'reader',
      tls: 'disable',
    } as const;
    const hang = () => introspectDatabase({ type: 'postgres', config }, limitsOf('o_surplus', 600_000));
    const held = Array.from({ length: 10 }, () => endOf(hang()));
    await expect(hang()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    await server[Symbol.asyncDispose]();
    await Promise.all(held);
  });
});
