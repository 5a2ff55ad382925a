import { link, mkdir, open, readFile, rename, rm, chmod, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newKey } from '@gatehouse/service';

/** The folder of the git repositories of projects. */
export const REPOSITORIES = 'repositories';

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** The directory that holds all data of one installation, readable by its owner only. */
export interface DataDirectory {
  path: string;
  /** The absolute path of an entry. */
  entry(name: string): string;
  /** The text of a file; null if there is none. */
  read(name: string): Promise<string | null>;
  /** Creates a file atomically unless it exists, and returns the text of the file. */
  createOnce(name: string, text: string): Promise<string>;
  /** Creates or replaces a file atomically. */
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * Opens the data directory, and creates it with mode 0700 if it is missing.
 * @throws Error naming the setting if it cannot be used
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const root = resolve(path);
  try {
    await createDirectory(root);
    await chmod(root, OWNER_ONLY_DIRECTORY);
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATA_DIR must be a writable directory: ${root}: ${fault}`, { cause });
  }
  const entry = (name: string) => join(root, name);
  const read = (name: string) =>
    readFile(entry(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  return {
    path: root,
    entry,
    read,
    async createOnce(name, text) {
      const draft = await writeDraft(entry(name), text);
      try {
        // Unlike a rename, a link fails if another start has created the file in the meantime.
        await link(draft, entry(name));
        await syncDirectory(root);
        return text;
      } catch (error) {
        const present = await read(name);
        if (present === null) throw error;
        return present;
      } finally {
        await rm(draft, { force: true });
      }
    },
    async replace(name, text) {
      await rename(await writeDraft(entry(name), text), entry(name));
      await syncDirectory(root);
    },
    async remove(name) {
      await rm(entry(name), { force: true });
      await syncDirectory(root);
    },
  };
}

/** Creates a directory and its parents. The recursive `mkdir` of Node never returns below `/proc`. */
async function createDirectory(path: string): Promise<void> {
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isDirectory) return;
  if (dirname(path) !== path) await createDirectory(dirname(path));
  await mkdir(path, { mode: OWNER_ONLY_DIRECTORY }).catch(async (error: NodeJS.ErrnoException) => {
    // Another start may have created it in the meantime.
    if (error.code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  });
}

/** Writes a text to a temporary file beside the target, and syncs it to disk. */
async function writeDraft(file: string, text: string): Promise<string> {
  const draft = `${file}.${newKey()}`;
  const handle = await open(draft, 'wx', OWNER_ONLY_FILE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return draft;
}

/** Without this, a power failure could lose the name although its file was written. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
