import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, findFreePorts, readConfig } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataDirectory } from '../dataDirectory.js';
import { createStopSequence } from '../stopSequence.js';
import { completeDemo, openDemo, type Demo } from './demo.js';

const log = createLog('demo', readConfig({ LOG_LEVEL: 'fatal' }));
const BUILT_SERVERS = new URL('../../dist/demo/demoServers.js', import.meta.url).href;

let dataDir: string;
const stops = createStopSequence();
let demo: Demo;

const openIn = async (path: string, DEMO = '1') =>
  openDemo(await openDataDirectory(path), { config: readConfig({ DEMO }), log, stops });

function clientOf(changes: pg.ClientConfig = {}): pg.Client {
  const { port, user, password } = demo.settings.database;
  return new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres', ...changes });
}

async function withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = clientOf();
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-servers-'));
  const opened = await openIn(join(dataDir, 'first'));
  if (opened === null) throw new Error('There is no demo');
  demo = opened;
  await demo.servers.ready();
});
afterAll(async () => {
  await stops.run();
  await removeDataDir(dataDir);
});

describe('the demo database', () => {
  it('serves statements with parameters, and rejects changes', async () => {
    await withClient(async (client) => {
      const read = () => client.query('SELECT count(*)::int FROM orders WHERE region = $1', ['North']);
      expect((await read()).rows).toEqual([{ count: expect.any(Number) }]);
      for (const change of ['DELETE FROM orders', 'CREATE TABLE sales.x (a int)', 'DROP TABLE orders'])
        await expect(client.query(change)).rejects.toMatchObject({ code: '25006' });
      await client.query('SET default_transaction_read_only = off');
      await expect(client.query('DELETE FROM orders')).rejects.toMatchObject({ code: '42501' });
      await expect(client.query('SELECT nothing', [])).rejects.toMatchObject({ code: '42703' });
      expect((await read()).rows).toHaveLength(1);
    });
  });

  it('rejects another password and another user', async () => {
    for (const wrong of [{ password: 'wrong' }, { user: 'postgres' }])
      await expect(clientOf(wrong).connect()).rejects.toMatchObject({ code: '28P01' });
  });

  it('closes a connection that sends something else', async () => {
    const socket = connect(demo.settings.database.port, '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\n\r\n');
    await once(socket.resume(), 'close');
    expect(await withClient((client) => client.query('SELECT 1'))).toMatchObject({ rowCount: 1 });
  });

  it('separates clients: each has its own settings, statements and transaction', async () => {
    await withClient(async (first) => {
      await first.query('BEGIN');
      await first.query("SET LOCAL TimeZone = 'Asia/Tokyo'");
      const waiting = withClient(async (second) => (await second.query('SHOW TimeZone')).rows);
      expect((await first.query('SHOW TimeZone')).rows).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
      await first.query('COMMIT');
      expect(await waiting).not.toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    });
  });

  it('continues after a client that disconnects within a transaction', async () => {
    const leaving = clientOf();
    leaving.on('error', () => {});
    await leaving.connect();
    await leaving.query('BEGIN');
    await leaving.query('SELECT nothing').catch(() => {});
    (leaving as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    const { rows } = await withClient((client) => client.query('SELECT 1 AS one'));
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('renames its column once', async () => {
    await demo.servers.renameColumn();
    await demo.servers.renameColumn();
    const { fields } = await withClient((client) => client.query('SELECT * FROM orders LIMIT 0'));
    expect(fields.map(({ name }) => name)).toContain('dispatched_on');
  });
});

describe('the servers of the demo', () => {
  it('do not exist without DEMO, and leave nothing in the data directory', async () => {
    const path = join(dataDir, 'without');
    expect(await openIn(path, '0')).toBeNull();
    expect(await readdir(path)).toEqual([]);
  });

  it('end with a launcher that is killed', async () => {
    const path = join(dataDir, 'first');
    const source = `
      import { startDemoServers } from ${JSON.stringify(BUILT_SERVERS)};
      await startDemoServers(${JSON.stringify(path)}, { error() {} }).ready().catch(() => {});`;
    // The ports are free again when this one has ended.
    await demo.servers.stop(60_000);
    const launcher = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'inherit' });
    await expect
      .poll(() => withClient((client) => client.query('SELECT 1')).then(Boolean, () => false))
      .toBe(true);
    launcher.kill('SIGKILL');
    const { database, webhook } = demo.settings;
    const areFree = () =>
      findFreePorts([database, webhook].map(({ port }) => ({ host: '127.0.0.1', port }))).then(
        Boolean,
        () => false,
      );
    await expect.poll(areFree).toBe(true);
  });

  it('move to other ports if another program has taken theirs', async () => {
    const directory = await openDataDirectory(join(dataDir, 'first'));
    await directory.createOnce('credentials.json', '');
    await completeDemo(directory);
    const { database } = demo.settings;
    const other = createServer().listen(database.port, '127.0.0.1');
    await once(other, 'listening');
    const moved = await openIn(directory.path);
    expect(moved?.pending).toBe('move');
    expect(moved?.settings.database.port).not.toBe(database.port);
    expect(moved?.settings.database.password).toBe(database.password);
    await moved?.servers.ready();
    other.close();
  });
});
