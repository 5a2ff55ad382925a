import { rm } from 'node:fs/promises';

/**
 * Removes a data directory. The engine of a killed server may still be writing there: it ends by itself, soon
 * after.
 */
export function removeDataDir(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 100 });
}
