import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTcpServer } from '../testing/databaseProxy.js';
import {
  respondInTurn,
  flood,
  mysqlGreeting,
  mysqlOk,
  mysqlPacket,
  postgresAuthentication,
  postgresMessage,
} from '../testing/hostileServers.js';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionOutcome, IntrospectionRequest } from './logic/outcome.js';

const TYPES = ['postgres', 'mysql'] as const;
const PASSWORD = 'reader-secret';

interface ReadOptions {
  type: (typeof TYPES)[number];
  timeoutMs?: number;
  password?: string | undefined;
}

/** The outcome of a read from a server with this behavior. */
async function readFrom(
  serve: (socket: Socket) => void,
  { type, timeoutMs = 20_000, ...given }: ReadOptions,
): Promise<IntrospectionOutcome> {
  await using server = await startTcpServer(serve);
  const config = {
    host: '127.0.0.1',
    port: server.port,
    database: 'shop',
    user: 'reader',
    tls: 'disable',
  } as const;
  const request: IntrospectionRequest = { type, config: { password: PASSWORD, ...config, ...given } };
  return await introspectDatabase(request, {
    organizationId: 'o_1',
    timeoutMs,
    allowedHosts: '127.0.0.1',
    sqliteDir: undefined,
  });
}

afterEach(() => vi.unstubAllEnvs());

describe.each(TYPES)('introspectDatabase (%s)', (type) => {
  it('reports a closed port as unreachable', async () => {
    const server = await startTcpServer(() => {});
    await server[Symbol.asyncDispose]();
    const config = {
      host: '127.0.0.1',
      port: server.port,
      database: 'shop',
      user: 'reader',
      tls: 'disable',
    } as const;
    const limits = {
      organizationId: 'o_1',
      timeoutMs: 20_000,
      allowedHosts: '127.0.0.1',
      sqliteDir: undefined,
    };
    const outcome = await introspectDatabase({ type, config }, limits);
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'unreachable',
      message: expect.not.stringContaining('127'),
    });
    expect(outcome).toMatchObject({ cause: expect.stringContaining('ECONNREFUSED') });
  });

  it('times out on a server that accepts the connection and never responds', async () => {
    expect(await readFrom(() => {}, { type, timeoutMs: 400 })).toMatchObject({
      ok: false,
      reason: 'timeout',
    });
  });

  it('reports a server that closes the connection', async () => {
    const outcome = await readFrom((socket) => socket.destroy(), { type });
    expect(outcome).toMatchObject({ ok: false, reason: 'unreachable' });
  });

  it('reports a server with another protocol', async () => {
    const outcome = await readFrom((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), { type });
    expect(outcome).toMatchObject({ ok: false });
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/unreachable|unreadable|refused/) });
  });

  it('survives any bytes from the server', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array));
    const greeting = type === 'mysql' ? mysqlGreeting('mysql_native_password') : postgresAuthentication(0);
    const lead = fc.constantFrom(Buffer.alloc(0), greeting);
    await fc.assert(
      fc.asyncProperty(lead, bytes, async (first, rest) => {
        const outcome = await readFrom((socket) => socket.end(Buffer.concat([first, rest])), { type });
        expect(outcome.ok).toBe(false);
        expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
      }),
      { numRuns: 10 },
    );
  });
});

describe('introspectDatabase, against a hostile PostgreSQL server', () => {
  it('aborts when notices never end', async () => {
    const notice = postgresMessage('N', Buffer.from(`SNOTICE\0M${'x'.repeat(60_000)}\0\0`));
    const outcome = await readFrom(
      (socket) =>
        respondInTurn(socket, [() => (socket.write(postgresAuthentication(0)), flood(socket, notice))]),
      { type: 'postgres' },
    );
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'unreachable',
      cause: expect.stringContaining('too much'),
    });
  });

  it('aborts when one message never ends', async () => {
    const head = Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff]);
    const outcome = await readFrom(
      (socket) => respondInTurn(socket, [() => (socket.write(head), flood(socket, Buffer.alloc(65_536)))]),
      { type: 'postgres' },
    );
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'unreachable',
      cause: expect.stringContaining('too much'),
    });
  });

  it('survives a row that is shorter than its header', async () => {
    const ready = postgresMessage('Z', Buffer.from('I'));
    const row = postgresMessage('D', Buffer.from([0, 200, 0, 0, 0, 9]));
    const outcome = await readFrom(
      (socket) =>
        respondInTurn(socket, [
          () => socket.write(Buffer.concat([postgresAuthentication(0), ready])),
          () => socket.end(row),
        ]),
      { type: 'postgres' },
    );
    expect(outcome).toMatchObject({ ok: false });
  });

  it("does not show the server's message", async () => {
    const words = 'SFATAL\0C28P01\0Msecret-of-the-server\0\0';
    const outcome = await readFrom(
      (socket) => respondInTurn(socket, [() => socket.end(postgresMessage('E', Buffer.from(words)))]),
      { type: 'postgres' },
    );
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'refused',
      message: 'The database refused the user or the password.',
      cause: expect.stringContaining('secret-of-the-server'),
    });
  });

  it('sends no password of this process for a connection without one', async () => {
    vi.stubEnv('PGPASSWORD', 'operator-secret');
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-home-'));
    await writeFile(join(home, '.pgpass'), '*:*:*:*:operator-secret', { mode: 0o600 });
    vi.stubEnv('HOME', home);
    vi.stubEnv('PGPASSFILE', join(home, '.pgpass'));
    vi.stubEnv('PGOPTIONS', '-c search_path=operator-secret');
    const received: Buffer[] = [];
    await readFrom(
      (socket) => {
        socket.on('data', (chunk) => received.push(chunk));
        respondInTurn(socket, [() => socket.write(postgresAuthentication(3)), () => socket.end()]);
      },
      { type: 'postgres', password: undefined },
    );
    await rm(home, { recursive: true });
    const sent = Buffer.concat(received).toString('latin1');
    // A message with an empty password.
    expect(sent.endsWith('p\0\0\0\u0005\0')).toBe(true);
    expect(sent).not.toContain('operator-secret');
  });
});

describe('introspectDatabase, against a hostile MySQL server', () => {
  it('sends no file that the server requests', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-file-'));
    const file = join(folder, 'secret');
    await writeFile(file, 'content-of-a-file');
    const received: Buffer[] = [];
    const request = mysqlPacket(1, Buffer.concat([Buffer.from([0xfb]), Buffer.from(file)]));
    const outcome = await readFrom(
      (socket) => {
        socket.write(mysqlGreeting('mysql_native_password'));
        socket.on('data', (chunk) => received.push(chunk));
        respondInTurn(socket, [
          () => socket.write(mysqlOk(2)),
          () => socket.write(request),
          () => socket.end(mysqlOk(3)),
        ]);
      },
      { type: 'mysql' },
    );
    await rm(folder, { recursive: true });
    expect(outcome).toMatchObject({ ok: false });
    const [login = Buffer.alloc(0), , reply] = received;
    expect(login.readUInt32LE(4) & 0x80).toBe(0);
    expect(reply).toEqual(mysqlPacket(2, Buffer.alloc(0)));
    expect(Buffer.concat(received).toString('latin1')).not.toContain('content-of-a-file');
  });

  it.each(['as the first plugin', 'as a change of plugin'])(
    'sends no password in plain text when the server requests it %s',
    async (way) => {
      const isFirst = way === 'as the first plugin';
      const change = mysqlPacket(2, Buffer.from('\u00femysql_clear_password\0', 'latin1'));
      const received: Buffer[] = [];
      const outcome = await readFrom(
        (socket) => {
          socket.write(mysqlGreeting(isFirst ? 'mysql_clear_password' : 'mysql_native_password'));
          socket.on('data', (chunk) => received.push(chunk));
          respondInTurn(socket, [() => socket.write(change), () => socket.end()]);
        },
        { type: 'mysql' },
      );
      const message = 'The server requests the password in plain text.';
      expect(outcome).toMatchObject({ ok: false, reason: 'refused', message });
      expect(Buffer.concat(received).toString('latin1')).not.toContain(PASSWORD);
    },
  );

  it('aborts when a response never ends', async () => {
    const chunk = mysqlPacket(0, Buffer.alloc(60_000, 1));
    const outcome = await readFrom(
      (socket) => {
        socket.write(mysqlGreeting('mysql_native_password'));
        respondInTurn(socket, [() => socket.write(mysqlOk(2)), () => flood(socket, chunk)]);
      },
      { type: 'mysql' },
    );
    expect(outcome.ok).toBe(false);
  });

  it('survives a truncated greeting', async () => {
    const outcome = await readFrom(
      (socket) => socket.write(mysqlPacket(0, Buffer.from('\u000a8.0', 'latin1'))),
      {
        type: 'mysql',
        timeoutMs: 2000,
      },
    );
    expect(outcome.ok).toBe(false);
  });
});
