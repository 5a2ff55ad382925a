import { copyFile, lstat, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import { Id } from '@gatehouse/contract';
import { IntrospectionError, type IntrospectionLimits } from './logic/outcome.js';

/** SQLite checkpoints a write-ahead log at a few MiB; a larger one is not worth copying. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** The location of an organization's files. */
type SqlitePlace = Pick<IntrospectionLimits, 'sqliteDir' | 'organizationId'>;

/** A file to read, at a temporary path. */
export interface SqliteFile extends AsyncDisposable {
  path: string;
}

/**
 * Checks a file and links it into a temporary folder, because the engine locks a file by creating a folder
 * beside it: the folder of the file itself stays unchanged, and a terminated read leaves no lock behind. A
 * write-ahead log is copied there.
 *
 * @param file relative to the organization's folder in `sqliteDir`
 * @throws IntrospectionError `notAllowed` for a file that is missing, outside that folder or not regular, all
 *   alike; `unreadable` while a writer has not finished
 */
export async function openSqliteFile(
  file: string,
  { sqliteDir, organizationId }: SqlitePlace,
): Promise<SqliteFile> {
  if (sqliteDir === undefined) {
    throw new IntrospectionError(
      'notAllowed',
      'No SQLite file may be read: the operator has to name a folder in SQLITE_DIR.',
    );
  }
  const target = await findFile(file, { sqliteDir, organizationId });
  const journal = await findSize(`${target}-journal`);
  const wal = await findSize(`${target}-wal`);
  if (journal > 0 || wal > MAX_WAL_BYTES) {
    throw new IntrospectionError(
      'unreadable',
      'The file is being written: its journal holds unfinished changes.',
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sqlite-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'database');
    await symlink(target, path);
    if (wal > 0) await copyFile(`${target}-wal`, `${path}-wal`);
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function findFile(
  file: string,
  { sqliteDir, organizationId }: SqlitePlace & { sqliteDir: string },
): Promise<string> {
  const isPlain =
    Id.safeParse(organizationId).success &&
    !isAbsolute(file) &&
    !/[\\\0]/.test(file) &&
    !file.split('/').includes('..');
  if (!isPlain) throw noSuchFile(organizationId);
  try {
    const folder = join(await realpath(sqliteDir), organizationId);
    // A symbolic link could lead to the folder of another organization.
    if ((await realpath(folder)) !== folder) throw noSuchFile(organizationId);
    const target = await realpath(join(folder, file));
    const isRegular = (await lstat(target)).isFile();
    if (isRegular && isInside(folder, target)) return target;
  } catch (error) {
    throw noSuchFile(organizationId, error);
  }
  throw noSuchFile(organizationId);
}

function isInside(folder: string, target: string): boolean {
  const way = relative(folder, target);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function noSuchFile(organizationId: string, cause?: unknown): IntrospectionError {
  return new IntrospectionError(
    'notAllowed',
    `The folder ${organizationId} in SQLITE_DIR has no such file.`,
    cause,
  );
}

/**
 * Size of a regular file; 0 when it is missing, a link or anything else that must not be followed or read.
 */
async function findSize(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}
