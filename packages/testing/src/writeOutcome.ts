import { WriteConflict } from '@gatehouse/service';

/** Returns the result of a write, `written` if it has none, and null for a write that lost a race. */
export async function writeOutcome(write: Promise<unknown>): Promise<unknown> {
  try {
    return (await write) ?? 'written';
  } catch (error) {
    if (error instanceof WriteConflict) return null;
    throw error;
  }
}
