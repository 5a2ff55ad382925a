/**
 * The items, in their order, that fit into `maxBytes` together. The first is always included, so that
 * repeated requests for the rest eventually return everything.
 */
export function takeWithin<T extends { bytes: number }>(items: readonly T[], maxBytes: number): T[] {
  let taken = 0;
  return items.filter(({ bytes }, index) => {
    if (index > 0 && taken + bytes > maxBytes) return false;
    taken += bytes;
    return true;
  });
}
