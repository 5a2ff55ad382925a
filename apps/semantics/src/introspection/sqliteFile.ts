import { copyFile, lstat, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import { IntrospectionError } from './outcome.js';

/** A write-ahead log is merged when it reaches some MiB; one beyond this size is not worth its copy. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** A file to read, under a path of its own. */
export interface SqliteFile extends AsyncDisposable {
  path: string;
}

/**
 * Checks a file and gives it a path in a fresh folder, because the engine locks a file by making a folder beside it: what is
 * beside the file itself stays as it is, and a reading that is ended leaves no lock behind. A write-ahead log is copied there.
 *
 * @param file relative to `sqliteDir`
 * @throws IntrospectionError `notAllowed` for a file that is missing, outside of `sqliteDir` or no regular file, all alike;
 *   `unreadable` while a writer has not finished
 */
export async function openSqliteFile(file: string, sqliteDir: string | undefined): Promise<SqliteFile> {
  if (sqliteDir === undefined) {
    throw new IntrospectionError(
      'notAllowed',
      'No SQLite file may be read: the operator has to name a folder in SQLITE_DIR.',
    );
  }
  const target = await findFile(file, sqliteDir);
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

async function findFile(file: string, sqliteDir: string): Promise<string> {
  const isPlain = !isAbsolute(file) && !/[\\\0]/.test(file) && !file.split('/').includes('..');
  if (!isPlain) throw noSuchFile();
  try {
    const folder = await realpath(sqliteDir);
    const target = await realpath(join(folder, file));
    const isRegular = (await lstat(target)).isFile();
    if (isRegular && isInside(folder, target)) return target;
  } catch (error) {
    throw noSuchFile(error);
  }
  throw noSuchFile();
}

function isInside(folder: string, target: string): boolean {
  const way = relative(folder, target);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function noSuchFile(cause?: unknown): IntrospectionError {
  return new IntrospectionError('notAllowed', 'The folder of SQLITE_DIR has no such file.', cause);
}

/** Size of a regular file; 0 when there is none, and for links and everything else that is not to be followed or read. */
async function findSize(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}
