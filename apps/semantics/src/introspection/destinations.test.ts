import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { resolveName } from '@gatehouse/service';
import { findServer, introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionRequest } from './logic/outcome.js';
import { ServerSocket } from './serverSocket.js';

const limits = {
  organizationId: 'o_1',
  timeoutMs: 5000,
  allowedHosts: 'db.example.com',
  sqliteDir: undefined,
};

function requestTo(host: string): IntrospectionRequest {
  return {
    type: 'postgres',
    config: { host, database: 'shop', user: 'reader', password: 'secret', tls: 'disable' },
  };
}

function resolveTo(...addresses: string[]): () => Promise<string[]> {
  return () => Promise.resolve(addresses);
}

describe('introspectDatabase, for a server that is not allowed', () => {
  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
    ['::ffff:169.254.169.254'],
    ['10.0.0.1'],
    ['100.64.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['2002:7f00:1::'],
    ['not-an-address'],
  ])('rejects a name that resolves to %s, alone or beside a public address', async (address) => {
    for (const addresses of [[address], ['93.184.216.34', address], [address, '93.184.216.34']]) {
      const outcome = await introspectDatabase(requestTo('db.example.com'), limits, resolveTo(...addresses));
      expect(outcome).toMatchObject({ ok: false, reason: 'notAllowed' });
      expect(JSON.stringify(outcome)).not.toContain(address);
    }
  });

  it.each([
    ['other.example.com'],
    ['localhost'],
    ['93.184.216.34'],
    ['2130706433'],
    ['0x7f000001'],
    ['127.1'],
    ['db.example.com.'],
    ['/var/run/postgresql'],
    ['::1'],
    ['::ffff:127.0.0.1'],
  ])('rejects %s without a name lookup', async (host) => {
    const resolve = () => Promise.reject(new Error('The resolver was called'));
    const outcome = await introspectDatabase(requestTo(host), limits, resolve);
    expect(outcome).toMatchObject({ ok: false, reason: 'notAllowed', cause: undefined });
  });

  it('allows nothing while CONNECTION_HOSTS is empty, and names the setting', async () => {
    const outcome = await introspectDatabase(requestTo('db.example.com'), { ...limits, allowedHosts: ' ' });
    expect(outcome).toMatchObject({
      reason: 'notAllowed',
      message: expect.stringContaining('CONNECTION_HOSTS'),
    });
  });

  it('allows nothing while an entry of CONNECTION_HOSTS is invalid, shown only in the cause', async () => {
    const outcome = await introspectDatabase(requestTo('db.example.com'), {
      ...limits,
      allowedHosts: 'db.example.com 10.0.0.1/8',
    });
    expect(outcome).toMatchObject({ reason: 'notAllowed', message: expect.not.stringContaining('10.0.0.1') });
    expect(outcome).toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining('10.0.0.1/8') }),
    });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('ENOTFOUND db.example.com'))],
    ['returns nothing', resolveTo()],
  ])('reports a server as unreachable when its name lookup %s', async (_what, resolve) => {
    const outcome = await introspectDatabase(requestTo('db.example.com'), limits, resolve);
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'unreachable',
      message: 'The host name could not be resolved.',
    });
  });

  it('times out on a resolver that never responds', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    const outcome = await introspectDatabase(
      requestTo('db.example.com'),
      { ...limits, timeoutMs: 50 },
      resolve,
    );
    expect(outcome).toMatchObject({ ok: false, reason: 'timeout' });
  });
});

describe('findServer', () => {
  it('resolves a name once, in lower case, and keeps the addresses', async () => {
    const resolved: string[] = [];
    const resolve = (name: string) => {
      resolved.push(name);
      return Promise.resolve(resolved.length === 1 ? ['93.184.216.34', '2a00:1450::1'] : ['127.0.0.1']);
    };
    const destination = await findServer(
      { host: 'DB.example.com', port: 5432 },
      'db.example.com:5432',
      resolve,
    );
    expect(destination).toEqual({
      host: 'db.example.com',
      port: 5432,
      addresses: ['93.184.216.34', '2a00:1450::1'],
    });
    expect(resolved).toEqual(['db.example.com']);
  });

  it('resolves localhost to a loopback address', async () => {
    const addresses = await resolveName('localhost');
    expect(['127.0.0.1', '::1']).toContain(addresses[0]);
  });
});

describe('ServerSocket', () => {
  it('connects to the checked address, whatever host and port it receives', async () => {
    const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = new ServerSocket({ host: 'db.invalid', port, addresses: ['127.0.0.1'] });
    const connect: (port: number, host: string) => unknown = socket.connect.bind(socket);
    connect(1, 'elsewhere.invalid');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('here');
    socket.destroy();
    server.close();
  });

  it('tries the next address when one refuses the connection', async () => {
    const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = new ServerSocket({
      host: 'db.invalid',
      port,
      addresses: ['127.0.0.2', '127.0.0.1'],
    }).connect();
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('here');
    socket.destroy();
    server.close();
  });
});
