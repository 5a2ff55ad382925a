import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates a self-signed certificate for a host name in a temporary folder, which its disposal removes. */
export async function createCertificate(host: string) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-webhook-'));
  const [certificateFile, keyFile] = [join(folder, 'crt'), join(folder, 'key')];
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await run('openssl', [
    'req',
    '-x509',
    ...KEY,
    '-days',
    '30',
    '-keyout',
    keyFile,
    '-out',
    certificateFile,
    ...name,
  ]);
  return {
    certificateFile,
    cert: await readFile(certificateFile, 'utf8'),
    key: await readFile(keyFile, 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
