import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { startMariaDb, startPostgres, type DatabaseServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateIssuer, type TestCertificate } from '../testing/certificates.js';
import { startDatabaseProxy, startTcpServer } from '../testing/databaseProxy.js';
import { respondInTurn } from '../testing/hostileServers.js';
import { introspectDatabase } from './introspectDatabase.js';
import type { IntrospectionOutcome, IntrospectionRequest } from './logic/outcome.js';

const run = promisify(execFile);

const NAME = 'db.example.com';
const limits = {
  organizationId: 'o_1',
  timeoutMs: 20_000,
  allowedHosts: `${NAME} other.example.com 127.0.0.0/8`,
  sqliteDir: undefined,
};
const resolve = () => Promise.resolve(['127.0.0.1']);

/** The outcome of a failed verification. The driver's message is only in the cause. */
const notVerified = (fault: string) => ({
  ok: false,
  reason: 'untrusted',
  message: `The server's certificate could not be verified: ${fault}.`,
  cause: expect.any(String) as string,
});

type Tls = 'disable' | 'require' | 'verify';
type Kind = 'selfSigned' | 'expired' | 'early' | 'ofAuthority';

let issuer: Awaited<ReturnType<typeof createCertificateIssuer>>;
let certificates: Record<Kind, TestCertificate>;
beforeAll(async () => {
  issuer = await createCertificateIssuer();
  const host = NAME;
  const selfSigned = await issuer.issue({ host });
  const expired = await issuer.issue({ host, notAfter: '20210101000000Z' });
  const early = await issuer.issue({ host, notBefore: '20480101000000Z' });
  const authority = await issuer.issue({ host: 'authority.example.com' });
  const ofAuthority = await issuer.issue({ host, authority });
  certificates = { selfSigned, expired, early, ofAuthority };
});
afterAll(() => issuer[Symbol.asyncDispose]());

/** The outcomes in a process that also trusts these certificates, as an operator may configure. */
async function introspectTrusting(
  trusted: readonly TestCertificate[],
  requests: readonly IntrospectionRequest[],
): Promise<IntrospectionOutcome[]> {
  const module = new URL('../../dist/introspection/introspectDatabase.js', import.meta.url).href;
  const program = `
    import { introspectDatabase } from ${JSON.stringify(module)};
    const [requests, limits] = JSON.parse(process.argv[1]);
    const resolve = async () => ['127.0.0.1'];
    const outcomes = await Promise.all(requests.map((request, index) =>
      introspectDatabase(request, { ...limits, organizationId: String(index) }, resolve)));
    console.log(JSON.stringify(outcomes));`;
  const args = ['--input-type=module', '--eval', program, '--', JSON.stringify([requests, limits])];
  const bundle = `${certificates.selfSigned.certificateFile}.bundle`;
  await writeFile(bundle, trusted.map(({ certificate }) => certificate).join('\n'));
  const { stdout } = await run(process.execPath, args, { env: { NODE_EXTRA_CA_CERTS: bundle } });
  return JSON.parse(stdout) as IntrospectionOutcome[];
}

describe.each([
  ['postgres', startPostgres],
  ['mysql', startMariaDb],
] as const)('introspectDatabase over TLS (%s)', (type, start) => {
  let servers: Record<Kind, DatabaseServer>;
  beforeAll(async () => {
    const entries = Object.entries(certificates).map(
      async ([kind, tls]) => [kind, await start({ tls })] as const,
    );
    servers = Object.fromEntries(await Promise.all(entries)) as Record<Kind, DatabaseServer>;
  });
  afterAll(() => Promise.all(Object.values(servers).map((server) => server[Symbol.asyncDispose]())));

  function requestTo(kind: Kind, tls: Tls, fields: { host?: string; port?: number } = {}) {
    const { port, user, password } = servers[kind];
    const database = { postgres: 'postgres', mysql: 'mysql' }[type];
    const config = { host: NAME, port, user, password, database, tls, ...fields };
    return { type, config } as IntrospectionRequest;
  }
  const verify = (kind: Kind) => introspectDatabase(requestTo(kind, 'verify'), limits, resolve);

  it('sends neither user nor password in plain text when TLS is required', async () => {
    await using proxy = await startDatabaseProxy(servers.selfSigned.port);
    const request = requestTo('selfSigned', 'require', { port: proxy.port });
    expect(await introspectDatabase(request, limits, resolve)).toMatchObject({ ok: true });
    expect(proxy.sent().length).toBeGreaterThan(100);
    expect(proxy.sent()).not.toContain(servers.selfSigned.user);
  });

  it('rejects a self-signed certificate when it must be verified', async () => {
    expect(await verify('selfSigned')).toEqual(notVerified('it is self-signed'));
  });

  it('rejects a certificate of an untrusted authority', async () => {
    expect(await verify('ofAuthority')).toEqual(notVerified('it is of an authority that is not trusted'));
  });

  it('accepts a certificate only for the host name of the connection and while it is valid', async () => {
    const { selfSigned, expired, early } = certificates;
    const outcomes = await introspectTrusting(
      [selfSigned, expired, early],
      [
        requestTo('selfSigned', 'verify'),
        requestTo('selfSigned', 'verify', { host: 'other.example.com' }),
        requestTo('selfSigned', 'verify', { host: '127.0.0.1' }),
        requestTo('expired', 'verify'),
        requestTo('early', 'verify'),
      ],
    );
    expect(outcomes).toMatchObject([
      { ok: true },
      notVerified('it is for another host name'),
      { ok: false, reason: 'untrusted' },
      notVerified('it has expired'),
      notVerified('it is not valid yet'),
    ]);
  });
});

describe('introspectDatabase over TLS, against a hostile PostgreSQL server', () => {
  it('reports that TLS could not be set up when the server accepts it and sends something else', async () => {
    await using server = await startTcpServer((socket) =>
      respondInTurn(socket, [
        () => socket.write('S'),
        () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      ]),
    );
    const { port } = server;
    const config = { host: NAME, port, database: 'shop', user: 'reader', tls: 'require' } as const;
    expect(await introspectDatabase({ type: 'postgres', config }, limits, resolve)).toMatchObject({
      reason: 'untrusted',
      message: 'TLS could not be set up with the server.',
    });
  });

  it('reports the server as unreachable when it closes the connection during the handshake', async () => {
    await using server = await startTcpServer((socket) =>
      respondInTurn(socket, [() => socket.write('S'), () => socket.destroy()]),
    );
    const { port } = server;
    const config = { host: NAME, port, database: 'shop', user: 'reader', tls: 'verify' } as const;
    const outcome = await introspectDatabase({ type: 'postgres', config }, limits, resolve);
    expect(outcome).toMatchObject({ reason: 'unreachable' });
  });
});
