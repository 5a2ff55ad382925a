import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  findProgram,
  ServerFolder,
  startServer,
  type DatabaseServer,
  type ServerCertificate,
} from './serverProcess.js';

const HINT =
  'Debian and Ubuntu: apt-get install postgresql. Others: https://www.postgresql.org/download/. ' +
  'The folder of its programs has to be on the PATH.';
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/**
 * Starts an empty PostgreSQL in a new directory that is removed with it. If this process runs as root, the
 * server uses an account without rights. It requires passwords (SCRAM), and loses the last writes when it is
 * killed.
 *
 * @param tls makes the server offer TLS
 * @throws Error with the installation command if PostgreSQL is missing, or with the reason if it did not
 * start
 */
export async function startPostgres({ tls }: { tls?: ServerCertificate } = {}): Promise<DatabaseServer> {
  const initdb = findProgram('initdb', listDebianFolders());
  const folder = await ServerFolder.make('gatehouse-postgres-');
  const data = `${folder.path}/data`;
  const [user, password] = ['postgres', 'administrator'];
  try {
    const passwordFile = await folder.write('password', password);
    const cluster = ['-D', data, '-U', user, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await folder.run(initdb, [...cluster, '--encoding=UTF8', '--locale=C', '--no-sync'], HINT);
    const settings = tls
      ? [
          'ssl=on',
          `ssl_cert_file=${await folder.write('server.crt', tls.certificate)}`,
          `ssl_key_file=${await folder.write('server.key', tls.key)}`,
        ]
      : [];
    const server = await startServer(folder, {
      program: join(dirname(initdb), 'postgres'),
      argsFor: (port) => {
        const place = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder.path];
        return [...place, '-F', ...settings.flatMap((setting) => ['-c', setting])];
      },
      ready: /database system is ready to accept connections/,
      // A faster shutdown leaves shared memory behind.
      stopSignal: 'SIGQUIT',
    });
    return {
      ...server,
      user,
      password,
      [Symbol.asyncDispose]: () => server.stop().then(() => folder.remove()),
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The newest version first. */
function listDebianFolders(): string[] {
  try {
    const versions = readdirSync(DEBIAN_FOLDER).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => `${DEBIAN_FOLDER}/${version}/bin`);
  } catch {
    return [];
  }
}
