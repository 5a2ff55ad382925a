/** Everything that a scan finds. */
export async function scanned<T>(scan: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of scan) found.push(each);
  return found;
}
