import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../failures.js';
import { isMissing } from '../../privateFiles.js';

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Checks that a path below a folder does not lead out of it. The folder itself may be a link: the user named
 * it, but everyone who can commit to its repository can put links into it.
 *
 * @param path relative to the folder, with slashes
 * @throws CommandError if a part of the path is a symbolic link
 */
export async function requireNoLink(folder: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const place = join(folder, ...parts.slice(0, index + 1));
    if (await isLink(place))
      throw usageError(`${place} must not be a symbolic link: replace it with what it points to`);
  }
}
