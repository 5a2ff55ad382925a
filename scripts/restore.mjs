/**
 * Restores a file of `npm run backup` into empty databases:
 *
 *     npm run restore -- <file>
 *
 * The database is that of MONGODB_URL and MONGODB_PREFIX, by default the embedded one in DATA_DIR. The git
 * repositories are written to REPOSITORY_DIR, by default to DATA_DIR. The platform must not run on them yet.
 * The whole file is read and checked first.
 */
import './requireNode.mjs';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { preparePlatform } from './prepare.mjs';

/**
 * @typedef {import('@gatehouse/service').ArchiveItem} ArchiveItem
 * @typedef {typeof import('@gatehouse/service')} Service
 */

/** @param {string} file @param {Service} service @returns {AsyncGenerator<ArchiveItem>} */
async function* readItems(file, { decodeItems }) {
  const unzipped = createGunzip();
  const source = createReadStream(file).on('error', (error) => unzipped.destroy(error));
  yield* decodeItems(source.pipe(unzipped));
}

/**
 * Throws unless the archive is complete. @param {string} file @param {string} format @param {Service} service
 */
async function checkWhole(file, format, service) {
  let itemCount = 0;
  let isEnded = false;
  for await (const item of readItems(file, service)) {
    if (itemCount === 0 && (item.kind !== 'header' || item.format !== format))
      throw new Error(`${file} is no backup that this version reads`);
    if (item.kind === 'end') isEnded = item.itemCount === itemCount;
    itemCount += 1;
  }
  if (!isEnded) throw new Error(`${file} is not whole`);
}

async function main() {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0 || file.startsWith('-'))
    throw new Error('Usage: npm run restore -- <file>');
  await preparePlatform();
  const service = await import('@gatehouse/service');
  const { dropLaterFacts } = await import('./installation/history.mjs');
  const { FORMAT, LOG, RECORDS } = await import('./installation/plan.mjs');
  const { RepositoryWriter, requireNoRepositories } = await import('./installation/repositories.mjs');
  const { repositoryFolder, withDatabases } = await import('./installation/store.mjs');
  const config = service.readConfig();
  const folder = repositoryFolder(config);
  await checkWhole(file, FORMAT, service);
  await requireNoRepositories(folder);
  let documentCount = 0;
  await withDatabases(config, { isNew: true }, async (databases) => {
    await service.requireEmpty(databases, [...RECORDS, ...LOG]);
    const writer = new service.DatabaseWriter(databases);
    const repositories = new RepositoryWriter(folder, config.GIT_PROGRAM);
    for await (const item of readItems(file, service)) {
      await writer.write(item);
      await repositories.write(item);
      if (item.kind === 'document') documentCount += 1;
    }
    await dropLaterFacts(databases);
  });
  process.stdout.write(`${file}: ${documentCount} documents restored\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`Not restored: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
