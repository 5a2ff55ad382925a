/**
 * Those items, in their order, that together have at most so many bytes. The first is among them whatever its size, so that
 * who asks again and again for what was left out gets everything in the end.
 */
export function takeWithin<T extends { bytes: number }>(items: readonly T[], maxBytes: number): T[] {
  let taken = 0;
  return items.filter(({ bytes }, index) => {
    if (index > 0 && taken + bytes > maxBytes) return false;
    taken += bytes;
    return true;
  });
}
