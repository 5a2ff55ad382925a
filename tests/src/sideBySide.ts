/** Requests under way at once: enough that neither side waits for the other. */
const AT_ONCE = 8;

/** As `Promise.all` of a map, but only some of it at a time. Results are in the order of the items. */
export async function mapSideBySide<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const takeTurns = async (): Promise<void> => {
    // The lines take from one iterator, each the next item that is left.
    for (const [index, item] of entries) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return results;
}
