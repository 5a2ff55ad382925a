import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { startMariaDb, startPostgres, type DatabaseServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateMaker, type MadeCertificate } from '../testing/certificates.js';
import { startDatabaseProxy, startTcpServer } from '../testing/databaseProxy.js';
import { answerInTurn } from '../testing/hostileServers.js';
import { introspect, type IntrospectionOutcome, type IntrospectionRequest } from './index.js';

const run = promisify(execFile);

const NAME = 'db.example.com';
const limits = {
  organizationId: 'o_1',
  timeoutMs: 20_000,
  allowedHosts: `${NAME} other.example.com 127.0.0.0/8`,
  sqliteDir: undefined,
};
const resolve = () => Promise.resolve(['127.0.0.1']);

/** What a caller is told of a certificate, and nothing else: the driver's words are in the cause. */
const notVerified = (fault: string) => ({
  ok: false,
  reason: 'untrusted',
  message: `The server's certificate could not be verified: ${fault}.`,
  cause: expect.any(String) as string,
});

type Tls = 'disable' | 'require' | 'verify';
type Kind = 'selfSigned' | 'expired' | 'early' | 'ofAuthority';

let maker: Awaited<ReturnType<typeof createCertificateMaker>>;
let certificates: Record<Kind, MadeCertificate>;
beforeAll(async () => {
  maker = await createCertificateMaker();
  const host = NAME;
  const selfSigned = await maker.make({ host });
  const expired = await maker.make({ host, notAfter: '20210101000000Z' });
  const early = await maker.make({ host, notBefore: '20480101000000Z' });
  const authority = await maker.make({ host: 'authority.example.com' });
  const ofAuthority = await maker.make({ host, authority });
  certificates = { selfSigned, expired, early, ofAuthority };
});
afterAll(() => maker[Symbol.asyncDispose]());

/** What a process gives that trusts these certificates beside the usual ones, as an operator's would. */
async function introspectTrusting(
  trusted: readonly MadeCertificate[],
  requests: readonly IntrospectionRequest[],
): Promise<IntrospectionOutcome[]> {
  const module = new URL('../../dist/introspection/index.js', import.meta.url).href;
  const program = `
    import { introspect } from ${JSON.stringify(module)};
    const [requests, limits] = JSON.parse(process.argv[1]);
    const resolve = async () => ['127.0.0.1'];
    const outcomes = await Promise.all(requests.map((request) => introspect(request, limits, resolve)));
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
] as const)('introspect over TLS (%s)', (type, start) => {
  let servers: Record<Kind, DatabaseServer>;
  beforeAll(async () => {
    const entries = Object.entries(certificates).map(
      async ([kind, tls]) => [kind, await start({ tls })] as const,
    );
    servers = Object.fromEntries(await Promise.all(entries)) as Record<Kind, DatabaseServer>;
  }, 120_000);
  afterAll(() => Promise.all(Object.values(servers).map((server) => server[Symbol.asyncDispose]())));

  function requestTo(kind: Kind, tls: Tls, fields: { host?: string; port?: number } = {}) {
    const { port, user, password } = servers[kind];
    const database = { postgres: 'postgres', mysql: 'mysql' }[type];
    const config = { host: NAME, port, user, password, database, tls, ...fields };
    return { type, config } as IntrospectionRequest;
  }
  const verify = (kind: Kind) => introspect(requestTo(kind, 'verify'), limits, resolve);

  it('sends neither user nor password in plain text when TLS is required', async () => {
    await using proxy = await startDatabaseProxy(servers.selfSigned.port);
    const request = requestTo('selfSigned', 'require', { port: proxy.port });
    expect(await introspect(request, limits, resolve)).toMatchObject({ ok: true });
    expect(proxy.sent().length).toBeGreaterThan(100);
    expect(proxy.sent()).not.toContain(servers.selfSigned.user);
  });

  it('does not take a certificate that nobody vouches for when it is to be verified', async () => {
    expect(await verify('selfSigned')).toEqual(notVerified('it is self-signed'));
  });

  it('does not take a certificate of an authority that is not trusted', async () => {
    expect(await verify('ofAuthority')).toEqual(notVerified('it is of an authority that is not trusted'));
  });

  it('takes a certificate for the name of the connection alone, and for as long as it is valid', async () => {
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

describe('introspect over TLS, against a hostile PostgreSQL server', () => {
  it('says that TLS could not be set up where the server agrees to it and does not speak it', async () => {
    await using server = await startTcpServer((socket) =>
      answerInTurn(socket, [() => socket.write('S'), () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')]),
    );
    const { port } = server;
    const config = { host: NAME, port, database: 'shop', user: 'reader', tls: 'require' } as const;
    expect(await introspect({ type: 'postgres', config }, limits, resolve)).toMatchObject({
      reason: 'untrusted',
      message: 'TLS could not be set up with the server.',
    });
  });

  it('may be tried again when it hangs up in the middle', async () => {
    await using server = await startTcpServer((socket) =>
      answerInTurn(socket, [() => socket.write('S'), () => socket.destroy()]),
    );
    const { port } = server;
    const config = { host: NAME, port, database: 'shop', user: 'reader', tls: 'verify' } as const;
    const outcome = await introspect({ type: 'postgres', config }, limits, resolve);
    expect(outcome).toMatchObject({ reason: 'unreachable' });
  });
});
