/** The first items of a list, and whether these are all. */
export async function takeItems<T>(
  list: AsyncIterable<T>,
  most = Infinity,
): Promise<{ items: T[]; isWhole: boolean }> {
  const items: T[] = [];
  for await (const item of list) {
    if (items.length === most) return { items, isWhole: false };
    items.push(item);
  }
  return { items, isWhole: true };
}
