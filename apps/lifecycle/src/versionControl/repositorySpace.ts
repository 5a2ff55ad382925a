import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findAppError, Quota, type Config } from '@gatehouse/service';

/** The repositories of an organization are full. The message is shown to administrators. */
export class RepositorySpaceError extends Error {
  override readonly name = 'RepositorySpaceError';

  constructor(limit: number) {
    super(`The repositories of an organization must take ${limit} bytes or fewer`);
  }
}

/** The unit of `blocks` of a file, whatever the block size of the file system. */
const BLOCK_BYTES = 512;
/** The files whose sizes are read at once: other requests use the same four threads. */
const READ_AT_ONCE = 64;

/** Limits the bytes of the repositories of an organization on the disk, which all organizations share. */
export class RepositorySpace {
  readonly #limit: number;
  readonly #quota: Quota;

  constructor({
    REPOSITORY_DIR = '',
    QUOTA_REPOSITORY_BYTES,
  }: Pick<Config, 'REPOSITORY_DIR' | 'QUOTA_REPOSITORY_BYTES'>) {
    this.#limit = QUOTA_REPOSITORY_BYTES;
    this.#quota = new Quota({
      name: 'repositories',
      limits: { records: 0, bytes: this.#limit, tenantPercent: 0 },
      count: async ({ organizationId }) => {
        const bytes = await sizeOf(join(resolve(REPOSITORY_DIR), organizationId));
        return { records: 0, bytes };
      },
    });
  }

  /** Runs a commit, which adds about this many bytes. Throws RepositorySpaceError, and does not run it. */
  async whileCommitting<R>(organizationId: string, bytes: number, commit: () => Promise<R>): Promise<R> {
    try {
      return await this.#quota.change({ organizationId }, { records: 0, bytes }, commit);
    } catch (error) {
      throw findAppError(error)?.code === 'QUOTA_EXCEEDED' ? new RepositorySpaceError(this.#limit) : error;
    }
  }

  /** Runs a fetch, which adds what the remote sends. Throws RepositorySpaceError, and does not run it. */
  whileFetching<R>(organizationId: string, fetch: () => Promise<R>): Promise<R> {
    return this.whileCommitting(organizationId, 1, async () => {
      try {
        return await fetch();
      } finally {
        if (this.#limit > 0) await this.#quota.recount({ organizationId });
      }
    });
  }
}

/** The bytes that a folder takes on the disk. What disappears meanwhile takes none. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (let start = 0; start < entries.length; start += READ_AT_ONCE) {
    const files = entries.slice(start, start + READ_AT_ONCE).filter((entry) => !entry.isDirectory());
    const found = await Promise.all(files.map(({ name }) => lstat(join(folder, name)).catch(() => null)));
    for (const file of found) bytes += (file?.blocks ?? 0) * BLOCK_BYTES;
  }
  for (const entry of entries) if (entry.isDirectory()) bytes += await sizeOf(join(folder, entry.name));
  return bytes;
}
