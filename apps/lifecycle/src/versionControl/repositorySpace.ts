import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startClocks, type Config } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';

/** The repositories of an organization are full. The message is shown to administrators. */
export class RepositorySpaceError extends Error {
  override readonly name = 'RepositorySpaceError';

  constructor(limit: number) {
    super(`The repositories of an organization must take ${limit} bytes or fewer`);
  }
}

/** The lifetime of a measurement. Reading the sizes of many files takes seconds. */
const MEASURED_MS = 10 * 60_000;
/** The lifetime of a measurement beyond which nothing fits: an operator may have made room since. */
const FULL_MS = 10_000;
const ORGANIZATIONS_MAX = 10_000;
/** The unit of `blocks` of a file, whatever the block size of the file system. */
const BLOCK_BYTES = 512;

interface Measurement {
  measured: Promise<number>;
  /** What this process has written since. */
  addedBytes: number;
  elapsedMs: () => number;
}

/** Limits the bytes of the repositories of an organization on the disk, which all organizations share. */
export class RepositorySpace {
  readonly #folder: string | undefined;
  readonly #limit: number;
  readonly #known = new LRUCache<string, Measurement>({
    maxSize: ORGANIZATIONS_MAX,
    sizeCalculation: () => 1,
  });

  constructor({
    REPOSITORY_DIR,
    QUOTA_REPOSITORY_BYTES,
  }: Pick<Config, 'REPOSITORY_DIR' | 'QUOTA_REPOSITORY_BYTES'>) {
    this.#folder = REPOSITORY_DIR;
    this.#limit = QUOTA_REPOSITORY_BYTES;
  }

  /** Runs a commit, which adds about this many bytes. Throws RepositorySpaceError, and does not run it. */
  async whileCommitting<R>(organizationId: string, bytes: number, commit: () => Promise<R>): Promise<R> {
    await this.#requireRoom(organizationId, bytes);
    const known = this.#known.get(organizationId);
    if (known) known.addedBytes += bytes;
    return commit();
  }

  /** Runs a fetch, which adds what the remote sends. Throws RepositorySpaceError, and does not run it. */
  async whileFetching<R>(organizationId: string, fetch: () => Promise<R>): Promise<R> {
    await this.#requireRoom(organizationId, 1);
    try {
      return await fetch();
    } finally {
      this.#known.delete(organizationId);
    }
  }

  async #requireRoom(organizationId: string, bytes: number): Promise<void> {
    if (this.#limit === 0 || this.#folder === undefined) return;
    if (await this.#fits(organizationId, bytes, MEASURED_MS)) return;
    if (await this.#fits(organizationId, bytes, FULL_MS)) return;
    throw new RepositorySpaceError(this.#limit);
  }

  async #fits(organizationId: string, bytes: number, lifetimeMs: number): Promise<boolean> {
    const { measured, addedBytes } = this.#measure(organizationId, lifetimeMs);
    return (await measured) + addedBytes + bytes <= this.#limit;
  }

  #measure(organizationId: string, lifetimeMs: number): Measurement {
    const known = this.#known.get(organizationId);
    if (known && known.elapsedMs() < lifetimeMs) return known;
    const measured = sizeOf(join(resolve(this.#folder ?? ''), organizationId));
    const measurement = { measured, addedBytes: 0, elapsedMs: startClocks() };
    this.#known.set(organizationId, measurement);
    return measurement;
  }
}

/** The bytes that a folder takes on the disk. What disappears meanwhile takes none. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = files.map(async ({ name }) => {
    const found = await lstat(join(folder, name)).catch(() => null);
    return (found?.blocks ?? 0) * BLOCK_BYTES;
  });
  let bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  for (const entry of entries) if (entry.isDirectory()) bytes += await sizeOf(join(folder, entry.name));
  return bytes;
}
