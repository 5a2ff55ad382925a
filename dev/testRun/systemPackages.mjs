/**
 * The programs that some tests start and no npm package contains: the event bus, the databases for
 * introspection, the browser, and the load generator of the benchmarks. It installs missing ones if this
 * process may, and otherwise prints how to install them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const APT = 'apt-get';
const POSTGRES_FOLDER = '/usr/lib/postgresql';
/** Without this, Debian's packages create and start a cluster of their own, also when the machine starts. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.d/gatehouse.conf';
/** The paths where the tests search for a browser. */
const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Debian's packages, whether their programs are installed, and another source for them. */
const PARTS = [
  { packages: ['nats-server'], isThere: () => canRun('nats-server'), source: 'nats.io' },
  { packages: ['postgresql'], isThere: hasPostgres, source: 'postgresql.org' },
  // The programs alone: no service, no data directory.
  { packages: ['mariadb-server-core', 'mariadb-client-core'], isThere: hasMariaDb, source: 'mariadb.org' },
  { packages: ['wrk'], isThere: () => canRun('wrk'), source: 'github.com/wg/wrk' },
  {
    packages: ['chromium'],
    isThere: () => BROWSERS.some((file) => existsSync(file)),
    source: 'chromium.org',
  },
];

installMissing();

function installMissing() {
  const missing = PARTS.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && canRun(APT)) install(missing.flatMap(({ packages }) => packages));
  for (const { packages, isThere, source } of missing) {
    if (isThere()) continue;
    const names = packages.join(' ');
    console.warn(
      `Missing: ${names}. The tests that need it will fail. Get it with "sudo apt-get install ${names}", or from ` +
        `${source}, and see that its programs are on the PATH.`,
    );
  }
}

/** @param {readonly string[]} packages */
function install(packages) {
  console.log(`Installing ${packages.join(' ')} ...`);
  if (!existsSync(CLUSTER_SETTINGS)) {
    mkdirSync(path.dirname(CLUSTER_SETTINGS), { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
  }
  runApt('update', '-qq');
  runApt('install', '-y', '-qq', '--no-install-recommends', ...packages);
}

/** @param {...string} args */
function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr } = spawnSync(APT, args, { env, encoding: 'utf8' });
  if (status !== 0) console.warn(stderr);
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
