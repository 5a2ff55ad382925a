/** The first steps of the programs that npm starts, on a fresh clone: install the packages and build. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { areInstalled, root } from './installed.mjs';
import { runQuietly, runSteps } from './progress.mjs';

export { root } from './installed.mjs';

const NPM_CI = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
/** What the platform needs: the rest is for tests and checks. */
const NEEDED = ['apps/standalone', 'apps/docs', 'apps/console', 'packages/cli', 'dev/bundle'];
const COMPILED = ['apps/standalone', 'apps/docs', 'packages/cli'].map(
  (folder) => `${folder}/tsconfig.build.json`,
);
const STANDALONE = 'apps/standalone';
/** A step of a later start that ends earlier is not shown. */
const LONG_STEP_MS = 1500;
const BIN = path.join(root, 'node_modules/.bin');

/** Installs all packages of package-lock.json, unless they are installed. */
export async function installPackages() {
  if (!areInstalled())
    await runSteps([{ title: 'Installing packages', run: () => runQuietly('npm', NPM_CI) }]);
}

/** Builds the whole workspace. */
export async function build() {
  await runQuietly('npm', ['run', '--silent', 'build']);
}

/**
 * Installs and builds what `npm start` needs, and the programs of the services if they are wanted, as far as
 * it is missing or has changed. A first start shows its steps; a later one with a `following` step shows
 * those that take long.
 *
 * @param {{ withServices?: boolean, following?: string }} [options] `following`: the next step of the caller
 */
export async function preparePlatform({ withServices = false, following } = {}) {
  const isInstalled = areInstalled(NEEDED);
  const isFirst = !isInstalled || !existsSync(path.join(root, STANDALONE, 'dist/bundle/main.js'));
  const steps = [
    ...(isInstalled ? [] : [{ title: 'Installing packages', run: install }]),
    { title: 'Compiling', run: compile },
    { title: 'Bundling', run: () => bundle(withServices) },
  ];
  const total = steps.length + (following === undefined ? 0 : 1);
  const laterDelayMs = following === undefined ? null : LONG_STEP_MS;
  await runSteps(steps, { total, delayMs: isFirst ? 0 : laterDelayMs });
  if (isFirst && following !== undefined) console.error(`[${total}/${total}] ${following}`);
}

async function install() {
  await runQuietly('npm', [...NPM_CI, ...NEEDED.map((folder) => `--workspace=${folder}`)]);
}

/** Compiles without checking types, which takes a third of the time. `npm run build` checks them. */
async function compile() {
  await runQuietly(path.join(BIN, 'tsc'), ['--build', '--noCheck', ...COMPILED]);
}

/** @param {boolean} withServices */
async function bundle(withServices) {
  for (const { command, folder } of await findStale(withServices)) {
    const [program = '', ...args] = command;
    await runQuietly(program, args, path.join(root, folder));
  }
}

/**
 * The bundles that are missing or would differ now.
 * @param {boolean} withServices
 */
async function findStale(withServices) {
  // Only now: the package may have been installed by a step.
  const { isCurrent } = await import('@gatehouse/bundle/inputs');
  const wanted = bundles(withServices);
  const current = await Promise.all(wanted.map(({ record }) => isCurrent(path.join(root, record))));
  return wanted.filter((_, index) => !current[index]);
}

/**
 * @param {boolean} withServices
 * @returns {{ folder: string, command: string[], record: string }[]}
 */
function bundles(withServices) {
  const bundler = path.join(BIN, 'gatehouse-bundle');
  /** @type {(folder: string, ...programs: string[]) => ReturnType<typeof bundles>[number]} */
  const program = (folder, ...programs) => ({
    folder,
    command: [bundler, ...programs],
    record: `${folder}/dist/bundle/inputs.json`,
  });
  const docs = {
    folder: 'apps/docs',
    command: [process.execPath, 'src/bundle.mjs'],
    record: 'apps/docs/dist/inputs.json',
  };
  const console = {
    folder: 'apps/console',
    command: [path.join(BIN, 'vite'), 'build', '--logLevel', 'error'],
    record: 'apps/console/dist/inputs.json',
  };
  const standalone = program(STANDALONE, 'main.js', 'mesh.js');
  if (!withServices) return [standalone, docs, console];
  const services = Object.keys(JSON.parse(readFileSync(path.join(root, 'infra/services.json'), 'utf8')));
  return [standalone, docs, console, ...services.map((name) => program(`apps/${name}`, 'main.js'))];
}
