/**
 * Writes all data of the platform into one file, while the platform runs or not:
 *
 *     npm run backup -- <file>
 *
 * The database is that of MONGODB_URL and MONGODB_PREFIX, by default the embedded one in DATA_DIR. The git
 * repositories are those of REPOSITORY_DIR, by default of DATA_DIR. The sealing keys and the credentials are
 * not included.
 */
import './requireNode.mjs';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { preparePlatform } from './prepare.mjs';

/** For events that are published and not recorded yet, before the log is read. */
const SETTLE_MS = 2000;
const OWNER_ONLY = 0o600;

/** @typedef {import('@gatehouse/service').ArchiveItem} ArchiveItem */

/** @param {string} folder */
async function syncFolder(folder) {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}

/** Aborted when this program is to end. */
function stopSignal() {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
  return stop.signal;
}

/** The file appears when it is complete. @param {string} file @param {AsyncIterable<Uint8Array>} bytes */
async function writeWhole(file, bytes) {
  // A name of its own, because a backup that was killed leaves its draft.
  const draft = `${file}.${process.pid}.draft`;
  const stream = createWriteStream(draft, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  try {
    await pipeline(Readable.from(bytes), createGzip(), stream, { signal: stopSignal() });
    await rename(draft, file);
    await syncFolder(path.dirname(path.resolve(file)));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function main() {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0 || file.startsWith('-'))
    throw new Error('Usage: npm run backup -- <file>');
  await preparePlatform();
  const { encodeItem, readConfig, readDatabases } = await import('@gatehouse/service');
  const { FORMAT, LOG, RECORDS } = await import('./installation/plan.mjs');
  const { readRepositories } = await import('./installation/repositories.mjs');
  const { repositoryFolder, withDatabases } = await import('./installation/store.mjs');
  const config = readConfig();
  let itemCount = 0;
  let documentCount = 0;
  await withDatabases(config, { isNew: false }, async (databases) => {
    /** @returns {AsyncGenerator<ArchiveItem>} */
    async function* readItems() {
      yield { kind: 'header', format: FORMAT, createdAt: new Date() };
      yield* readDatabases(databases, RECORDS);
      yield* readRepositories(repositoryFolder(config), config.GIT_PROGRAM);
      await sleep(SETTLE_MS);
      yield* readDatabases(databases, LOG);
    }
    async function* encodeAll() {
      for await (const item of readItems()) {
        itemCount += 1;
        if (item.kind === 'document') documentCount += 1;
        yield encodeItem(item);
      }
      yield encodeItem({ kind: 'end', itemCount });
    }
    await writeWhole(file, encodeAll());
  });
  process.stdout.write(`${file}: ${documentCount} documents\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`No backup was made: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
