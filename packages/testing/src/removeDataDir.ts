import { rm } from 'node:fs/promises';

/**
 * Removes a data directory. The engine of a server that was stopped or killed may still be writing there, and
 * ends by itself. The attempts take 82 seconds together, and only those that are needed are made.
 */
export function removeDataDir(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 100 });
}
