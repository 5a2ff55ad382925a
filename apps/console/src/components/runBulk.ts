import { notifyDone, notifyError } from './notify.js';

const CONCURRENT = 4;

/** Runs an action on many records, a few at a time, and reports how many succeeded and why others failed. */
export async function runBulk<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
  done: (count: number) => string,
): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      await action(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  const count = items.length - failures.length;
  if (count > 0) notifyDone(done(count));
  if (failures.length > 0) notifyError(failures[0], `${failures.length} of ${items.length} failed`);
}
