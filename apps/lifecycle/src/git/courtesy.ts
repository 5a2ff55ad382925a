import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BareRepository } from './bareRepository.js';

const PAUSE_MAX_MS = 20;
/** Who holds its turn so long has died, or is too slow to be waited for. */
const PATIENCE_MS = 3000;

async function take(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Lets processes commit to a repository one after the other, for as long as they are polite: what two of them do at once is
 * right all the same, but one has to do its work again.
 */
export async function inTurn<T>({ directory }: BareRepository, task: () => Promise<T>): Promise<T> {
  const file = join(directory, 'gatehouse.turn');
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await take(file))) {
    const held = await stat(file).catch(() => null);
    const isForgotten = held !== null && Date.now() - held.mtimeMs > PATIENCE_MS;
    if (isForgotten) await rm(file, { force: true });
    else if (Date.now() > deadline) break;
    else await sleep(Math.random() * PAUSE_MAX_MS);
  }
  try {
    return await task();
  } finally {
    await rm(file, { force: true });
  }
}
