import { findAppError } from '@gatehouse/service';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificate } from '../testing/certificate.js';
import { asAdmin, createWebhook } from '../testing/calls.js';
import { startWebhookPlatform, type WebhookPlatform } from '../testing/platform.js';
import { startReceiver } from '../testing/receiver.js';

const run = promisify(execFile);
const PUBLIC = '93.184.216.34';

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** The current addresses of names, and the number of lookups. */
function createResolver(names: Record<string, string[]>) {
  const lookups: string[] = [];
  const resolve = async (name: string) => {
    lookups.push(name);
    const addresses = names[name];
    if (!addresses) throw new Error('ENOTFOUND');
    return addresses;
  };
  return { names, lookups, resolve };
}

const start = (WEBHOOK_HOSTS: string, resolver = createResolver({})) =>
  startWebhookPlatform(mongo.databases, {
    settings: { WEBHOOK_HOSTS },
    environment: { resolve: resolver.resolve },
  });

/** The error of a webhook's creation; null on success. */
async function faultOf(platform: WebhookPlatform, url: string): Promise<string | null> {
  try {
    await createWebhook(platform, { url, isEnabled: false });
    return null;
  } catch (error) {
    const known = findAppError(error);
    if (known?.status !== 400) throw error;
    const [fault] = known.fieldErrors ?? [];
    return `${fault?.field}: ${fault?.message}`;
  }
}

describe('a webhook is not created', () => {
  it('while the operator allows no host, and the error names the setting', async () => {
    await using platform = await start('');
    expect(await faultOf(platform, 'https://hooks.example.com/')).toMatch(/^url: .*WEBHOOK_HOSTS/);
  });

  it('for a private address, when every public host is allowed', async () => {
    const inside = [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '192.168.1.1',
      '::1',
      'fd00::1',
      '::ffff:10.0.0.1',
    ];
    const names = Object.fromEntries(inside.map((address, index) => [`n${index}.example.com`, [address]]));
    const resolver = createResolver({
      ...names,
      'both.example.com': [PUBLIC, '10.0.0.1'],
      'out.example.com': [PUBLIC, '2606:2800:220:1::1'],
      localhost: ['127.0.0.1'],
    });
    await using platform = await start('*', resolver);
    const refused = [
      ...inside.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/`),
      ...Object.keys(names).map((name) => `https://${name}/`),
      'https://both.example.com/',
      'https://localhost/',
      'https://0x7f000001/',
      'https://2130706433/',
      'https://127.1/',
      'https://out.example.com./',
      // Without TLS, the host must be named.
      'http://out.example.com/',
      `http://${PUBLIC}/`,
    ];
    for (const url of refused) {
      expect([url, await faultOf(platform, url)]).toEqual([
        url,
        expect.stringMatching(/^url: .*may not be reached/),
      ]);
    }
    for (const url of ['https://out.example.com/', `https://${PUBLIC}/`])
      expect([url, await faultOf(platform, url)]).toEqual([url, null]);
    expect(await faultOf(platform, 'https://nowhere.example.com/')).toMatch(/could not be resolved/);
  });

  it('without TLS, unless the host is named', async () => {
    const resolver = createResolver({ 'hooks.example.com': [PUBLIC], 'a.plain.example.com': [PUBLIC] });
    await using platform = await start('* *.plain.example.com 10.0.0.0/8', resolver);
    expect(await faultOf(platform, 'http://hooks.example.com/')).toMatch(/may not be reached/);
    expect(await faultOf(platform, 'https://hooks.example.com/')).toBeNull();
    expect(await faultOf(platform, 'http://a.plain.example.com/')).toBeNull();
    expect(await faultOf(platform, 'http://10.1.2.3/')).toBeNull();
  });

  it('and not moved to such a host', async () => {
    await using platform = await start('127.0.0.1');
    const { id } = await createWebhook(platform, { url: 'http://127.0.0.1:9/', isEnabled: false });
    const moved = platform.calls.update.mutate(
      { id, url: 'http://127.0.0.2:9/' },
      { context: await asAdmin(platform) },
    );
    await expect(moved).rejects.toMatchObject({ cause: { code: 'INVALID_REQUEST' } });
  });
});

describe('each attempt', () => {
  const HOST = 'hooks.example.com';
  const HOSTS = `${HOST} 127.0.0.1`;

  it.each([
    ['loopback that is not allowed', ['127.0.0.2']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['a private network', ['10.0.0.1']],
    ['an allowed address beside a private one', ['127.0.0.1', '10.0.0.1']],
  ])('resolves the name again, and sends nothing to %s', async (_, addresses) => {
    await using receiver = await startReceiver();
    const resolver = createResolver({ [HOST]: ['127.0.0.1'] });
    await using platform = await start(HOSTS, resolver);
    const { id } = await createWebhook(platform, { url: `http://${HOST}:${receiver.port}/` });
    const test = async () =>
      (await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) })).test;
    expect(await test()).toMatchObject({ isDelivered: true });
    resolver.names[HOST] = addresses;
    expect(await test()).toMatchObject({ failure: 'not_allowed', statusCode: null });
    resolver.names[HOST] = [];
    expect(await test()).toMatchObject({ failure: 'unresolved' });
    expect(receiver.connections()).toBe(1);
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });

  it('connects to the checked address, whatever the name resolves to later', async () => {
    await using receiver = await startReceiver();
    let lookups = 0;
    // Like a DNS rebinding attack: the second lookup returns another address than the checked first one.
    const resolve = async () => {
      lookups += 1;
      return lookups % 2 === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const settings = { WEBHOOK_HOSTS: `${HOST} 127.0.0.0/8` };
    await using platform = await startWebhookPlatform(mongo.databases, {
      settings,
      environment: { resolve },
    });
    const { id } = await createWebhook(platform, { url: `http://${HOST}:${receiver.port}/` });
    const test = async () =>
      (await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) })).test;
    expect(await test()).toMatchObject({ isDelivered: false, failure: 'unreachable' });
    expect(await test()).toMatchObject({ isDelivered: true });
    // One lookup for the creation, and one for each attempt.
    expect(lookups).toBe(3);
    expect(receiver.received[0]?.headers.host).toBe(`${HOST}:${receiver.port}`);
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });

  it('times out when the name server does not respond', async () => {
    await using receiver = await startReceiver();
    let isSilent = false;
    const resolve = () => (isSilent ? new Promise<string[]>(() => {}) : Promise.resolve(['127.0.0.1']));
    const settings = { WEBHOOK_HOSTS: HOSTS, WEBHOOK_TIMEOUT_MS: '500' };
    await using platform = await startWebhookPlatform(mongo.databases, {
      settings,
      environment: { resolve },
    });
    const { id } = await createWebhook(platform, { url: `http://${HOST}:${receiver.port}/` });
    isSilent = true;
    const { test } = await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) });
    expect(test.failure).toBe('timed_out');
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });
});

describe('over TLS', () => {
  const HOST = 'hooks.example.com';

  /** A receiver with a certificate for a host, which records the requested host names. */
  async function startSecure(host: string) {
    const certificate = await createCertificate(host);
    const names: unknown[] = [];
    const server = createSecureServer(certificate, (request, response) => {
      names.push((request.socket as TLSSocket & { servername: unknown }).servername);
      response.writeHead(204).end();
    });
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      ...certificate,
      port,
      names,
      async [Symbol.asyncDispose]() {
        server.close();
        await certificate[Symbol.asyncDispose]();
      },
    };
  }

  it('a self-signed certificate is rejected', async () => {
    await using receiver = await startSecure(HOST);
    await using platform = await start(`${HOST} 127.0.0.1`, createResolver({ [HOST]: ['127.0.0.1'] }));
    const { id } = await createWebhook(platform, { url: `https://${HOST}:${receiver.port}/` });
    const { test } = await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) });
    expect(test).toMatchObject({ isDelivered: false, failure: 'untrusted' });
    expect(receiver.names).toEqual([]);
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });

  /** The result in a process that trusts the certificate, as an operator may configure. */
  async function postTrusting(
    { certificateFile, port }: { certificateFile: string; port: number },
    host: string,
  ) {
    const module = new URL('../../dist/deliveries/postRequest.js', import.meta.url).href;
    const program = `
      import { post } from ${JSON.stringify(module)};
      const [host, port] = JSON.parse(process.argv[1]);
      const destination = { host, port, addresses: ['127.0.0.1'] };
      const url = new URL('https://' + host + ':' + port + '/');
      const { signal } = new AbortController();
      const outcome = await post({ url, destination, headers: {}, body: '{}', signal }).catch(({ code }) => ({ code }));
      console.log(JSON.stringify(outcome));`;
    const args = ['--input-type=module', '--eval', program, '--', JSON.stringify([host, port])];
    const { stdout } = await run(process.execPath, args, { env: { NODE_EXTRA_CA_CERTS: certificateFile } });
    return JSON.parse(stdout) as unknown;
  }

  it('the checked address must present a certificate for the host', async () => {
    await using receiver = await startSecure(HOST);
    expect(await postTrusting(receiver, HOST)).toEqual({ statusCode: 204 });
    expect(receiver.names).toEqual([HOST]);
    expect(await postTrusting(receiver, 'other.example.com')).toEqual({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});
