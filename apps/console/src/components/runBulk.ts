import { notifyDone, notifyError } from './notify.js';

const CONCURRENT = 4;

/**
 * Runs an action on many records, a few at a time, and reports how many succeeded and why others failed.
 *
 * @param done what is reported of those that succeeded; null if the caller reports it
 * @returns those that succeeded
 */
export async function runBulk<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
  done: ((count: number) => string) | null,
): Promise<T[]> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const succeeded: T[] = [];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      await action(item).then(
        () => succeeded.push(item),
        (error: unknown) => failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  if (succeeded.length > 0 && done !== null) notifyDone(done(succeeded.length));
  if (failures.length > 0) notifyError(failures[0], `${failures.length} of ${items.length} failed`);
  return succeeded;
}
