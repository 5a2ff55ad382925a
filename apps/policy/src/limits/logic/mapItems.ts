/** Maps items one by one. Others can run after each item: see `runInSlices`. */
export function* mapItems<A, B>(items: Iterable<A>, map: (item: A) => B): Generator<void, B[]> {
  const results: B[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}
