/**
 * Verifies the audit log of an installation, or an export of it, and reports its faults. `npm run audit --
 * --help` shows the usage. Exit codes: 0 intact, 1 damaged, 2 not verified.
 */
import './requireNode.mjs';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { preparePlatform } from './prepare.mjs';

const USAGE = `npm run audit -- verify [options]

  --organization <id>  verify one organization's log; absent, all
  --file <export>      verify an export (NDJSON) in place of the database
  --since <report>     the output of an earlier "verify --json": what it saw has to be there still
  --json               print the reports as JSON

The database is that of MONGODB_URL and MONGODB_PREFIX, else the embedded one in DATA_DIR, whether the platform runs or not.
The keys are SEALING_KEYS, else those in DATA_DIR. Exit codes: 0 intact, 1 damaged, 2 not verified.
`;

const EXIT_CODES = { intact: 0, damaged: 1, unverifiable: 2 };

/**
 * @typedef {import('@gatehouse/audit/verification').ChainReport} Report
 * @typedef {import('@gatehouse/service').Config} Config
 */

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      organization: { type: 'string' },
      file: { type: 'string' },
      since: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (!values.help && positionals.join(' ') !== 'verify')
    throw new Error(`a command is required: verify\n\n${USAGE}`);
  return values;
}

/** @param {string} organizationId @param {number} count */
function showProgress(organizationId, count) {
  process.stderr.write(`${organizationId}: ${count} entries\n`);
}

/** The last entry of an earlier verification, by organization. @param {string | undefined} file */
async function readEarlier(file) {
  if (file === undefined) return undefined;
  const { reports } = /** @type {{ reports: Report[] }} */ (JSON.parse(await readFile(file, 'utf8')));
  return new Map(reports.flatMap(({ organizationId, last }) => (last ? [[organizationId, last]] : [])));
}

/** The keys of the installation; undefined if there are none. @param {Config} config */
async function findKeys({ SEALING_KEYS, DATA_DIR }) {
  if (SEALING_KEYS !== undefined) return SEALING_KEYS;
  const text = await readFile(path.join(DATA_DIR, 'sealing.key'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Whether something listens on a socket. @param {string} socket @returns {Promise<boolean>} */
function answers(socket) {
  return new Promise((resolve) => {
    const connection = connect(socket, () => resolve(true)).on('error', () => resolve(false));
    connection.unref().on('connect', () => connection.end());
  });
}

/** The database, and a function that stops what was started for it. @param {Config} config */
async function openStore({ MONGODB_URL, DATA_DIR }) {
  if (MONGODB_URL !== undefined) return { url: MONGODB_URL, stop: async () => {} };
  const dataDir = path.resolve(DATA_DIR, 'engine');
  const socket = path.join(dataDir, 'engine.sock');
  if (await answers(socket)) {
    const url = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
    return { url, stop: async () => {} };
  }
  await readFile(path.join(dataDir, 'WiredTiger'), 'utf8').catch((cause) => {
    throw new Error(`There is no database in ${dataDir}: set DATA_DIR or MONGODB_URL.`, { cause });
  });
  const { startEmbeddedEngine } = await import('@gatehouse/engine');
  return startEmbeddedEngine({ dataDir });
}

/**
 * @param {ReturnType<typeof readArguments>} options
 * @param {Config} config
 * @returns {Promise<Report[]>}
 */
async function verifyDatabase({ organization, since }, config) {
  const { createLogStores, verifyLogs } = await import('@gatehouse/audit/verification');
  const { createSealer, openDatabases } = await import('@gatehouse/service');
  const keys = await findKeys(config);
  if (keys === undefined)
    throw new Error('There are no keys: set SEALING_KEYS, or the DATA_DIR that has them.');
  const settings = {
    sealer: createSealer(keys),
    earlier: await readEarlier(since),
    onProgress: showProgress,
  };
  const store = await openStore(config);
  try {
    const databases = await openDatabases(store.url, config.MONGODB_PREFIX);
    try {
      /** @type {Report[]} */
      const reports = [];
      const stores = createLogStores(databases.of('audit'));
      for await (const report of verifyLogs(stores, organization, settings)) reports.push(report);
      // Without a log, nothing shows whether the organization exists or its id is mistyped.
      const isEmpty = reports.every(({ entryCount, outcome }) => entryCount === 0 && outcome === 'intact');
      if (organization !== undefined && isEmpty) throw new Error(`${organization} has no audit log`);
      return reports;
    } finally {
      await databases.close();
    }
  } finally {
    await store.stop();
  }
}

/**
 * @param {string} file
 * @param {string | undefined} since
 * @param {Config} config
 */
async function verifyFile(file, since, config) {
  const { verifyExport } = await import('@gatehouse/audit/verification');
  const { createSealer } = await import('@gatehouse/service');
  const keys = await findKeys(config);
  return verifyExport(() => createInterface({ input: createReadStream(file), crlfDelay: Infinity }), {
    sealer: keys === undefined ? null : createSealer(keys),
    earlier: await readEarlier(since),
    onProgress: showProgress,
  });
}

/** @param {Report & { isWhole?: boolean }} report */
function describe({ organizationId, outcome, entryCount, last, faultCount, faults, isWhole = true }) {
  const end = last === null ? '' : `, the last ${last.sequence} ${last.hash}`;
  const part = isWhole ? '' : ' of an export with filters: what it leaves out was not looked at';
  const lines = faults.map(({ sequence, kind }) => `  ${sequence}: ${kind}`);
  if (faultCount > faults.length) lines.push(`  and ${faultCount - faults.length} more`);
  return [`${organizationId}: ${outcome}; ${entryCount} entries${part}${end}`, ...lines].join('\n');
}

async function main() {
  const options = readArguments();
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  // It needs the audit service and the engine, and that has both.
  await preparePlatform();
  const { readConfig } = await import('@gatehouse/service');
  const config = readConfig();
  const reports =
    options.file === undefined
      ? await verifyDatabase(options, config)
      : [await verifyFile(options.file, options.since, config)];
  const text = options.json ? JSON.stringify({ reports }, null, 2) : reports.map(describe).join('\n');
  process.stdout.write(`${text === '' ? 'No audit log has been begun.' : text}\n`);
  const outcomes = reports.map(({ outcome }) => outcome);
  const worst = ['damaged', 'unverifiable'].find((outcome) => outcomes.some((each) => each === outcome));
  return worst === undefined ? 0 : EXIT_CODES[/** @type {'damaged' | 'unverifiable'} */ (worst)];
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`Not verified: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
