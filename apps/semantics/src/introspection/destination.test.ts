import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { resolveName } from '@gatehouse/service';
import { findDestination } from './destination.js';
import { introspect, type IntrospectionRequest } from './index.js';
import { ServerSocket } from './server.js';

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

describe('introspect, asked for a server that it may not reach', () => {
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
  ])('refuses a name that resolves to %s, alone or beside a public address', async (address) => {
    for (const addresses of [[address], ['93.184.216.34', address], [address, '93.184.216.34']]) {
      const outcome = await introspect(requestTo('db.example.com'), limits, resolveTo(...addresses));
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
  ])('refuses %s without asking a resolver', async (host) => {
    const resolve = () => Promise.reject(new Error('A resolver was asked'));
    const outcome = await introspect(requestTo(host), limits, resolve);
    expect(outcome).toMatchObject({ ok: false, reason: 'notAllowed', cause: undefined });
  });

  it('allows nothing while CONNECTION_HOSTS is empty, and says so', async () => {
    const outcome = await introspect(requestTo('db.example.com'), { ...limits, allowedHosts: ' ' });
    expect(outcome).toMatchObject({
      reason: 'notAllowed',
      message: expect.stringContaining('CONNECTION_HOSTS'),
    });
  });

  it('allows nothing while one entry of CONNECTION_HOSTS is wrong, and tells it to the log alone', async () => {
    const outcome = await introspect(requestTo('db.example.com'), {
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
    ['gives nothing', resolveTo()],
  ])('calls a server unreachable when its name %s', async (_what, resolve) => {
    const outcome = await introspect(requestTo('db.example.com'), limits, resolve);
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'unreachable',
      message: 'The host name could not be resolved.',
    });
  });

  it('gives up on a resolver that never answers', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    const outcome = await introspect(requestTo('db.example.com'), { ...limits, timeoutMs: 50 }, resolve);
    expect(outcome).toMatchObject({ ok: false, reason: 'timeout' });
  });
});

describe('findDestination', () => {
  it('resolves a name once, in lower case, and keeps what it was given', async () => {
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return Promise.resolve(asked.length === 1 ? ['93.184.216.34', '2a00:1450::1'] : ['127.0.0.1']);
    };
    const destination = await findDestination(
      { host: 'DB.example.com', port: 5432 },
      'db.example.com:5432',
      resolve,
    );
    expect(destination).toEqual({
      host: 'db.example.com',
      port: 5432,
      addresses: ['93.184.216.34', '2a00:1450::1'],
    });
    expect(asked).toEqual(['db.example.com']);
  });

  it('finds the addresses of this machine by the name of every machine', async () => {
    const addresses = await resolveName('localhost');
    expect(['127.0.0.1', '::1']).toContain(addresses[0]);
  });
});

describe('ServerSocket', () => {
  it('connects to the checked address although the name means none, whatever it is told', async () => {
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

  it('tries the next address when one refuses', async () => {
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
