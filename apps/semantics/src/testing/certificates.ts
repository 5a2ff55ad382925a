import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate and its key, with their files. */
export interface TestCertificate {
  certificate: string;
  key: string;
  certificateFile: string;
  keyFile: string;
}

interface CertificateOptions {
  host: string;
  /** As `YYYYMMDDHHMMSSZ`. */
  notBefore?: string;
  notAfter?: string;
  /** The issuer; without one, the certificate is self-signed. */
  authority?: TestCertificate;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const CONFIGURATION = `
[ca]
default_ca = test
[test]
new_certs_dir = .
database = index
serial = serial
default_md = sha256
unique_subject = no
copy_extensions = copy
policy = any
[any]
commonName = supplied
`;

/** Issues certificates with OpenSSL in a temporary folder, which its disposal removes. */
export async function createCertificateIssuer() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-certificates-'));
  await writeFile(join(folder, 'ca.cnf'), CONFIGURATION);
  await writeFile(join(folder, 'index'), '');
  await writeFile(join(folder, 'serial'), '01');
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  let count = 0;
  return {
    async issue({ host, authority, ...validity }: CertificateOptions): Promise<TestCertificate> {
      count += 1;
      const [certificateFile, keyFile, request] = ['crt', 'key', 'csr'].map((kind) =>
        join(folder, `${count}.${kind}`),
      ) as [string, string, string];
      const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
      await openssl('req', '-new', ...KEY, '-keyout', keyFile, '-out', request, ...name);
      const { notBefore = '20200101000000Z', notAfter = '20490101000000Z' } = validity;
      const dates = ['-startdate', notBefore, '-enddate', notAfter];
      const signer =
        authority === undefined
          ? ['-selfsign', '-keyfile', keyFile]
          : ['-cert', authority.certificateFile, '-keyfile', authority.keyFile];
      const files = ['-in', request, '-out', certificateFile];
      await openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', ...files, ...dates, ...signer);
      const [certificate, key] = await Promise.all([
        readFile(certificateFile, 'utf8'),
        readFile(keyFile, 'utf8'),
      ]);
      return { certificate, key, certificateFile, keyFile };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
