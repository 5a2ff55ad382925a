import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** More than a nearly full disk has for the next write of the engine. */
const PROBE_BYTES = 1024 * 1024;

/**
 * Writes to the data directory as the engine does, whose errors name no reason, and removes what it wrote.
 * Returns why that is not possible, with the name of the setting; null if it is.
 */
async function findWriteFault(dataDir: string): Promise<string | null> {
  const directory = resolve(dataDir);
  const file = join(directory, `probe.${randomUUID()}`);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(PROBE_BYTES, 1));
      await handle.sync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    return null;
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return `DATA_DIR must be writable and have free space: ${directory}: ${fault}`;
  }
}

/** The error of a part, with the reason if that part could not write to the data directory. */
export async function explainFailure(error: unknown, dataDir: string): Promise<Error> {
  const failure = error instanceof Error ? error : new Error(String(error));
  const fault = failure.message.startsWith('DATA_DIR') ? null : await findWriteFault(dataDir);
  if (fault === null) return failure;
  const end = failure.message.endsWith('.') ? '' : '.';
  return new Error(`${failure.message}${end} ${fault}`, { cause: error });
}
