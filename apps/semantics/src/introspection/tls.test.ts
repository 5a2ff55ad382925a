import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startMariaDb, startPostgres, type DatabaseServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatabaseProxy } from '../testing/databaseProxy.js';
import { introspect, type IntrospectionOutcome, type IntrospectionRequest } from './index.js';

const run = promisify(execFile);

const NAME = 'db.example.com';
const limits = {
  timeoutMs: 20_000,
  allowedHosts: `${NAME} other.example.com 127.0.0.0/8`,
  sqliteDir: undefined,
};
const NOT_VERIFIED = {
  ok: false,
  reason: 'unreachable',
  message: "TLS could not be set up, or the server's certificate could not be verified.",
};

let folder: string;
let servers: Record<'postgres' | 'mysql', DatabaseServer>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'));
  const [certificateFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  const names = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-keyout',
    keyFile,
    '-out',
    certificateFile,
    '-days',
    '30',
    ...names,
  ]);
  const tls = { certificate: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  const [postgres, mysql] = await Promise.all([startPostgres({ tls }), startMariaDb({ tls })]);
  servers = { postgres, mysql };
});

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server[Symbol.asyncDispose]()));
  await rm(folder, { recursive: true });
});

type Tls = 'disable' | 'require' | 'verify';

function requestTo(type: 'postgres' | 'mysql', host: string, tls: Tls): IntrospectionRequest {
  const { port, user, password } = servers[type];
  const database = { postgres: 'postgres', mysql: 'mysql' }[type];
  return { type, config: { host, port, user, password, database, tls } };
}

/** What a process gives that trusts the servers' certificate beside the usual ones, as an operator's would. */
async function introspectTrusting(
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
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'server.crt') };
  const { stdout } = await run(process.execPath, args, { env });
  return JSON.parse(stdout) as IntrospectionOutcome[];
}

describe.each(['postgres', 'mysql'] as const)('introspect over TLS (%s)', (type) => {
  const resolve = () => Promise.resolve(['127.0.0.1']);

  it('sends neither user nor password in plain text when TLS is required', async () => {
    await using proxy = await startDatabaseProxy(servers[type].port);
    const request = requestTo(type, NAME, 'require');
    const outcome = await introspect(
      { ...request, config: { ...request.config, port: proxy.port } } as IntrospectionRequest,
      limits,
      resolve,
    );
    expect(outcome).toMatchObject({ ok: true });
    expect(proxy.sent().length).toBeGreaterThan(100);
    expect(proxy.sent()).not.toContain(servers[type].user);
  });

  it('does not take a certificate that nobody vouches for when it is to be verified', async () => {
    expect(await introspect(requestTo(type, NAME, 'verify'), limits, resolve)).toMatchObject(NOT_VERIFIED);
  });

  it('takes a certificate for the name of the connection alone when it is to be verified', async () => {
    const outcomes = await introspectTrusting([
      requestTo(type, NAME, 'verify'),
      requestTo(type, 'other.example.com', 'verify'),
      requestTo(type, '127.0.0.1', 'verify'),
    ]);
    expect(outcomes).toMatchObject([{ ok: true }, NOT_VERIFIED, { ok: false, reason: 'unreachable' }]);
  });
});
