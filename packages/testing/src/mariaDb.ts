import {
  findProgram,
  ServerFolder,
  startServer,
  type DatabaseServer,
  type ServerCertificate,
} from './serverProcess.js';

const HINT =
  'Debian and Ubuntu: apt-get install mariadb-server-core mariadb-client-core. ' +
  'Others: https://mariadb.org/download/.';
// Debian installs the server in a folder that is not in the PATH of users other than root.
const FOLDERS = ['/usr/sbin', '/usr/bin'];

/**
 * Starts an empty MariaDB in a new directory that is removed with it. If this process runs as root, the
 * server uses an account without rights.
 *
 * @param tls makes the server offer TLS
 * @param lowerCaseTableNames the server's setting of this name
 * @throws Error with the installation command if MariaDB is missing, or with the reason if it did not start
 */
export async function startMariaDb({
  tls,
  lowerCaseTableNames = 0,
}: { tls?: ServerCertificate; lowerCaseTableNames?: 0 | 1 } = {}): Promise<DatabaseServer> {
  const install = findProgram('mariadb-install-db', FOLDERS);
  const program = findProgram('mariadbd', FOLDERS);
  const folder = await ServerFolder.make('gatehouse-mariadb-');
  const [user, password] = ['administrator', 'administrator'];
  try {
    // Two servers that share a folder for temporary tables delete each other's.
    const own = [`--datadir=${folder.path}/data`, `--tmpdir=${folder.path}`];
    const fast = [
      '--innodb-buffer-pool-size=32M',
      '--innodb-log-file-size=8M',
      '--innodb-flush-log-at-trx-commit=0',
      '--sync-frm=OFF',
      `--lower-case-table-names=${lowerCaseTableNames}`,
    ];
    await folder.run(
      install,
      ['--no-defaults', ...own, '--skip-test-db', '--skip-name-resolve', ...fast],
      HINT,
    );
    const account = `'${user}'@'127.0.0.1'`;
    const accountFile = await folder.write(
      'account.sql',
      `CREATE USER ${account} IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO ${account} WITH GRANT OPTION;\n`,
    );
    const settings = await tlsSettings(folder, tls);
    const server = await startServer(folder, {
      program,
      argsFor: (port) => {
        const place = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${folder.path}/socket`];
        const files = [`--pid-file=${folder.path}/pid`, `--init-file=${accountFile}`];
        return ['--no-defaults', ...own, '--skip-name-resolve', ...place, ...files, ...fast, ...settings];
      },
      ready: /ready for connections/,
      stopSignal: 'SIGKILL',
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

async function tlsSettings(folder: ServerFolder, tls: ServerCertificate | undefined): Promise<string[]> {
  if (tls === undefined) return ['--skip-ssl'];
  const certificate = await folder.write('server.crt', tls.certificate);
  return [`--ssl-cert=${certificate}`, `--ssl-key=${await folder.write('server.key', tls.key)}`];
}
