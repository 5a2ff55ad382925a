const AT_ONCE = 8;

/** Applies a function to all items, several at the same time, and returns the results in their order. */
export async function mapConcurrently<T, U>(
  items: readonly T[],
  change: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = Array.from({ length: items.length });
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await change(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}

interface Page {
  nextCursor?: string | null;
}

/** All pages of an operation that returns a cursor, or its only page. */
export async function readPages<P extends object>(
  read: (place: { cursor?: string }) => Promise<P>,
): Promise<P[]> {
  const pages: P[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read(typeof cursor === 'string' ? { cursor } : {});
    pages.push(page);
    ({ nextCursor: cursor } = page as Page);
  } while (typeof cursor === 'string');
  return pages;
}
