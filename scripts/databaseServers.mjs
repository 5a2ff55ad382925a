/** The database servers whose catalogs some tests read. No npm package carries them, so they come from the system's packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const APT = 'apt-get';
/** The packages of MariaDB's programs alone: no service, no data directory. */
const MARIADB = ['mariadb-server-core', 'mariadb-client-core'];
const POSTGRES = ['postgresql'];
const POSTGRES_FOLDER = '/usr/lib/postgresql';
/** Without this, Debian's packages make a cluster of their own and start it, with the machine as well. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.d/gatehouse.conf';

/** Installs PostgreSQL and MariaDB where they are missing and this process may; otherwise says how to get them. */
export function installDatabaseServers() {
  const missing = [...(hasPostgres() ? [] : POSTGRES), ...(hasMariaDb() ? [] : MARIADB)];
  if (missing.length === 0 || install(missing)) return;
  const names = missing.join(' ');
  console.warn(
    `Missing: ${names}. The tests that need them will fail. Get them with "sudo apt-get install ${names}", or from ` +
      'postgresql.org and mariadb.org, and see that their programs are on the PATH.',
  );
}

/** @param {readonly string[]} packages */
function install(packages) {
  if (process.getuid?.() !== 0 || !canRun(APT)) return false;
  console.log(`Installing ${packages.join(' ')} ...`);
  if (!existsSync(CLUSTER_SETTINGS)) {
    mkdirSync(path.dirname(CLUSTER_SETTINGS), { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
  }
  runApt('update', '-qq');
  const { status, stderr } = runApt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  if (status !== 0) console.warn(stderr);
  return status === 0;
}

/** @param {...string} args */
function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(APT, args, { env, encoding: 'utf8' });
}

function hasPostgres() {
  const versions = existsSync(POSTGRES_FOLDER) ? readdirSync(POSTGRES_FOLDER) : [];
  return canRun('initdb') || versions.some((version) => canRun(`${POSTGRES_FOLDER}/${version}/bin/initdb`));
}

function hasMariaDb() {
  return (canRun('mariadbd') || canRun('/usr/sbin/mariadbd')) && canRun('my_print_defaults');
}

/** @param {string} command */
function canRun(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}
