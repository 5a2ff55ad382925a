import type { JsonPatchOperation } from '@gatehouse/contract';

type Patch = JsonPatchOperation[];
type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isFields(a) || !isFields(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

function child(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The JSON Patch (RFC 6902) that makes `to` of `from`. Lists are compared from both ends, and what is between item by item, so
 * that the work grows with the size of the values alone; the patch is right and short, not always the shortest.
 */
export function diffJson(from: unknown, to: unknown): Patch {
  const patch: Patch = [];
  collect(patch, '', { from, to });
  return patch;
}

function collect(patch: Patch, path: string, { from, to }: { from: unknown; to: unknown }): void {
  if (Array.isArray(from) && Array.isArray(to)) collectItems(patch, path, { from, to });
  else if (isFields(from) && isFields(to)) collectFields(patch, path, { from, to });
  else if (from !== to) patch.push({ op: 'replace', path, value: to });
}

function collectFields(patch: Patch, path: string, { from, to }: { from: Fields; to: Fields }): void {
  for (const key of Object.keys(from)) {
    if (Object.hasOwn(to, key)) collect(patch, child(path, key), { from: from[key], to: to[key] });
    else patch.push({ op: 'remove', path: child(path, key) });
  }
  for (const [key, value] of Object.entries(to)) {
    if (!Object.hasOwn(from, key)) patch.push({ op: 'add', path: child(path, key), value });
  }
}

function collectItems(patch: Patch, path: string, { from, to }: { from: unknown[]; to: unknown[] }): void {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && isSame(from[start], to[start])) start += 1;
  let left = 0;
  while (left < shorter - start && isSame(from.at(-1 - left), to.at(-1 - left))) left += 1;
  const fromEnd = from.length - left;
  const toEnd = to.length - left;
  const paired = Math.min(fromEnd, toEnd);
  for (let index = start; index < paired; index += 1)
    collect(patch, child(path, index), { from: from[index], to: to[index] });
  // From the last one on, so that the places of those before stay.
  for (let index = fromEnd - 1; index >= paired; index -= 1)
    patch.push({ op: 'remove', path: child(path, index) });
  for (let index = paired; index < toEnd; index += 1)
    patch.push({ op: 'add', path: child(path, index), value: to[index] });
}
