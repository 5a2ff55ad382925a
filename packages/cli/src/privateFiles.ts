import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT_CODES } from './exitCodes.js';
import { CommandError } from './failures.js';

/** Whether an error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Writes a file that only its owner can read, atomically. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await replaceFile(file, text, 0o600);
}

/**
 * Writes a file in place of the former one, atomically. A link is replaced, not followed. Without a mode it
 * has that of new files.
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const unfinished = join(dirname(file), `.${randomUUID()}.unfinished`);
  const handle = await open(unfinished, 'wx', mode ?? 0o666);
  try {
    // Without the mask of the user, which applies to new files.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(unfinished, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * The text of a file that only its owner can read; null if there is no such file.
 *
 * @throws CommandError if other users can read it
 */
export async function readPrivateFile(file: string): Promise<string | null> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { mode } = await handle.stat();
    // Windows has no such modes.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new CommandError(EXIT_CODES.notAllowed, `${file} can be read by others: set its mode to 0600`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Deletes a file; returns whether there was one. */
export async function deleteFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
